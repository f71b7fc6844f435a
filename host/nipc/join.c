/*
 * join.c - how an end is made: who connects says hello first, with its region; who accepts checks
 * who that is, and answers with its own. Each maps what the other one showed.
 */
#include <linux/membarrier.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "host/nipc/nipc_int.h"

enum {
	OVERFLOW_UID = 65534, /* of every user who has no number in this namespace */
};

/* ---- hello ----------------------------------------------------------------------------------- */

static void prepare_fences(struct nipc *channel)
{
	const int wanted =
		MEMBARRIER_CMD_GLOBAL_EXPEDITED | MEMBARRIER_CMD_REGISTER_GLOBAL_EXPEDITED;

	channel->can_fence_all =
		(syscall(SYS_membarrier, MEMBARRIER_CMD_QUERY, 0, 0) & wanted) == wanted &&
		!syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_GLOBAL_EXPEDITED, 0, 0);
	channel->fences = !channel->can_fence_all;
}

static int no_descriptor(struct nipc *channel, int number)
{
	const char *limit = nhost_descriptor_limit(number);

	if (limit)
		return ipc_fail(channel, number, "no descriptor for a channel: %s (raise %s)",
			strerror(number), limit);
	return ipc_fail(channel, ENOMEM, "no memory for a descriptor: %s%s", strerror(number),
		number == ENOSPC ? " (raise fs.epoll.max_user_watches)" : "");
}

/* Where this thread alone may run, + 1; 0: there are several such processors. */
static uint32_t only_processor(void)
{
	cpu_set_t set;
	uint32_t processor = 0;

	if (sched_getaffinity(0, sizeof set, &set) || CPU_COUNT(&set) != 1)
		return 0;
	while (!CPU_ISSET(processor, &set))
		processor++;
	return processor + 1;
}

/* To look for what the peer does pays where it runs meanwhile: on another processor. */
static void find_processors(struct nipc *channel, uint32_t of_peer)
{
	const unsigned own = nhost_processors();
	const bool takes_turns = of_peer && of_peer == only_processor();
	const unsigned processors = takes_turns ? 1 : own > 1 ? own : 2;

	channel->sender.half.spin.processors = processors;
	channel->receiver.half.spin.processors = processors;
}

static int make_wake_pair(struct nipc *channel, int *for_peer)
{
	int pair[2];

	if (socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, pair))
		return no_descriptor(channel, errno);
	channel->wake_room = pair[0];
	*for_peer = pair[1];
	return 0;
}

/*
 * A queue of DSA that is dedicated has one user: where the sending half has it, the receiving half
 * takes what there is.
 */
static int open_engine(struct nipc *channel, struct ipc_half *half)
{
	const struct nhost_engine_options options = {
		.bell = &half->bell, .queue = channel->attr.queue};
	const char *name = channel->attr.engine ? channel->attr.engine : "auto";
	int result = nhost_engine_open(name, &options, &half->engine, &channel->detail);

	if (result && half == &channel->receiver.half && !strcmp(name, "dsa"))
		result = nhost_engine_open("auto", &options, &half->engine, &channel->detail);
	/* No thread for a helper. That name is another one's: the peer has not come. */
	return result == -EAGAIN ? -ENOMEM : result;
}

static int open_half(struct nipc *channel, struct ipc_half *half)
{
	int result = ipc_half_open(half);

	return result ? no_descriptor(channel, -result) : open_engine(channel, half);
}

static int open_halves(struct nipc *channel)
{
	int result = open_half(channel, &channel->sender.half);

	return result ? result : open_half(channel, &channel->receiver.half);
}

/*
 * Makes this end, then tells the peer of it: an engine that cannot be had is no surprise when both
 * have met.
 */
static int greet(struct nipc *channel)
{
	const struct ipc_region_wish wish = {channel->attr.capacity,
		!(channel->attr.flags & NIPC_NO_HUGEPAGES), channel->attr.flags & NIPC_LOCKED};
	struct ipc_hello hello = {.magic = IPC_MAGIC, .version = IPC_VERSION};
	int fds[IPC_HELLO_FDS], result = open_halves(channel);

	if (result)
		return result;
	fds[0] = ipc_region_create(&channel->own, &wish, &channel->detail);
	if (fds[0] < 0)
		return fds[0];
	result = make_wake_pair(channel, &fds[1]);
	if (!result) {
		hello.slots = channel->own.slots;
		hello.header_nbytes = channel->own.header_nbytes;
		hello.capacity = channel->own.capacity;
		hello.fence_yourself = !channel->can_fence_all;
		hello.processor = only_processor();
		result = ipc_socket_greet(channel->socket, &hello, fds, &channel->detail);
		close(fds[1]);
	}
	close(fds[0]);
	return result;
}

/* Its reason stays: the peer is told the number alone. */
static void refuse(struct nipc *channel, int result)
{
	const struct ipc_hello hello = {
		.magic = IPC_MAGIC, .version = IPC_VERSION, .refusal = result};
	struct nhost_error unused;

	ipc_socket_greet(channel->socket, &hello, NULL, &unused);
}

/* What the system says of who sent the hello; of a socket that was handed on before, its maker. */
static void find_peer(struct nipc *channel, const struct ipc_greeting *greeting)
{
	channel->peer = greeting->from.pid ? greeting->from : ipc_socket_maker(channel->socket);
	if (greeting->from.pid > 0)
		channel->pidfd = (int)syscall(SYS_pidfd_open, greeting->from.pid, 0);
}

/*
 * In a user namespace every user who is not mapped there has the same number, which says nothing.
 */
static bool is_number_of_many(uid_t uid)
{
	FILE *map = fopen("/proc/self/uid_map", "re");
	unsigned inside = 0, outside = 0, count = 0;
	bool is_whole;

	is_whole = map && fscanf(map, "%u %u %u", &inside, &outside, &count) == 3 &&
		   count == UINT32_MAX;
	if (map)
		fclose(map);
	return uid == OVERFLOW_UID && !is_whole;
}

static int check_peer(struct nipc *channel)
{
	if (channel->attr.flags & NIPC_ANY_USER)
		return 0;
	if (is_number_of_many(channel->peer.uid))
		return ipc_fail(channel, EPERM,
			"the user of process %d at the other side is not mapped into this user "
			"namespace: map it (uid_map), or open the channel with NIPC_ANY_USER",
			(int)channel->peer.pid);
	if (channel->peer.uid == geteuid())
		return 0;
	return ipc_fail(channel, EPERM,
		"process %d at the other side is of user %u, this one of user %u: open the channel "
		"with NIPC_ANY_USER if that is meant",
		(int)channel->peer.pid, channel->peer.uid, geteuid());
}

static int hear_refusal(struct nipc *channel, int refusal)
{
	if (refusal == -EPERM)
		return ipc_fail(channel, EPERM,
			"process %d at the other side takes no channel from user %u",
			(int)channel->peer.pid, geteuid());
	return ipc_fail(channel, ECONNREFUSED,
		"process %d at the other side could not make its end: %s", (int)channel->peer.pid,
		strerror(refusal < 0 && refusal > -4096 ? -refusal : EPROTO));
}

/* ---- opening --------------------------------------------------------------------------------- */

static int join_halves(struct nipc *channel, int wake_peer_room)
{
	struct ipc_control *own = ipc_region_control(&channel->own);
	const struct ipc_control *theirs = ipc_region_control(&channel->theirs);
	struct ipc_half *sends = &channel->sender.half, *receives = &channel->receiver.half;
	int result;

	receives->wake_to = wake_peer_room;
	receives->wake_from = channel->socket;
	receives->sleeps = &own->receiver_sleeps;
	receives->peer_sleeps = &theirs->sender_sleeps;
	sends->wake_to = channel->socket;
	sends->wake_from = channel->wake_room;
	sends->sleeps = &own->sender_sleeps;
	sends->peer_sleeps = &theirs->receiver_sleeps;
	result = ipc_half_watch_peer(channel, sends);
	if (!result)
		result = ipc_half_watch_peer(channel, receives);
	return result ? no_descriptor(channel, -result) : 0;
}

static int make_tables(struct nipc *channel)
{
	struct ipc_receiver *receiver = &channel->receiver;

	channel->sender.ends = calloc(channel->own.slots, sizeof *channel->sender.ends);
	receiver->nbytes = calloc(channel->theirs.slots, sizeof *receiver->nbytes);
	receiver->is_out = calloc(channel->theirs.slots, sizeof *receiver->is_out);
	if (channel->sender.ends && receiver->nbytes && receiver->is_out)
		return 0;
	return ipc_fail(channel, ENOMEM, "no memory for the tables of a channel");
}

/* Takes over what the greeting carries. */
static int open_with(struct nipc *channel, struct ipc_greeting *greeting)
{
	int result = ipc_region_map_peer(
		&channel->theirs, greeting->fds[0], &greeting->hello, &channel->detail);

	if (!result)
		result = make_tables(channel);
	if (!result) {
		channel->fences |= greeting->hello.fence_yourself != 0;
		find_processors(channel, greeting->hello.processor);
		result = join_halves(channel, greeting->fds[1]);
		greeting->fds[1] = -1;
	}
	channel->is_open = !result;
	return result;
}

static int begin(struct nipc *channel, int socket)
{
	int result;

	channel->socket = socket;
	result = ipc_attr_check(&channel->attr, &channel->detail);
	if (!result)
		result = ipc_guard_create(&channel->guard, &channel->detail);
	prepare_fences(channel);
	return result;
}

int ipc_channel_answer(struct nipc *channel, int socket, struct ipc_greeting *greeting)
{
	int result = begin(channel, socket);

	if (!result) {
		find_peer(channel, greeting);
		result = check_peer(channel);
	}
	if (!result && greeting->hello.refusal)
		result = hear_refusal(channel, greeting->hello.refusal);
	if (!result)
		result = greet(channel);
	if (!result)
		result = open_with(channel, greeting);
	else
		refuse(channel, result);
	ipc_greeting_close(greeting);
	return result;
}

static int wait_for_greeting(
	struct nipc *channel, struct ipc_greeting *greeting, int64_t deadline_ns)
{
	int result;

	for (;;) {
		struct pollfd wanted = {.fd = channel->socket, .events = POLLIN};
		int64_t left_ns = deadline_ns < 0 ? 0 : deadline_ns - nhost_clock_ns();
		const struct timespec left = {left_ns / 1000000000, left_ns % 1000000000};

		result = ipc_socket_hear(channel->socket, greeting, &channel->detail);
		if (result != -EAGAIN)
			return result;
		if (left_ns < 0)
			return ipc_fail(channel, deadline_ns == IPC_LOOK_ONCE ? EAGAIN : ETIMEDOUT,
				"the other side has not accepted in the time given");
		ppoll(&wanted, 1, deadline_ns < 0 ? NULL : &left, NULL);
	}
}

static int join(struct nipc *channel, int64_t deadline_ns)
{
	struct ipc_greeting greeting;
	int result = ipc_socket_prepare(channel->socket, &channel->detail);

	if (!result)
		result = greet(channel);
	if (!result)
		result = wait_for_greeting(channel, &greeting, deadline_ns);
	if (result)
		return result;
	find_peer(channel, &greeting);
	result = check_peer(channel);
	if (!result && greeting.hello.refusal)
		result = hear_refusal(channel, greeting.hello.refusal);
	if (!result)
		result = open_with(channel, &greeting);
	ipc_greeting_close(&greeting);
	return result;
}

int ipc_channel_join(struct nipc *channel, int socket, int64_t deadline_ns)
{
	int result = begin(channel, socket);

	return result ? result : join(channel, deadline_ns);
}
