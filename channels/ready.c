/* ready.c - what a call at an end would find, without making it. */
#include "channels/end_int.h"

static bool may_read(const struct nchan_place *place, const struct nchan_end *end)
{
	if (end->queue_tail)
		return !(end->flags & END_LENT);
	return end_has_no_writer(place, end) ||
	       (end->mode & NCHAN_CALLS && call_may_read(place, end));
}

static bool has_local_room(struct nchan_place *place, struct nchan_end *end)
{
	const struct account *account = account_find(place, end, place->self);

	return account && account->balance > 0 &&
	       (account->out || account_may_grow(place, end, account));
}

/* As in nchan_write(): where only room in the FIFO is missing, the event will come. */
static bool has_remote_room(struct nchan_place *place, struct nchan_end *end)
{
	if (end->flags & (END_CLOSING | END_RECALLED | END_MOVING) || end->queue_tail)
		return false;
	if (!end->credit || nchan_place_room(place, end->home))
		return end->credit;
	nchan_tx_ask(&place->links[end->home].tx);
	end_owe(place, end, DUE_ROOM);
	return false;
}

unsigned nchan_reader_state(struct nchan_place *place, struct nchan_end *end)
{
	unsigned state = 0;

	if (end_is_away(end))
		return 0;
	if (may_read(place, end))
		state |= NCHAN_READY;
	if (end_has_no_writer(place, end))
		state |= NCHAN_HUNG_UP;
	return state;
}

unsigned nchan_writer_state(struct nchan_place *place, struct nchan_end *end)
{
	bool has_room;

	if (end->flags & END_BROKEN)
		return NCHAN_READY | NCHAN_HUNG_UP;
	if (end->mode & NCHAN_CALLS)
		return call_may_ask(place, end) ? NCHAN_READY : 0;
	has_room =
		end->home == place->self ? has_local_room(place, end) : has_remote_room(place, end);
	return has_room ? NCHAN_READY : 0;
}
