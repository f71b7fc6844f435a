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

	if (end->home != place->self || !nchan_is_one_line(nbytes) ||
		end->flags & (END_BROKEN | END_LENDS))
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
		(end->flags & (END_HOME | END_MOVING | END_LENDS)) != END_HOME)
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

/* The next line, where it is one of this pipe and the buffer has room for it: its bytes, or 0. */
static inline unsigned nchan_take_line(
	struct nchan_rx *rx, uint32_t pipe, char *bytes, uint64_t nbytes)
{
	const uint64_t head = nchan_rx_look(rx);
	const unsigned length = nchan_head_length(head);

	if (!nchan_is_data_of(head, pipe) || !nchan_is_one_line(length) || length > nbytes)
		return 0;
	nchan_copy_few(bytes, nchan_rx_payload(rx), length);
	nchan_rx_pop(rx, head);
	return length;
}

/*
 * Lines of this pipe that stand next in the FIFO from this place go straight into a reader's
 * buffer, as long as there is room for whole ones: how many bytes. 0: nchan_place_receive() is to
 * take what is there.
 */
static inline uint64_t nchan_take_lines(struct nchan_place *place, struct nchan_end *end,
	unsigned from, void *buffer, uint64_t nbytes)
{
	struct nchan_rx *rx = &place->links[from].rx;
	struct account *account = account_find(place, end, from);
	const uint64_t full = nchan_head(NCHAN_DATA, NCHAN_PAYLOAD_BYTES, end->pipe, 0);
	char *bytes = buffer;
	uint64_t done = 0;
	unsigned count = 0, most, now;

	if (!account || end->queue_tail ||
		(end->flags & (END_HOME | END_MOVING | END_BROKEN)) != END_HOME)
		return 0;
	most = end->mode & NCHAN_PACKETS ? 1 : NCHAN_FIFO_QUARTER;
	most = (unsigned)nchan_min(most, account->out);
	while (count < most) {
		const uint64_t room = (nbytes - done) / NCHAN_PAYLOAD_BYTES;

		now = room > 1 ? nchan_rx_take_full(
					 rx, full, bytes + done, nchan_min(room, most - count))
			       : 0;
		count += now;
		done += now * NCHAN_PAYLOAD_BYTES;
		if (now)
			continue;
		now = nchan_take_line(rx, end->pipe, bytes + done, nbytes - done);
		if (!now)
			break;
		count++;
		done += now;
	}
	if (!count)
		return 0;
	place->links[from].lines_in += count;
	place->links[from].bytes_in += done;
	account->out = (uint16_t)(account->out - count);
	account_consumed(place, end, account, count);
	nchan_place_report_to(place, from, false);
	return done;
}

#endif
