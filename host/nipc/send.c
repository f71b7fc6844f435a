/*
 * send.c - what is sent: room in the peer's eyes, lines, and ops that move on chunk by chunk.
 *
 * An op takes room in the data for its next chunk, begins the copies of it, and when they are done
 * says so in a line. So sends that wait, that do not and that are pipelined are one thing: they
 * differ in the length of a chunk, and in who calls ipc_send_progress().
 */
#include <string.h>

#include "host/nipc/nipc_int.h"

enum {
	CHUNK = 256 << 10,
	CHECK_EVERY = 8, /* lines: even to look at the clock takes its time */
	PAGE = 4096,
	HEAR_BELOW = PAGE, /* bytes of a message */
};

/* ---- ends ------------------------------------------------------------------------------------ */

int64_t ipc_send_over(const struct nipc *channel)
{
	const uint64_t *closed = &ipc_region_control(&channel->theirs)->closed;

	if (ipc_is_broken(channel))
		return -EPROTO;
	if (channel->sender.is_shut || ipc_is_gone(channel) ||
		nchan_load(closed) & IPC_RECEIVES_NO_MORE)
		return -EPIPE;
	return 0;
}

int64_t ipc_send_check_over(struct nipc *channel)
{
	int64_t over = ipc_send_over(channel);

	if (over != -EPIPE)
		return ipc_note(channel, over);
	if (channel->sender.is_shut)
		return ipc_fail(channel, EPIPE, "this end was shut down: nothing more is sent");
	return ipc_fail(channel, EPIPE,
		"the peer (process %d) has gone, or receives no more: close the channel",
		(int)channel->peer.pid);
}

/* ---- room ------------------------------------------------------------------------------------ */

static void take_released(struct nipc *channel, uint64_t released)
{
	struct ipc_sender *sender = &channel->sender;

	if (released == sender->released)
		return;
	if (released - sender->released > sender->sent - sender->released) {
		ipc_break(channel, "it gave back more lines than it had");
		return;
	}
	sender->released = released;
	sender->tail = sender->ends[(released - 1) & (channel->own.slots - 1)];
}

static void see_released(struct nipc *channel)
{
	take_released(channel, nchan_load_acquire(&ipc_region_control(&channel->theirs)->released));
}

/* What the peer's messages said, which may be older than what is known. */
static void hear_released(struct nipc *channel)
{
	const uint64_t told = nchan_load_acquire(&channel->sender.told);

	if ((int64_t)(told - channel->sender.released) > 0)
		take_released(channel, told);
}

static uint64_t free_slots(struct nipc *channel, uint64_t wanted)
{
	const struct ipc_sender *sender = &channel->sender;

	if (channel->own.slots - (sender->sent - sender->released) < wanted)
		see_released(channel);
	return channel->own.slots - (sender->sent - sender->released);
}

/* Rounding may have moved the head past the end of what is free. */
static uint64_t free_bytes(const struct nipc *channel)
{
	const uint64_t used = channel->sender.head - channel->sender.tail;

	return used < channel->own.capacity ? channel->own.capacity - used : 0;
}

uint64_t ipc_send_room(struct nipc *channel, uint64_t wanted)
{
	if (free_bytes(channel) < wanted)
		see_released(channel);
	return free_bytes(channel);
}

bool ipc_send_has_room(struct nipc *channel, uint64_t nbytes)
{
	return ipc_send_room(channel, nbytes) >= nbytes && free_slots(channel, 1);
}

static uint64_t round_up(uint64_t position, uint64_t unit)
{
	return (position + unit - 1) / unit * unit;
}

static bool is_half_used(const struct nipc *channel)
{
	const struct ipc_sender *sender = &channel->sender;

	return sender->head - sender->tail > channel->own.capacity / 2 ||
	       sender->sent - sender->released > channel->own.slots / 2;
}

/*
 * When nothing is in use it begins at the front: what was used not long ago is still in the cache.
 * An answer says so, and short messages go by that; long ones are had sooner from memory than from
 * the cache of a reader that shares none. Else to know it is a line from the peer's cache, so it is
 * not asked for every message.
 */
uint64_t ipc_send_begin_position(struct nipc *channel, uint64_t nbytes)
{
	struct ipc_sender *sender = &channel->sender;

	if (nbytes < HEAR_BELOW)
		hear_released(channel);
	if (is_half_used(channel))
		see_released(channel);
	if (sender->released == sender->sent &&
		sender->half.flights.begun == sender->half.flights.ended)
		sender->head = sender->tail = round_up(sender->head, channel->own.capacity);
	else
		sender->head = round_up(sender->head, IPC_LINE_BYTES);
	return sender->head;
}

uint64_t ipc_chunk_min(const struct ipc_region *region)
{
	return round_up(2 * (uint64_t)region->capacity / region->slots, PAGE);
}

/* ---- lines ----------------------------------------------------------------------------------- */

/* end: position of the data that is free once this slot is given back. */
static void put_line(struct nipc *channel, uint64_t slot, uint64_t head, const void *payload,
	uint64_t nbytes, uint64_t end)
{
	const unsigned slots = channel->own.slots;
	struct ipc_line *line = &ipc_region_lines(&channel->own)[slot & (slots - 1)];

	nchan_copy_few(line->payload, payload, nbytes);
	channel->sender.ends[slot & (slots - 1)] = end;
	nchan_store_release(&line->head, head | ipc_lap(slot, slots));
}

void ipc_send_piece(struct nipc *channel, uint64_t position, uint64_t nbytes, uint64_t total)
{
	const struct ipc_piece piece = {position % channel->own.capacity, nbytes, total,
		nchan_load_acquire(&ipc_region_control(&channel->own)->released)};

	put_line(channel, channel->sender.sent++, ipc_head(IPC_PIECE, 0, 0), &piece, sizeof piece,
		position + nbytes);
	ipc_half_wake_peer(channel, &channel->sender.half);
}

static uint64_t lines_of(uint64_t nbytes)
{
	return (nbytes + IPC_PAYLOAD_BYTES - 1) / IPC_PAYLOAD_BYTES;
}

/*
 * The first line comes last: a reader that looked at the next one too early would fetch it twice,
 * and the sender, too. So also no part of a message is seen where its sender was killed.
 */
static void put_small(struct nipc *channel, const unsigned char *bytes, uint64_t nbytes)
{
	const uint64_t first = channel->sender.sent, lines = lines_of(nbytes);

	for (uint64_t i = lines; i-- > 0;) {
		const uint64_t at = i * IPC_PAYLOAD_BYTES;
		const uint64_t now = nchan_min(nbytes - at, IPC_PAYLOAD_BYTES);

		put_line(channel, first + i, ipc_head(IPC_SMALL, now, nbytes), bytes + at, now,
			channel->sender.head);
	}
	channel->sender.sent += lines;
	channel->sender.small++;
	channel->sender.messages++;
	channel->sender.bytes += nbytes;
	ipc_half_wake_peer(channel, &channel->sender.half);
}

static void gather(unsigned char *bytes, const struct iovec *parts, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (parts[i].iov_len) {
			memcpy(bytes, parts[i].iov_base, parts[i].iov_len);
			bytes += parts[i].iov_len;
		}
}

static void put_small_parts(
	struct nipc *channel, const struct iovec *parts, size_t count, uint64_t nbytes)
{
	unsigned char bytes[NIPC_SMALL];

	if (count == 1) {
		put_small(channel, parts->iov_base, nbytes);
		return;
	}
	gather(bytes, parts, count);
	put_small(channel, bytes, nbytes);
}

/* ---- ops ------------------------------------------------------------------------------------- */

static uint64_t chunk_of(const struct nipc *channel, const struct nipc_op *op)
{
	const uint64_t capacity = channel->own.capacity, least = ipc_chunk_min(&channel->own);
	uint64_t chunk = op->how.chunk_nbytes ? op->how.chunk_nbytes : CHUNK;

	if (op->how.mode == NIPC_WHOLE)
		chunk = op->total <= capacity ? capacity : capacity / 2;
	else
		chunk = nchan_min(chunk, capacity / 4);
	return nchan_min(chunk < least ? least : chunk, op->total - op->begun);
}

/* True: it got on. */
static bool begin_small(struct nipc *channel, struct nipc_op *op)
{
	struct ipc_sender *sender = &channel->sender;

	if (sender->half.flights.begun != sender->half.flights.ended ||
		free_slots(channel, lines_of(op->total)) < lines_of(op->total))
		return false;
	put_small_parts(channel, op->parts, op->count, op->total);
	op->begun = op->finished = op->total;
	ipc_op_done(&sender->ops, (int64_t)op->total);
	return true;
}

static bool begin_chunk(struct nipc *channel, struct nipc_op *op)
{
	struct ipc_sender *sender = &channel->sender;
	struct ipc_flights *flights = &sender->half.flights;
	struct ipc_flight *flight = &flights->flight[flights->begun % IPC_FLIGHTS];
	const uint64_t nbytes = chunk_of(channel, op);

	if (flights->begun - flights->ended == IPC_FLIGHTS)
		return false;
	if (!op->begun)
		ipc_send_begin_position(channel, op->total);
	/* Each flight needs a slot, too. */
	if (ipc_send_room(channel, nbytes) < nbytes ||
		free_slots(channel, IPC_FLIGHTS) < IPC_FLIGHTS)
		return false;
	flight->position = sender->head;
	sender->head += nbytes;
	op->begun += nbytes;
	flights->begun++;
	ipc_copy_begin(&sender->half, flight, op,
		ipc_region_data(&channel->own) + flight->position % channel->own.capacity, nbytes,
		true, sender->head - sender->tail);
	return true;
}

/* The first op of which something is still to be begun. */
static bool begin_next(struct nipc *channel)
{
	struct nipc_op *op = channel->sender.ops.first;

	while (op && op->begun == op->total)
		op = op->next;
	if (!op)
		return false;
	return op->total <= NIPC_SMALL ? begin_small(channel, op) : begin_chunk(channel, op);
}

/* Says that the oldest chunk is there. */
static bool end_oldest(struct nipc *channel)
{
	struct ipc_sender *sender = &channel->sender;
	struct ipc_flights *flights = &sender->half.flights;
	struct ipc_flight *flight = &flights->flight[flights->ended % IPC_FLIGHTS];
	struct nipc_op *op = flight->op;

	if (flights->ended == flights->begun || !ipc_copy_is_done(flight))
		return false;
	flights->ended++;
	ipc_send_piece(channel, flight->position, flight->nbytes, op->total);
	sender->copied += flight->nbytes;
	op->finished += flight->nbytes;
	if (op->finished == op->total) {
		sender->messages++;
		sender->bytes += op->total;
		ipc_op_done(&sender->ops, (int64_t)op->total);
	}
	return true;
}

/* Nothing will be received any more: the callers have their bytes back. */
static int end_all(struct nipc *channel)
{
	struct ipc_sender *sender = &channel->sender;
	int64_t result = sender->ops.first ? ipc_send_check_over(channel) : 0;
	int count = 0;

	ipc_copy_wait(&sender->half);
	sender->half.flights.ended = sender->half.flights.begun;
	for (; sender->ops.first; count++)
		ipc_op_done(&sender->ops, result);
	return count;
}

static int count_done(const struct nipc_op *first, const struct ipc_queue *queue)
{
	return first != NULL && queue->first != first;
}

int ipc_send_progress(struct nipc *channel)
{
	struct ipc_sender *sender = &channel->sender;
	const struct nipc_op *first;
	int count = 0;
	bool moved;

	if (ipc_send_over(channel))
		return end_all(channel);
	if (sender->half.flights.begun != sender->half.flights.ended)
		sender->half.engine.ops->poll(&sender->half.engine);
	do {
		first = sender->ops.first;
		moved = end_oldest(channel);
		count += count_done(first, &sender->ops);
		first = sender->ops.first;
		moved |= begin_next(channel);
		count += count_done(first, &sender->ops);
	} while (moved);
	return count;
}

bool ipc_send_ready(struct nipc *channel, void *unused)
{
	(void)unused;
	if (ipc_send_over(channel))
		return true;
	if (channel->sender.ops.first)
		return ipc_send_progress(channel) > 0;
	return channel->sender.reserved.is_out || ipc_send_has_room(channel, 1);
}

/* ---- calls ----------------------------------------------------------------------------------- */

static bool is_done(struct nipc *channel, void *op)
{
	ipc_send_progress(channel);
	return nipc_op_is_done(op);
}

/* The op does not outlive the call: what of it has begun is remembered by its length. */
static int64_t cut_off(struct nipc *channel, struct nipc_op *op, int64_t result)
{
	struct ipc_sender *sender = &channel->sender;

	ipc_copy_wait(&sender->half);
	while (end_oldest(channel))
		;
	if (nipc_op_is_done(op))
		return op->result;
	ipc_op_remove(&sender->ops, op);
	sender->cut.is_begun = op->finished > 0;
	sender->cut.total = op->total;
	sender->cut.done = op->finished;
	return result;
}

static int64_t send_op(struct nipc *channel, struct nipc_op *op)
{
	struct ipc_sender *sender = &channel->sender;
	int result;

	if (sender->cut.is_begun) {
		op->begun = op->finished = sender->cut.done;
		ipc_parts_skip(op, sender->cut.done);
		sender->cut.is_begun = false;
	}
	ipc_op_append(&sender->ops, op);
	result = ipc_half_wait(channel, &sender->half, channel->timeout_ns, is_done, op);
	if (!nipc_op_is_done(op) && !result)
		end_all(channel);
	return nipc_op_is_done(op) ? op->result : cut_off(channel, op, result);
}

static int64_t check_send(
	struct nipc *channel, const struct iovec *parts, size_t count, const struct nipc_how *how)
{
	const struct ipc_sender *sender = &channel->sender;
	int64_t total = ipc_parts_check(channel, parts, count, how);

	if (total < 0)
		return total;
	if (!total)
		return ipc_fail(channel, EINVAL, "a message has at least one byte");
	if (sender->reserved.is_out)
		return ipc_fail(channel, EBUSY, "a reservation is out: commit it first");
	if (sender->cut.is_begun && sender->cut.total != (uint64_t)total)
		return ipc_fail(channel, EBUSY,
			"a message of %llu bytes was cut off: send it again first",
			(unsigned long long)sender->cut.total);
	return ipc_send_over(channel) ? ipc_send_check_over(channel) : total;
}

/* No op, no engine: false where there is no room for it, or it is too long. */
static bool send_at_once(
	struct nipc *channel, const struct iovec *parts, size_t count, uint64_t total)
{
	struct ipc_sender *sender = &channel->sender;
	uint64_t position;

	if (sender->ops.first || sender->cut.is_begun || total > IPC_AT_ONCE)
		return false;
	if (total <= NIPC_SMALL) {
		if (free_slots(channel, lines_of(total)) < lines_of(total))
			return false;
		put_small_parts(channel, parts, count, total);
		return true;
	}
	position = ipc_send_begin_position(channel, total);
	if (!ipc_send_has_room(channel, total))
		return false;
	gather(ipc_region_data(&channel->own) + position % channel->own.capacity, parts, count);
	sender->head += total;
	ipc_send_piece(channel, position, total, total);
	sender->messages++;
	sender->bytes += total;
	sender->copied += total;
	return true;
}

static int64_t send_parts(
	struct nipc *channel, const struct iovec *parts, size_t count, const struct nipc_how *how)
{
	int64_t total = check_send(channel, parts, count, how);
	struct nipc_op op;

	if (total < 0)
		return total;
	if (channel->sender.sent % CHECK_EVERY == 0)
		ipc_half_check_peer(channel, &channel->sender.half);
	if (send_at_once(channel, parts, count, (uint64_t)total))
		return total;
	op = (struct nipc_op){.parts = parts, .count = count, .how = *ipc_how(channel, how)};
	op.total = (uint64_t)total;
	return send_op(channel, &op);
}

int64_t nipc_sendv(
	struct nipc *channel, const struct iovec *parts, size_t count, const struct nipc_how *how)
{
	int64_t result = ipc_check(channel);

	if (result)
		return result;
	result = send_parts(channel, parts, count, how);
	ipc_half_follow(channel, &channel->sender.half, ipc_send_ready);
	return ipc_note(channel, result);
}

int64_t nipc_send(struct nipc *channel, const void *bytes, size_t nbytes)
{
	const struct iovec part = {(void *)(uintptr_t)bytes, nbytes};

	return nipc_sendv(channel, &part, 1, NULL);
}

int nipc_send_begin(struct nipc *channel, const struct iovec *parts, size_t count,
	const struct nipc_how *how, struct nipc_op *op)
{
	int64_t total = ipc_check(channel);

	if (!total)
		total = check_send(channel, parts, count, how);
	if (total < 0)
		return (int)total;
	if (channel->sender.cut.is_begun)
		return ipc_fail(channel, EBUSY, "a message was cut off: send it again first");
	ipc_op_init(op, parts, count, ipc_how(channel, how));
	op->total = (uint64_t)total;
	ipc_op_append(&channel->sender.ops, op);
	ipc_send_progress(channel);
	ipc_half_follow(channel, &channel->sender.half, ipc_send_ready);
	return 0;
}
