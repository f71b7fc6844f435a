/*
 * take.c - lines as they come in, put together to messages, and given back.
 *
 * Whatever a line says is the peer's: it is copied once, then checked. What it may be is what the
 * message allows that it belongs to; anything else breaks the channel.
 */
#include <string.h>

#include "host/nipc/nipc_int.h"

/* ---- giving back ----------------------------------------------------------------------------- */

static void tell_released(struct nipc *channel)
{
	struct ipc_receiver *receiver = &channel->receiver;
	const unsigned mask = channel->theirs.slots - 1;

	while (receiver->released < receiver->taken && !receiver->is_out[receiver->released & mask])
		receiver->released++;
	nchan_store_release(&ipc_region_control(&channel->own)->released, receiver->released);
	ipc_half_wake_peer(channel, &receiver->half);
}

void ipc_give_back(struct nipc *channel, uint64_t first, uint64_t count)
{
	struct ipc_receiver *receiver = &channel->receiver;
	const unsigned mask = channel->theirs.slots - 1;

	for (uint64_t slot = first; slot < first + count; slot++) {
		receiver->out_nbytes -= receiver->nbytes[slot & mask];
		receiver->is_out[slot & mask] = 0;
	}
	if (receiver->released == first)
		tell_released(channel);
}

/* ---- lines ----------------------------------------------------------------------------------- */

static const struct ipc_line *next_line(const struct nipc *channel)
{
	return &ipc_region_lines(
		&channel->theirs)[channel->receiver.taken & (channel->theirs.slots - 1)];
}

static bool is_line_new(const struct nipc *channel, uint64_t *head)
{
	*head = nchan_load_acquire(&next_line(channel)->head);
	return ipc_head_lap(*head) == ipc_lap(channel->receiver.taken, channel->theirs.slots);
}

static bool ends_here(const struct nipc *channel)
{
	const uint64_t *closed = &ipc_region_control(&channel->theirs)->closed;

	return ipc_is_gone(channel) || ipc_is_broken(channel) ||
	       nchan_load_acquire(closed) & IPC_SENDS_NO_MORE;
}

static void take_small(struct nipc *channel, uint64_t head, const struct ipc_line *line)
{
	struct ipc_receiver *receiver = &channel->receiver;
	struct ipc_message *message = &receiver->message;
	const unsigned nbytes = ipc_head_nbytes(head), total = ipc_head_total(head);

	if (!message->is_begun) {
		message->is_begun = message->is_small = true;
		message->total = total;
	}
	if (!message->is_small || total != message->total || total > NIPC_SMALL || !nbytes ||
		nbytes > IPC_PAYLOAD_BYTES || nbytes > total - message->arrived) {
		ipc_break(channel, "a line of a small message makes no sense");
		return;
	}
	/* All of the payload: there is room behind the longest, and a known length is faster. */
	memcpy(message->small + message->arrived, line->payload, IPC_PAYLOAD_BYTES);
	message->arrived += nbytes;
	receiver->taken++;
	if (message->arrived == message->total)
		tell_released(channel);
}

static bool is_piece_right(const struct nipc *channel, const struct ipc_piece *piece)
{
	const struct ipc_message *message = &channel->receiver.message;
	const uint64_t capacity = channel->theirs.capacity;

	if (message->is_small || piece->offset >= capacity || !piece->nbytes ||
		piece->nbytes > capacity || piece->total != message->total ||
		piece->nbytes > message->total - message->arrived)
		return false;
	return piece->offset == (message->start + message->arrived) % capacity;
}

static void take_piece(struct nipc *channel, const struct ipc_line *line)
{
	struct ipc_receiver *receiver = &channel->receiver;
	struct ipc_message *message = &receiver->message;
	const unsigned slot = receiver->taken & (channel->theirs.slots - 1);
	struct ipc_piece piece;

	memcpy(&piece, line->payload, sizeof piece);
	if (!message->is_begun) {
		message->is_begun = true;
		message->total = piece.total;
		message->start = piece.offset;
		message->first = receiver->taken;
	}
	if (!is_piece_right(channel, &piece) || piece.total > INT64_MAX) {
		ipc_break(channel, "a piece of a message lies outside its place");
		return;
	}
	nchan_store_release(&channel->sender.told, piece.released);
	message->arrived += piece.nbytes;
	receiver->is_out[slot] = 1;
	receiver->nbytes[slot] = piece.nbytes;
	receiver->out_nbytes += piece.nbytes;
	receiver->taken++;
}

/* What is checked is a copy, as the peer may change the line meanwhile: its head is one. */
static void take_line(struct nipc *channel, uint64_t head)
{
	if (ipc_head_kind(head) == IPC_SMALL)
		take_small(channel, head, next_line(channel));
	else if (ipc_head_kind(head) == IPC_PIECE)
		take_piece(channel, next_line(channel));
	else
		ipc_break(channel, "a line is of no kind that there is");
}

/* A small message is taken whole. */
static bool wants_more(const struct ipc_message *message, uint64_t wanted)
{
	return !message->is_begun || (message->arrived < message->total &&
					     (message->arrived < wanted || message->is_small));
}

void ipc_take(struct nipc *channel, uint64_t wanted)
{
	struct ipc_receiver *receiver = &channel->receiver;
	uint64_t head;

	while (wants_more(&receiver->message, wanted) &&
		receiver->taken - receiver->released < channel->theirs.slots &&
		!ipc_is_broken(channel) && is_line_new(channel, &head))
		take_line(channel, head);
}

void ipc_take_end(struct nipc *channel)
{
	struct ipc_receiver *receiver = &channel->receiver;
	struct ipc_message *message = &receiver->message;

	receiver->messages++;
	receiver->bytes += message->total;
	receiver->small += message->is_small;
	message->is_begun = message->is_small = false;
	message->total = message->arrived = message->handed = 0;
}

const unsigned char *ipc_take_bytes(const struct nipc *channel, uint64_t offset)
{
	const struct ipc_message *message = &channel->receiver.message;

	if (message->is_small)
		return message->small + offset;
	return ipc_region_data(&channel->theirs) +
	       (message->start + offset) % channel->theirs.capacity;
}

/* ---- waiting --------------------------------------------------------------------------------- */

bool ipc_take_ready(struct nipc *channel, void *unused)
{
	const struct ipc_receiver *receiver = &channel->receiver;
	uint64_t head;

	(void)unused;
	if (receiver->ops.first)
		return ipc_recv_progress(channel) > 0;
	if (receiver->message.arrived > receiver->message.handed || ends_here(channel))
		return true;
	return receiver->taken - receiver->released < channel->theirs.slots &&
	       is_line_new(channel, &head);
}

static bool has_come(const struct nipc *channel, uint64_t wanted)
{
	const struct ipc_message *message = &channel->receiver.message;

	return message->is_begun && message->arrived >= nchan_min(wanted, message->total);
}

/* That it ends is looked at first: what came before the end is seen. */
static bool has_come_or_ends(struct nipc *channel, void *wanted)
{
	bool ends = ends_here(channel);

	ipc_take(channel, *(uint64_t *)wanted);
	return has_come(channel, *(uint64_t *)wanted) || ends;
}

int ipc_take_cut(struct nipc *channel)
{
	const struct ipc_message *message = &channel->receiver.message;

	return ipc_fail(channel, EPIPE,
		"the peer has gone in the midst of a message of %llu bytes, of which %llu came",
		(unsigned long long)message->total, (unsigned long long)message->arrived);
}

int ipc_take_no_room(struct nipc *channel)
{
	return ipc_fail(channel, ENOBUFS,
		"nothing more can come while %llu bytes in %llu pieces are borrowed: release some",
		(unsigned long long)channel->receiver.out_nbytes,
		(unsigned long long)(channel->receiver.taken - channel->receiver.released));
}

/* The rest of the message may not come before something is released. */
static bool is_room_scarce(const struct nipc *channel)
{
	const struct ipc_receiver *receiver = &channel->receiver;
	const struct ipc_message *message = &receiver->message;
	const uint64_t rest = message->total - message->arrived;
	const uint64_t lines = receiver->taken - receiver->released;
	/* Between messages the sender leaves up to a line free. */
	const uint64_t out = receiver->out_nbytes + lines * IPC_LINE_BYTES;

	return rest && receiver->released != message->first &&
	       (lines == channel->theirs.slots || out + rest > channel->theirs.capacity);
}

int ipc_take_check_room(struct nipc *channel)
{
	if (!is_room_scarce(channel))
		return 0;
	/* It may be there already. */
	ipc_take(channel, channel->receiver.message.total);
	return is_room_scarce(channel) ? ipc_take_no_room(channel) : 0;
}

int64_t ipc_take_wait(struct nipc *channel, uint64_t wanted)
{
	const struct ipc_receiver *receiver = &channel->receiver;
	const struct ipc_message *message = &receiver->message;
	int result;

	ipc_take(channel, wanted);
	if (!has_come(channel, wanted)) {
		if (receiver->taken - receiver->released == channel->theirs.slots)
			return ipc_take_no_room(channel);
		result = ipc_half_wait(channel, &channel->receiver.half, channel->timeout_ns,
			has_come_or_ends, &wanted);
		if (result)
			return result;
	}
	if (ipc_is_broken(channel))
		return -EPROTO;
	if (has_come(channel, wanted))
		return (int64_t)message->total;
	return message->is_begun ? ipc_take_cut(channel) : 0;
}
