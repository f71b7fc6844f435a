/* channel.c - an end of a channel, from the first hello to the close. */
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "host/cancel.h"
#include "host/fork.h"
#include "host/nipc/nipc_int.h"

/* ---- failures -------------------------------------------------------------------------------- */

static void lock_detail(struct nipc *channel)
{
	while (__atomic_test_and_set(&channel->detail_lock, __ATOMIC_ACQUIRE))
		sched_yield();
}

static void unlock_detail(struct nipc *channel)
{
	__atomic_clear(&channel->detail_lock, __ATOMIC_RELEASE);
}

int ipc_fail(struct nipc *channel, int number, const char *format, ...)
{
	va_list args;

	lock_detail(channel);
	va_start(args, format);
	vsnprintf(channel->detail.text, sizeof channel->detail.text, format, args);
	va_end(args);
	unlock_detail(channel);
	return -number;
}

static void note_broken(struct nipc *channel)
{
	ipc_fail(channel, EPROTO, "the peer (process %d) broke the protocol: %s; close the channel",
		(int)channel->peer.pid, __atomic_load_n(&channel->broken, __ATOMIC_RELAXED));
}

int64_t ipc_note_failure(struct nipc *channel, int64_t result)
{
	if (result == -EPROTO)
		note_broken(channel);
	if (result == -EAGAIN)
		ipc_fail(channel, EAGAIN,
			"it could not be done at once, and the call had no time to wait");
	if (result == -ETIMEDOUT)
		ipc_fail(channel, ETIMEDOUT,
			"the time has passed, and what the call waited for has not happened");
	return result;
}

void ipc_break(struct nipc *channel, const char *how)
{
	const char *whole = NULL;

	if (__atomic_compare_exchange_n(
		    &channel->broken, &whole, how, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		note_broken(channel);
}

const char *nipc_detail(struct nipc *channel, char *buffer, size_t nbytes)
{
	if (!nbytes)
		return buffer;
	if (!channel) {
		snprintf(buffer, nbytes, "no memory for a channel");
	} else if (channel->guard && !nchan_load(channel->guard)) {
		snprintf(buffer, nbytes,
			"the channel was opened before a fork(): the child must open its own");
	} else {
		lock_detail(channel);
		snprintf(buffer, nbytes, "%s", channel->detail.text);
		unlock_detail(channel);
	}
	return buffer;
}

/* ---- attributes ------------------------------------------------------------------------------ */

bool ipc_how_is_known(const struct nipc_how *how)
{
	return !how || (how->engine <= NIPC_ENGINE_DSA && how->mode <= NIPC_PIPELINED &&
			       how->near <= NIPC_IN_MEMORY);
}

int ipc_attr_check(const struct nipc_attr *attr, struct nhost_error *error)
{
	const unsigned known = NIPC_LOCKED | NIPC_NO_HUGEPAGES | NIPC_ANY_USER;

	if (attr->capacity < NIPC_CAPACITY_MIN || attr->capacity > NIPC_CAPACITY_MAX)
		return nhost_fail(error, EINVAL, "a capacity of %zu bytes: it is %d to %zu",
			attr->capacity, NIPC_CAPACITY_MIN, NIPC_CAPACITY_MAX);
	if (attr->flags & ~known || !ipc_how_is_known(&attr->how))
		return nhost_fail(error, EINVAL, "unknown flags, engine, mode or place");
	return nhost_engine_check(attr->engine, error);
}

int ipc_guard_create(const uint64_t **guard, struct nhost_error *error)
{
	*guard = nhost_fork_guard_create();
	if (*guard)
		return 0;
	return nhost_fail(error, errno == ENOMEM ? ENOMEM : ENOSYS,
		"no page that fork() wipes (Linux 4.14 or newer): %s", strerror(errno));
}

struct nipc *ipc_channel_new(const struct nipc_attr *attr)
{
	static const struct nipc_attr usual = NIPC_ATTR_INIT;
	struct nipc *channel = calloc(1, sizeof *channel);

	if (!channel)
		return NULL;
	channel->attr = attr ? *attr : usual;
	channel->timeout_ns = -1;
	channel->socket = channel->pidfd = channel->wake_room = -1;
	channel->sender.half.bell.event = channel->receiver.half.bell.event = -1;
	channel->sender.half.epoll = channel->receiver.half.epoll = -1;
	channel->receiver.half.wake_to = -1;
	return channel;
}

/* ---- closing --------------------------------------------------------------------------------- */

static void say_closed(struct nipc *channel, uint64_t bits)
{
	uint64_t *closed = &ipc_region_control(&channel->own)->closed;

	nchan_store_release(closed, nchan_load(closed) | bits);
	if (bits & IPC_SENDS_NO_MORE)
		ipc_half_wake_peer(channel, &channel->sender.half);
	if (bits & IPC_RECEIVES_NO_MORE)
		ipc_half_wake_peer(channel, &channel->receiver.half);
}

static void cancel_ops(struct ipc_half *half, struct ipc_queue *queue)
{
	ipc_copy_wait(half);
	while (queue->first)
		ipc_op_done(queue, -ECANCELED);
}

static void close_fd(int fd)
{
	if (fd >= 0)
		close(fd);
}

/* Also of one that was opened in part. */
static void destroy(struct nipc *channel)
{
	ipc_half_close(&channel->sender.half);
	ipc_half_close(&channel->receiver.half);
	close_fd(channel->receiver.half.wake_to);
	close_fd(channel->socket);
	close_fd(channel->wake_room);
	close_fd(channel->pidfd);
	ipc_region_destroy(&channel->own);
	ipc_region_destroy(&channel->theirs);
	free(channel->sender.ends);
	free(channel->receiver.nbytes);
	free(channel->receiver.is_out);
	nhost_fork_guard_destroy(channel->guard);
	free(channel);
}

void nipc_close(struct nipc *channel)
{
	int cancel;

	if (!channel || (channel->guard && !nchan_load(channel->guard)))
		return; /* in a child of fork() the regions are not mapped: leave all */
	cancel = nhost_cancel_hold();
	if (channel->is_open) {
		cancel_ops(&channel->sender.half, &channel->sender.ops);
		cancel_ops(&channel->receiver.half, &channel->receiver.ops);
		say_closed(channel, IPC_SENDS_NO_MORE | IPC_RECEIVES_NO_MORE);
	}
	destroy(channel);
	nhost_cancel_release(cancel);
}

int nipc_shutdown(struct nipc *channel)
{
	struct ipc_sender *sender;
	int result = ipc_check(channel);

	if (result)
		return result;
	sender = &channel->sender;
	if (sender->ops.first || sender->reserved.is_out || sender->cut.is_begun)
		return ipc_fail(channel, EBUSY, "%s: end that first, or close the channel",
			sender->ops.first         ? "sends are under way"
			: sender->reserved.is_out ? "a reservation is out"
						  : "a message was cut off");
	sender->is_shut = true;
	say_closed(channel, IPC_SENDS_NO_MORE);
	return 0;
}

/* ---- calls ----------------------------------------------------------------------------------- */

int nipc_connect(
	const char *name, const struct nipc_attr *attr, int64_t timeout_ns, struct nipc **channel)
{
	const int64_t deadline_ns = timeout_ns ? nhost_deadline_ns(timeout_ns) : IPC_LOOK_ONCE;
	int socket, result, cancel;

	if (!channel)
		return -EINVAL;
	*channel = ipc_channel_new(attr);
	if (!*channel)
		return -ENOMEM;
	cancel = nhost_cancel_hold();
	socket = ipc_socket_connect(name, deadline_ns, &(*channel)->detail);
	result = socket < 0 ? socket : ipc_channel_join(*channel, socket, deadline_ns);
	nhost_cancel_release(cancel);
	return result;
}

int nipc_pair(int sockets[2])
{
	struct nhost_error unused;
	int result;

	if (!sockets)
		return -EINVAL;
	sockets[0] = sockets[1] = -1;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets))
		return -errno;
	result = ipc_socket_prepare(sockets[0], &unused);
	if (!result)
		result = ipc_socket_prepare(sockets[1], &unused);
	if (result) {
		close_fd(sockets[0]);
		close_fd(sockets[1]);
		sockets[0] = sockets[1] = -1;
	}
	return result;
}

int nipc_adopt(int socket, const struct nipc_attr *attr, int64_t timeout_ns, struct nipc **channel)
{
	int result, cancel;

	if (channel)
		*channel = ipc_channel_new(attr);
	if (!channel || !*channel) {
		close_fd(socket);
		return channel ? -ENOMEM : -EINVAL;
	}
	cancel = nhost_cancel_hold();
	result = ipc_channel_join(
		*channel, socket, timeout_ns ? nhost_deadline_ns(timeout_ns) : IPC_LOOK_ONCE);
	nhost_cancel_release(cancel);
	return result;
}

int nipc_set_timeout(struct nipc *channel, int64_t timeout_ns)
{
	int result = ipc_check(channel);

	if (!result)
		channel->timeout_ns = timeout_ns;
	return result;
}

int nipc_fd(struct nipc *channel, enum nipc_half half)
{
	int result = ipc_check(channel);
	bool sends = half == NIPC_SENDING;
	struct ipc_half *wanted;

	if (result)
		return result;
	wanted = sends ? &channel->sender.half : &channel->receiver.half;
	wanted->is_watched = true;
	ipc_half_follow(channel, wanted, sends ? ipc_send_ready : ipc_take_ready);
	return wanted->epoll;
}
