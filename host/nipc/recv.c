/* recv.c - messages that are copied out of the peer's region. */
#include <string.h>

#include "host/nipc/nipc_int.h"

/* ---- ops ------------------------------------------------------------------------------------- */

static int too_long(struct nipc *channel, uint64_t room)
{
	return ipc_fail(channel, EMSGSIZE,
		"the next message has %llu bytes, there is room for %llu: nipc_next() says it "
		"beforehand",
		(unsigned long long)channel->receiver.message.total, (unsigned long long)room);
}

static int64_t why_over(struct nipc *channel)
{
	if (ipc_is_broken(channel))
		return -EPROTO;
	return channel->receiver.message.is_begun ? ipc_take_cut(channel) : 0;
}

/* What the first op gets when no more can come. */
static bool end_first(struct nipc *channel, bool ended)
{
	struct ipc_receiver *receiver = &channel->receiver;
	const struct ipc_message *message = &receiver->message;
	struct nipc_op *op = receiver->ops.first;

	if (ipc_is_broken(channel) ||
		(ended && message->arrived == message->handed &&
			(!message->is_begun || message->arrived < message->total))) {
		ipc_copy_wait(&receiver->half);
		receiver->half.flights.ended = receiver->half.flights.begun;
		ipc_op_done(&receiver->ops, why_over(channel));
		return true;
	}
	if (message->is_begun && !op->begun && message->total > op->total) {
		ipc_op_done(&receiver->ops, too_long(channel, op->total));
		return true;
	}
	return false;
}

/* A small message is done at once, when all of it has come. */
static bool take_small(struct nipc *channel, struct nipc_op *op)
{
	struct ipc_receiver *receiver = &channel->receiver;
	const struct ipc_message *message = &receiver->message;
	struct ipc_flight unused;
	const uint64_t total = message->total;

	if (message->arrived < total)
		return false;
	ipc_copy_begin(&receiver->half, &unused, op, (unsigned char *)(uintptr_t)message->small,
		total, false, total);
	ipc_take_end(channel);
	ipc_op_done(&receiver->ops, (int64_t)total);
	return true;
}

/* One line's piece at a time: the sender has its room back as soon as can be. */
static bool begin_piece(struct nipc *channel, struct nipc_op *op)
{
	struct ipc_receiver *receiver = &channel->receiver;
	struct ipc_message *message = &receiver->message;
	struct ipc_flights *flights = &receiver->half.flights;
	struct ipc_flight *flight = &flights->flight[flights->begun % IPC_FLIGHTS];

	if (message->arrived == message->handed || flights->begun - flights->ended == IPC_FLIGHTS)
		return false;
	flight->first = message->first;
	flight->count = receiver->taken - message->first;
	message->first = receiver->taken;
	ipc_copy_begin(&receiver->half, flight, op,
		(unsigned char *)(uintptr_t)ipc_take_bytes(channel, message->handed),
		message->arrived - message->handed, false, message->total);
	flights->begun++;
	op->begun += flight->nbytes;
	message->handed = message->arrived;
	return true;
}

static bool begin_next(struct nipc *channel)
{
	struct ipc_receiver *receiver = &channel->receiver;
	const struct ipc_message *message = &receiver->message;
	struct nipc_op *op = receiver->ops.first;

	ipc_take(channel, message->handed + 1);
	if (ipc_is_broken(channel) || !message->is_begun || message->total > op->total)
		return false;
	return message->is_small ? take_small(channel, op) : begin_piece(channel, op);
}

static bool end_oldest(struct nipc *channel)
{
	struct ipc_receiver *receiver = &channel->receiver;
	struct ipc_flights *flights = &receiver->half.flights;
	const struct ipc_flight *flight = &flights->flight[flights->ended % IPC_FLIGHTS];
	struct nipc_op *op = flight->op;

	if (flights->ended == flights->begun || !ipc_copy_is_done(flight))
		return false;
	flights->ended++;
	ipc_give_back(channel, flight->first, flight->count);
	receiver->copied += flight->nbytes;
	op->finished += flight->nbytes;
	if (op->finished == receiver->message.total) {
		ipc_take_end(channel);
		ipc_op_done(&receiver->ops, (int64_t)op->finished);
	}
	return true;
}

int ipc_recv_progress(struct nipc *channel)
{
	struct ipc_receiver *receiver = &channel->receiver;
	const uint64_t *closed = &ipc_region_control(&channel->theirs)->closed;
	const struct nipc_op *first;
	int count = 0;
	bool moved = true;

	if (receiver->half.flights.begun != receiver->half.flights.ended)
		receiver->half.engine.ops->poll(&receiver->half.engine);
	while (moved && (first = receiver->ops.first) != NULL) {
		bool ended = ipc_is_gone(channel) || nchan_load_acquire(closed) & IPC_SENDS_NO_MORE;

		moved = begin_next(channel);
		moved |= receiver->ops.first == first && end_oldest(channel);
		if (!moved && receiver->ops.first == first)
			moved = end_first(channel, ended);
		count += receiver->ops.first != first;
	}
	return count;
}

/* ---- calls ----------------------------------------------------------------------------------- */

static bool is_done(struct nipc *channel, void *op)
{
	ipc_recv_progress(channel);
	return nipc_op_is_done(op);
}

static int64_t cut_off(struct nipc *channel, struct nipc_op *op, int64_t result)
{
	struct ipc_receiver *receiver = &channel->receiver;

	ipc_copy_wait(&receiver->half);
	while (end_oldest(channel))
		;
	if (nipc_op_is_done(op))
		return op->result;
	ipc_op_remove(&receiver->ops, op);
	receiver->cut_nbytes = op->finished;
	return result;
}

static int64_t recv_op(struct nipc *channel, struct nipc_op *op)
{
	struct ipc_receiver *receiver = &channel->receiver;
	int result;

	op->begun = op->finished = receiver->cut_nbytes;
	ipc_parts_skip(op, receiver->cut_nbytes);
	receiver->cut_nbytes = 0;
	ipc_op_append(&receiver->ops, op);
	result = ipc_half_wait(channel, &receiver->half, channel->timeout_ns, is_done, op);
	return nipc_op_is_done(op) ? op->result : cut_off(channel, op, result);
}

static int64_t check_recv(
	struct nipc *channel, const struct iovec *parts, size_t count, const struct nipc_how *how)
{
	const struct ipc_receiver *receiver = &channel->receiver;
	int64_t room = ipc_parts_check(channel, parts, count, how);

	if (room < 0)
		return room;
	if (receiver->message.handed != receiver->cut_nbytes && !receiver->ops.first)
		return ipc_fail(
			channel, EBUSY, "part of this message is borrowed: borrow the rest of it");
	return room;
}

static void scatter(const struct iovec *parts, const unsigned char *bytes, uint64_t nbytes)
{
	for (; nbytes; parts++) {
		uint64_t now = nchan_min(nbytes, parts->iov_len);

		if (now <= IPC_LINE_BYTES)
			nchan_copy_few(parts->iov_base, bytes, now);
		else
			memcpy(parts->iov_base, bytes, now);
		bytes += now;
		nbytes -= now;
	}
}

/* All of it is there. */
static int64_t take_at_once(struct nipc *channel, const struct iovec *parts)
{
	struct ipc_receiver *receiver = &channel->receiver;
	const struct ipc_message *message = &receiver->message;
	const int64_t total = (int64_t)message->total;

	scatter(parts, ipc_take_bytes(channel, 0), message->total);
	if (!message->is_small) {
		ipc_give_back(channel, message->first, receiver->taken - message->first);
		receiver->copied += message->total;
	}
	ipc_take_end(channel);
	return total;
}

/* A message, or its first line, is there. */
static int64_t take_begun(struct nipc *channel, const struct iovec *parts, size_t count,
	uint64_t room, const struct nipc_how *how)
{
	const struct ipc_message *message = &channel->receiver.message;
	struct nipc_op op = {.parts = parts, .count = count, .total = room};
	int64_t total = (int64_t)message->total;

	if (message->total > room)
		return too_long(channel, room);
	if (message->is_small)
		total = ipc_take_wait(channel, message->total);
	else if (ipc_take_check_room(channel))
		return -ENOBUFS;
	if (total <= 0)
		return total;
	if (message->arrived == message->total && !message->handed && message->total <= IPC_AT_ONCE)
		return take_at_once(channel, parts);
	op.how = *ipc_how(channel, how);
	return recv_op(channel, &op);
}

static int64_t recv_parts(
	struct nipc *channel, const struct iovec *parts, size_t count, const struct nipc_how *how)
{
	int64_t room = check_recv(channel, parts, count, how), result;
	struct nipc_op op;

	if (room < 0)
		return room;
	if (channel->receiver.ops.first) { /* behind them */
		op = (struct nipc_op){.parts = parts, .count = count, .total = (uint64_t)room};
		op.how = *ipc_how(channel, how);
		return recv_op(channel, &op);
	}
	result = ipc_take_wait(channel, 1);
	return result > 0 ? take_begun(channel, parts, count, (uint64_t)room, how) : result;
}

int64_t nipc_recvv(
	struct nipc *channel, const struct iovec *parts, size_t count, const struct nipc_how *how)
{
	int64_t result = ipc_check(channel);

	if (result)
		return result;
	result = recv_parts(channel, parts, count, how);
	ipc_half_follow(channel, &channel->receiver.half, ipc_take_ready);
	return ipc_note(channel, result);
}

int64_t nipc_recv(struct nipc *channel, void *bytes, size_t nbytes)
{
	const struct iovec part = {bytes, nbytes};

	return nipc_recvv(channel, &part, 1, NULL);
}

int64_t nipc_next(struct nipc *channel)
{
	int64_t result = ipc_check(channel);

	if (result)
		return result;
	if (channel->receiver.ops.first)
		return ipc_fail(channel, EBUSY, "receives are under way");
	result = ipc_take_wait(channel, 1);
	ipc_half_follow(channel, &channel->receiver.half, ipc_take_ready);
	return ipc_note(channel, result);
}

int nipc_recv_begin(struct nipc *channel, const struct iovec *parts, size_t count,
	const struct nipc_how *how, struct nipc_op *op)
{
	int64_t room = ipc_check(channel);

	if (!room)
		room = check_recv(channel, parts, count, how);
	if (room < 0)
		return (int)room;
	if (channel->receiver.cut_nbytes)
		return ipc_fail(channel, EBUSY, "a message was cut off: receive it again first");
	ipc_op_init(op, parts, count, ipc_how(channel, how));
	op->total = (uint64_t)room;
	ipc_op_append(&channel->receiver.ops, op);
	ipc_recv_progress(channel);
	ipc_half_follow(channel, &channel->receiver.half, ipc_take_ready);
	return 0;
}
