/*
 * quick.h - one line, written or read where nothing is in its way: what most calls are. Inline, so
 * that it costs its caller little more than the copy. Each of these either does just what
 * nchan_write() or nchan_read() would do, or nothing, and is false; then those are asked.
 */
#ifndef NEARSIDE_CHANNELS_QUICK_H
#define NEARSIDE_CHANNELS_QUICK_H

#include "channels/end_int.h"

static inline bool nchan_is_one_line(uint64_t nbytes)
{
	return nbytes - 1 < NCHAN_PAYLOAD_BYTES;
}

/* To a home elsewhere. */
static inline bool nchan_write_line(
	struct nchan_place *place, struct nchan_end *end, const void *bytes, uint64_t nbytes)
{
	const unsigned hindrances = END_BROKEN | END_CLOSING | END_RECALLED | END_MOVING;

	if (!end->credit || !nchan_is_one_line(nbytes) || end->flags & hindrances ||
		end->queue_tail || !nchan_place_room(place, end->home))
		return false;
	end->credit--;
	nchan_place_send(place, end->home, nchan_head(NCHAN_DATA, (unsigned)nbytes, end->pipe, 0),
		bytes, (unsigned)nbytes);
	return true;
}

/* From this place to itself, where nobody waits to read: the caller knows. */
static inline bool nchan_queue_line(
	struct nchan_place *place, struct nchan_end *end, const void *bytes, uint64_t nbytes)
{
	struct account *account;

	if (end->home != place->self || !nchan_is_one_line(nbytes) || end->flags & END_BROKEN)
		return false;
	account = account_find(place, end, place->self);
	if (!account || account->balance <= 0 || !account->out)
		return false;
	account->out--;
	queue_add_data(place, end, place->self, bytes, (unsigned)nbytes);
	return true;
}

/* What this place wrote to itself, where nobody waits to write: the caller knows. */
static inline bool nchan_read_line(
	struct nchan_place *place, struct nchan_end *end, void *bytes, uint64_t nbytes)
{
	struct waiting_line *line = queue_head(place, end);
	struct account *account;

	if (!line || line->length != nbytes || line->offset || line->place != place->self ||
		(end->flags & (END_HOME | END_MOVING)) != END_HOME)
		return false;
	account = account_find(place, end, place->self);
	if (!account || !account->window)
		return false;
	nchan_copy_few(bytes, line->word, (unsigned)nbytes);
	queue_remove(place, end);
	place->pool.promised++;
	account->out++;
	return true;
}

#endif
