/* borrow.c - messages that are read where they lie. */
#include <string.h>

#include "host/nipc/nipc_int.h"

/* What was handed out of this message before, or of others, stands in the way of the rest. */
static int64_t check_room(struct nipc *channel)
{
	const struct ipc_receiver *receiver = &channel->receiver;
	const struct ipc_message *message = &receiver->message;
	const uint64_t rest = message->total - message->arrived;
	const uint64_t lines = receiver->taken - receiver->released;
	const bool all_lines = lines == channel->theirs.slots;
	const bool alone = receiver->released == message->first;

	if (message->total > channel->theirs.capacity || (all_lines && alone && rest))
		return ipc_fail(channel, EMSGSIZE,
			"the message has %llu bytes, the peer's region %zu: borrow it in parts",
			(unsigned long long)message->total, channel->theirs.capacity);
	return ipc_take_check_room(channel);
}

static int64_t hand_small(struct nipc *channel, struct nipc_view *view)
{
	const struct ipc_message *message = &channel->receiver.message;

	memcpy(view->small, message->small, message->total);
	view->bytes = view->small;
	view->nbytes = view->total = message->total;
	view->offset = 0;
	view->first = view->count = 0;
	ipc_take_end(channel);
	return (int64_t)view->nbytes;
}

static int64_t hand(struct nipc *channel, struct nipc_view *view)
{
	struct ipc_receiver *receiver = &channel->receiver;
	struct ipc_message *message = &receiver->message;

	if (message->is_small)
		return hand_small(channel, view);
	view->bytes = ipc_take_bytes(channel, message->handed);
	view->nbytes = message->arrived - message->handed;
	view->offset = message->handed;
	view->total = message->total;
	view->first = message->first;
	view->count = receiver->taken - message->first;
	message->first = receiver->taken;
	message->handed = message->arrived;
	if (message->handed == message->total)
		ipc_take_end(channel);
	return (int64_t)view->nbytes;
}

static int64_t borrow_whole(struct nipc *channel, struct nipc_view *view)
{
	const struct ipc_message *message = &channel->receiver.message;
	int64_t result = ipc_take_wait(channel, message->handed + 1);

	if (result <= 0)
		return result;
	if (!message->is_small && (result = check_room(channel)) != 0)
		return result;
	result = ipc_take_wait(channel, message->total);
	return result > 0 ? hand(channel, view) : result;
}

/* All of the peer's region is out, and the message goes on: only a release brings more of it. */
static bool has_all_of_the_region(const struct nipc *channel)
{
	const struct ipc_receiver *receiver = &channel->receiver;
	const struct ipc_message *message = &receiver->message;

	return message->handed == message->arrived && message->arrived < message->total &&
	       receiver->out_nbytes >= channel->theirs.capacity;
}

static int64_t borrow_part(struct nipc *channel, struct nipc_view *view)
{
	const struct ipc_message *message = &channel->receiver.message;
	int64_t result;

	if (has_all_of_the_region(channel))
		return ipc_take_no_room(channel);
	result = ipc_take_wait(channel, message->handed + 1);
	if (result > 0 && message->is_small)
		result = ipc_take_wait(channel, message->total);
	if (result <= 0)
		return result;
	ipc_take(channel, message->total);
	return ipc_is_broken(channel) ? -EPROTO : hand(channel, view);
}

static int64_t borrow(struct nipc *channel, struct nipc_view *view,
	int64_t (*how)(struct nipc *, struct nipc_view *))
{
	int64_t result = ipc_check(channel);

	if (view) {
		view->bytes = NULL;
		view->nbytes = 0;
	}
	if (result)
		return result;
	if (!view)
		return ipc_fail(channel, EINVAL, "there is no place for the view");
	if (channel->receiver.ops.first || channel->receiver.cut_nbytes)
		return ipc_fail(channel, EBUSY, "receives are under way: wait for them");
	result = how(channel, view);
	ipc_half_follow(channel, &channel->receiver.half, ipc_take_ready);
	return ipc_note(channel, result);
}

int64_t nipc_borrow(struct nipc *channel, struct nipc_view *view)
{
	return borrow(channel, view, borrow_whole);
}

int64_t nipc_borrow_part(struct nipc *channel, struct nipc_view *view)
{
	return borrow(channel, view, borrow_part);
}

static bool is_out(const struct nipc *channel, const struct nipc_view *view)
{
	const struct ipc_receiver *receiver = &channel->receiver;

	if (!view || !view->bytes)
		return false;
	if (view->bytes == view->small)
		return true;
	if (!view->count || view->first < receiver->released ||
		view->first + view->count > receiver->taken)
		return false;
	for (uint64_t slot = view->first; slot < view->first + view->count; slot++)
		if (!receiver->is_out[slot & (channel->theirs.slots - 1)])
			return false;
	return true;
}

int nipc_release(struct nipc *channel, struct nipc_view *view)
{
	int result = ipc_check(channel);

	if (result)
		return result;
	if (!is_out(channel, view))
		return ipc_fail(channel, EINVAL, "this view is not out");
	if (view->count)
		ipc_give_back(channel, view->first, view->count);
	view->bytes = NULL;
	return 0;
}
