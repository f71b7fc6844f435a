/* reserve.c - messages that are made where they are sent from. */
#include "host/nipc/nipc_int.h"

static bool has_room(struct nipc *channel, void *nbytes)
{
	if (ipc_send_over(channel))
		return true;
	if (channel->sender.ops.first)
		ipc_send_progress(channel);
	if (channel->sender.ops.first)
		return false;
	ipc_send_begin_position(channel, *(uint64_t *)nbytes);
	return ipc_send_has_room(channel, *(uint64_t *)nbytes);
}

static int64_t reserve(struct nipc *channel, uint64_t nbytes, void **bytes)
{
	struct ipc_sender *sender = &channel->sender;
	int64_t result;

	if (!nbytes)
		return ipc_fail(channel, EINVAL, "a message has at least one byte");
	if (sender->reserved.is_out || sender->cut.is_begun)
		return ipc_fail(channel, EBUSY, "%s",
			sender->reserved.is_out ? "a reservation is out: commit it first"
						: "a message was cut off: send it again first");
	if (nbytes > channel->own.capacity)
		return ipc_fail(channel, EMSGSIZE,
			"the region has %zu bytes: open the channel with a larger capacity, or send "
			"by nipc_send()",
			channel->own.capacity);
	ipc_half_check_peer(channel, &sender->half);
	result = ipc_half_wait(channel, &sender->half, channel->timeout_ns, has_room, &nbytes);
	if (!result)
		result = ipc_send_check_over(channel);
	if (result)
		return result;
	sender->reserved.is_out = true;
	sender->reserved.position = sender->head;
	sender->reserved.nbytes = nbytes;
	sender->reserved.sent = 0;
	sender->head += nbytes;
	*bytes = ipc_region_data(&channel->own) + sender->reserved.position % channel->own.capacity;
	return 0;
}

int nipc_reserve(struct nipc *channel, size_t nbytes, void **bytes)
{
	int64_t result = ipc_check(channel);

	if (bytes)
		*bytes = NULL;
	if (result)
		return (int)result;
	if (!bytes)
		return ipc_fail(channel, EINVAL, "there is no place for where the bytes lie");
	result = reserve(channel, nbytes, bytes);
	ipc_half_follow(channel, &channel->sender.half, ipc_send_ready);
	return (int)ipc_note(channel, result);
}

static bool has_slot(struct nipc *channel, void *unused)
{
	(void)unused;
	return ipc_send_over(channel) || ipc_send_has_room(channel, 0);
}

/* What was committed and not told yet. Only in the midst of a message may there be no slot. */
static int64_t send_up_to(struct nipc *channel, uint64_t nbytes, uint64_t total)
{
	struct ipc_sender *sender = &channel->sender;
	int64_t result = ipc_half_wait(channel, &sender->half, channel->timeout_ns, has_slot, NULL);

	if (!result)
		result = ipc_send_check_over(channel);
	if (result)
		return result;
	ipc_send_piece(channel, sender->reserved.position + sender->reserved.sent,
		nbytes - sender->reserved.sent, total);
	sender->reserved.sent = nbytes;
	return 0;
}

static int64_t commit(struct nipc *channel, uint64_t nbytes)
{
	struct ipc_sender *sender = &channel->sender;
	int64_t result = 0;

	if (!sender->reserved.is_out)
		return ipc_fail(channel, EINVAL, "nothing is reserved");
	if (nbytes > sender->reserved.nbytes)
		return ipc_fail(channel, EINVAL, "only %llu bytes were reserved",
			(unsigned long long)sender->reserved.nbytes);
	if (sender->reserved.sent && nbytes != sender->reserved.nbytes)
		return ipc_fail(channel, EINVAL,
			"parts of the message were sent: it has %llu bytes",
			(unsigned long long)sender->reserved.nbytes);
	if (nbytes)
		result = send_up_to(channel, nbytes, nbytes);
	if (result == -EAGAIN || result == -ETIMEDOUT)
		return result;
	sender->reserved.is_out = false;
	if (!result && nbytes) {
		sender->messages++;
		sender->bytes += nbytes;
	}
	sender->head = sender->reserved.position + nbytes;
	return result;
}

int nipc_commit(struct nipc *channel, size_t nbytes)
{
	int64_t result = ipc_check(channel);

	if (result)
		return (int)result;
	result = commit(channel, nbytes);
	ipc_half_follow(channel, &channel->sender.half, ipc_send_ready);
	return (int)ipc_note(channel, result);
}

static int64_t commit_part(struct nipc *channel, uint64_t nbytes)
{
	struct ipc_sender *sender = &channel->sender;

	if (!sender->reserved.is_out || nbytes > sender->reserved.nbytes)
		return ipc_fail(channel, EINVAL, "more than what is reserved");
	/* The last byte is for nipc_commit(). */
	if (nbytes == sender->reserved.nbytes ||
		nbytes < sender->reserved.sent + ipc_chunk_min(&channel->own))
		return 0;
	return send_up_to(channel, nbytes, sender->reserved.nbytes);
}

int nipc_commit_part(struct nipc *channel, size_t nbytes)
{
	int64_t result = ipc_check(channel);

	return result ? (int)result : (int)ipc_note(channel, commit_part(channel, nbytes));
}
