/*
 * hand.c - a core hands an end back to the host, which may pass it on to another core (move.c,
 * lend.c).
 *
 *   1  the core tells the home, by ATTACH, that the host has one more end; behind it, later, comes
 *      its own CLOSE
 *   2  a line to the host says which end it is (device/abi/message.h); behind it the core drops its
 *      own
 *   3  the host counts the end, passes it on, and drops it: its ATTACH for the next place and its
 *      CLOSE use one FIFO
 *
 * So at the home there is always one of these three that counts. Where the home is the host itself,
 * the line of step 2 is all that it needs; where it is the core, step 1 is done there.
 *
 * Of a writing end: what the core wrote must come before what the next writer writes, so before
 * step 1 the home has taken it all, unless the home is the host, where it comes before step 2. And
 * it must be the right home: a core hands back only while it holds a credit, for a home does not
 * move while it has lent any. Of a reading end it is right once the home has told of itself.
 */
#include "channels/end_int.h"

static int may_hand_writer_back(
	const struct nchan_place *place, const struct nchan_end *end, unsigned count)
{
	unsigned lines = end_capacity(end) ? end_capacity(end) : 1;
	unsigned cells = count * (NCHAN_CELLS_PER_ACCOUNT + lines);
	bool has_room = end->home == place->self ? nchan_pool_spare(&place->pool) >= cells
						 : nchan_place_room(place, end->home) >= count;

	if (end->flags & END_BROKEN)
		return -NCHAN_EPIPE;
	if (end->home == place->self)
		return has_room ? 0 : -NCHAN_EBUSY;
	/* A home does not know itself as that before the ATTACH of its own writer. */
	if (end->flags & (END_HOME | END_CLOSING | END_RECALLED) || !end->credit || !has_room)
		return -NCHAN_EBUSY;
	return 0;
}

static int may_hand_reader_back(
	const struct nchan_place *place, const struct nchan_end *end, unsigned count)
{
	bool may;

	if (end->flags & END_HOME)
		may = nchan_pool_spare(&place->pool) >= count * NCHAN_CELLS_PER_ACCOUNT;
	else
		may = borrow_is_known(end) && nchan_place_room(place, end->home) >= count;
	return may ? 0 : -NCHAN_EBUSY;
}

int nchan_may_hand_back(
	const struct nchan_place *place, const struct nchan_end *end, unsigned count, bool writes)
{
	if (!end->pipe || end->mode & NCHAN_CALLS)
		return -NCHAN_EXDEV;
	return writes ? may_hand_writer_back(place, end, count)
		      : may_hand_reader_back(place, end, count);
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

void nchan_hand_back(struct nchan_place *place, struct nchan_end *end, bool writes)
{
	bool is_home = writes ? end->home == place->self : (end->flags & END_HOME) != 0;

	if (is_home && writes)
		account_add_end(place, end, NCHAN_HOST);
	else if (is_home)
		lend_to_host(place, end);
	else if (end->home != NCHAN_HOST)
		end_send_count(place, end->home, NCHAN_ATTACH, end->pipe,
			writes ? NCHAN_HOST : NCHAN_HOST | NCHAN_READS, 1);
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

static bool take_writer_back(struct nchan_place *place, struct nchan_end *end, unsigned from)
{
	const struct account *account = account_find(place, end, from);

	if (!(end->flags & END_HOME))
		end->opened++;
	else if (!account || account->balance <= 0 || (!end->writers && !reopen(place, end)))
		return false;
	end->writers++;
	return true;
}

/* Its home has been told, if that is elsewhere. */
static bool take_reader_back(struct nchan_place *place, struct nchan_end *end, unsigned from)
{
	const struct account *account = account_find(place, end, from | NCHAN_READS);

	if (end->mode & NCHAN_CALLS || (!end_is_away(end) && (!account || account->balance <= 0)))
		return false;
	end->readers++;
	return true;
}

struct nchan_end *nchan_take_back(
	struct nchan_place *place, uint32_t pipe, unsigned from, bool writes)
{
	struct nchan_end *end = nchan_find(place, pipe);

	if (!end || !end->given)
		return NULL;
	return (writes ? take_writer_back : take_reader_back)(place, end, from) ? end : NULL;
}
