/* op.c - sends and receives that go on while their caller does something else. */
#include "host/nipc/nipc_int.h"

static int64_t total_of(const struct iovec *parts, size_t count)
{
	uint64_t total = 0;

	if (count > NIPC_PARTS_MAX)
		return -EINVAL;
	for (size_t i = 0; i < count; i++)
		if (__builtin_add_overflow(total, parts[i].iov_len, &total))
			return -EINVAL;
	return total > INT64_MAX ? -EINVAL : (int64_t)total;
}

int64_t ipc_parts_check(
	struct nipc *channel, const struct iovec *parts, size_t count, const struct nipc_how *how)
{
	int64_t total = total_of(parts, count);

	if (total < 0)
		return ipc_fail(
			channel, EINVAL, "more than %d parts, or 2^63 bytes", NIPC_PARTS_MAX);
	if (!ipc_how_is_known(how))
		return ipc_fail(channel, EINVAL, "unknown engine, mode or place in nipc_how");
	return total;
}

void ipc_op_init(
	struct nipc_op *op, const struct iovec *parts, size_t count, const struct nipc_how *how)
{
	*op = (struct nipc_op){.done = op->done, .context = op->context};
	op->parts = parts;
	op->count = count;
	op->how = *how;
}

void ipc_op_append(struct ipc_queue *queue, struct nipc_op *op)
{
	struct nipc_op **at = &queue->first;

	while (*at)
		at = &(*at)->next;
	*at = op;
	op->next = NULL;
}

void ipc_op_remove(struct ipc_queue *queue, struct nipc_op *op)
{
	struct nipc_op **at = &queue->first;

	while (*at && *at != op)
		at = &(*at)->next;
	if (*at)
		*at = op->next;
}

/* The last that is done with the object: the callback may give it back, or begin it again. */
void ipc_op_done(struct ipc_queue *queue, int64_t result)
{
	struct nipc_op *op = queue->first;
	void (*done)(struct nipc_op *) = op->done;

	queue->first = op->next;
	op->result = result;
	__atomic_store_n(&op->is_done, 1, __ATOMIC_RELEASE);
	if (done)
		done(op);
}

/* ---- calls ----------------------------------------------------------------------------------- */

int nipc_progress(struct nipc *channel, unsigned halves)
{
	int result = ipc_check(channel), count = 0;

	if (result)
		return result;
	if (halves & NIPC_SENDING) {
		ipc_half_check_peer(channel, &channel->sender.half);
		count += ipc_send_progress(channel);
		ipc_half_follow(channel, &channel->sender.half, ipc_send_ready);
	}
	if (halves & NIPC_RECEIVING) {
		ipc_half_check_peer(channel, &channel->receiver.half);
		count += ipc_recv_progress(channel);
		ipc_half_follow(channel, &channel->receiver.half, ipc_take_ready);
	}
	return count;
}

static bool is_queued(const struct ipc_queue *queue, const struct nipc_op *op)
{
	const struct nipc_op *at = queue->first;

	while (at && at != op)
		at = at->next;
	return at != NULL;
}

static bool is_sent(struct nipc *channel, void *op)
{
	ipc_send_progress(channel);
	return nipc_op_is_done(op);
}

static bool is_received(struct nipc *channel, void *op)
{
	ipc_recv_progress(channel);
	return nipc_op_is_done(op);
}

int64_t nipc_op_wait(struct nipc *channel, struct nipc_op *op, int64_t timeout_ns)
{
	int result = ipc_check(channel);

	if (result)
		return result;
	if (nipc_op_is_done(op))
		return ipc_note(channel, op->result);
	if (is_queued(&channel->sender.ops, op)) {
		result = ipc_half_wait(channel, &channel->sender.half, timeout_ns, is_sent, op);
		ipc_half_follow(channel, &channel->sender.half, ipc_send_ready);
	} else if (is_queued(&channel->receiver.ops, op)) {
		result = ipc_half_wait(
			channel, &channel->receiver.half, timeout_ns, is_received, op);
		ipc_half_follow(channel, &channel->receiver.half, ipc_take_ready);
	} else {
		return ipc_fail(channel, EINVAL, "this op was not begun at this channel");
	}
	return ipc_note(channel, nipc_op_is_done(op) ? op->result : result);
}

static int cancel_in(struct nipc *channel, struct ipc_queue *queue, struct nipc_op *op)
{
	if (op->begun)
		return ipc_fail(channel, EBUSY, "the op has begun to move: wait for it");
	ipc_op_remove(queue, op);
	return 0;
}

int nipc_op_cancel(struct nipc *channel, struct nipc_op *op)
{
	int result = ipc_check(channel);

	if (result)
		return result;
	if (is_queued(&channel->sender.ops, op))
		return cancel_in(channel, &channel->sender.ops, op);
	if (is_queued(&channel->receiver.ops, op))
		return cancel_in(channel, &channel->receiver.ops, op);
	return ipc_fail(channel, EINVAL, "this op is not under way at this channel");
}
