/*
 * move.c - a pipe's home moves from the host to the core that was given its reading ends.
 *
 *   1  every credit of writers elsewhere is recalled; what they had sent arrives before their
 *      answer
 *   2  the host's queue, in order, becomes data to be forwarded; the host is a writer of the new
 *      home now
 *   3  behind it, ATTACH lines tell the new home about the other writers; its credits tell them
 *      where it is
 *   4  if the host has no writing end left, CLOSE
 *
 * No line can overtake another: steps 2 to 4 use one FIFO, and a writer elsewhere can only write
 * to the new home with a credit that the new home sends after step 3.
 */
#include "channels/end_int.h"

/* True when no writer elsewhere can send to this place any more. */
static bool is_quiet(struct nchan_place *place, struct nchan_end *end)
{
	struct account *account = account_first(place, end);

	for (; account; account = account_next(place, account))
		if (account->out || account->dues & (DUE_CLOSED | AWAITS_RETURN))
			return false;
	return true;
}

void move_forward(struct nchan_place *place, struct nchan_end *end, enum nchan_kind kind,
	unsigned place_of_end, uint32_t count)
{
	uint32_t cell = nchan_pool_take(&place->pool);
	struct waiting_line *line = nchan_pool_at(&place->pool, cell);

	if (!cell) {
		place->faults++;
		return;
	}
	*line = (struct waiting_line){
		.word = {count}, .kind = (uint8_t)kind, .place = (uint8_t)place_of_end};
	if (place_of_end & NCHAN_READS)
		queue_add_first(place, end, cell);
	else
		queue_add(place, end, cell);
	if (!(end->flags & END_MOVING))
		end_owe(place, end, DUE_FORWARD);
}

/* Writers elsewhere become the new home's: ATTACH lines behind the data. */
static void hand_over_accounts(struct nchan_place *place, struct nchan_end *end)
{
	struct account *account = account_first(place, end);

	while (account) {
		struct account *next = account_next(place, account);
		unsigned writer = account->place;
		int32_t count = account->balance;

		account_void(place, end, account);
		account->balance = 0;
		account_close(place, end, account);
		if (count)
			move_forward(place, end, NCHAN_ATTACH, writer, (uint32_t)count);
		account = next;
	}
}

void move_step(struct nchan_place *place, struct nchan_end *end)
{
	if (!is_quiet(place, end))
		return;
	end->flags &= (uint16_t)~(END_HOME | END_MOVING);
	hand_over_accounts(place, end);
	end_owe(place, end, DUE_FORWARD | (end->writers ? 0 : DUE_CLOSE));
}

/* The host's own writer is an account of the new home, with one credit that needs no line. */
static void begin_move(struct nchan_place *place, struct nchan_end *end, unsigned to)
{
	struct account *account = account_find(place, end, place->self);

	if (account) {
		account_void(place, end, account);
		account->balance = 0;
		account_close(place, end, account);
	}
	end->flags |= END_MOVING;
	end->home = (uint8_t)to;
	end->opened = 1;
	end->credit = 1;
	for (account = account_first(place, end); account; account = account_next(place, account)) {
		account->dues &= (uint8_t)~DUE_CREDIT;
		account->dues |= account->out ? DUE_RECALL : 0;
	}
	accounts_owe(place, end);
}

void nchan_pass_reader(struct nchan_place *place, struct nchan_end *end, unsigned to)
{
	end->given++;
	if (--end->readers)
		return;
	begin_move(place, end, to);
}

void nchan_pass_writer(struct nchan_place *place, struct nchan_end *end, unsigned to)
{
	end->given++;
	if (!(end->flags & END_HOME)) {
		move_forward(place, end, NCHAN_ATTACH, to, 1);
		return;
	}
	account_add_end(place, end, to);
}
