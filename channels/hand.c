/*
 * hand.c - a core hands a writing end back to the host, which may pass it on to another core
 * (move.c).
 *
 *   1  the core tells the home, by ATTACH, that the host has one more writing end; behind it,
 *      later, comes its own CLOSE
 *   2  a line to the host says which end it is (device/abi/message.h); behind it the core drops its
 *      own
 *   3  the host counts the end, passes it on, and drops it: its ATTACH for the next place and its
 *      CLOSE use one FIFO
 *
 * What the core wrote must come before what the next writer writes: so before step 1 the home has
 * taken it all, unless the home is the host, where it comes before step 2.
 *
 * So at the home there is always one of these three that counts as a writer. It must be the right
 * home: a core hands back only while it holds a credit, for a home does not move while it has lent
 * any. Where the home is the host itself, the line of step 2 is all that it needs.
 */
#include "channels/end_int.h"

int nchan_may_hand_back(
	const struct nchan_place *place, const struct nchan_end *end, unsigned count)
{
	unsigned lines = end_capacity(end) ? end_capacity(end) : 1;
	unsigned cells = count * (NCHAN_CELLS_PER_ACCOUNT + lines);
	bool has_room = end->home == place->self ? nchan_pool_spare(&place->pool) >= cells
						 : nchan_place_room(place, end->home) >= count;

	if (!end->pipe)
		return -NCHAN_EXDEV;
	if (end->flags & END_BROKEN)
		return -NCHAN_EPIPE;
	if (end->home == place->self)
		return has_room ? 0 : -NCHAN_EBUSY;
	/* A home does not know itself as that before the ATTACH of its own writer. */
	if (end->flags & (END_HOME | END_CLOSING | END_RECALLED) || !end->credit || !has_room)
		return -NCHAN_EBUSY;
	return 0;
}

void nchan_home_positions(const struct nchan_place *place, const struct nchan_end *end,
	uint64_t *written, uint64_t *taken)
{
	struct nchan_tx *tx = &place->links[end->home].tx;
	bool is_in_order = end->home == place->self || end->home == NCHAN_HOST;

	*written = is_in_order ? 0 : tx->tail;
	*taken = is_in_order ? 0 : tx->consumed;
	if (*written != *taken)
		nchan_tx_ask(tx);
}

void nchan_hand_back(struct nchan_place *place, struct nchan_end *end)
{
	static const uint64_t one = 1;

	if (end->home == NCHAN_HOST)
		return;
	if (end->home != place->self) {
		nchan_place_send(place, end->home,
			nchan_head(NCHAN_ATTACH, 0, end->pipe, NCHAN_HOST), &one, sizeof(one));
		return;
	}
	account_add_end(place, end, NCHAN_HOST);
}

bool may_attach_host(
	const struct nchan_place *place, struct nchan_end *end, unsigned from, unsigned writer)
{
	const struct account *account = account_find(place, end, from);

	return writer == NCHAN_HOST && account && account->balance > 0 && account->out;
}

/*
 * The host writes here again, after it had closed. While its home moves, the new one counts it
 * already.
 */
static bool reopen(struct nchan_place *place, struct nchan_end *end)
{
	struct account *account;

	if (end->flags & END_MOVING)
		return true;
	account = account_open(place, end, place->self);
	if (!account)
		return false;
	account->balance = 1;
	end->opened = 1;
	account_welcome(place, end, account);
	accounts_owe(place, end);
	return true;
}

struct nchan_end *nchan_take_back(struct nchan_place *place, uint32_t pipe, unsigned from)
{
	struct nchan_end *end = nchan_find(place, pipe);
	const struct account *account;

	if (!end || !end->given)
		return NULL;
	if (end->flags & END_HOME) {
		account = account_find(place, end, from);
		if (!account || account->balance <= 0 || (!end->writers && !reopen(place, end)))
			return NULL;
	} else {
		end->opened++;
	}
	end->writers++;
	return end;
}
