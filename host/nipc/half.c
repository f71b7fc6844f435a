/*
 * half.c - how a thread waits at one half of a channel, and is woken.
 *
 * It looks for a while, then sleeps in the system on one epoll descriptor: the peer wakes it by a
 * byte through a socket, which can never hold up who sends it; the peer's death, and what an engine
 * has finished, end the sleep as well. So nobody polls, and no timeout stands for a lost wake-up.
 *
 *     sleeper                                   peer
 *     word = next odd number                    store a line, or a count
 *     membarrier (all processes with channels)  compiler barrier only
 *     look again                                if word is odd, and not woken yet: a byte
 *     epoll
 *     word = next even number
 *
 * The rule is that of channels/wake.h; only, nobody but the sleeper writes the word, because its
 * peer maps it read-only.
 */
#include <linux/membarrier.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "host/cancel.h"
#include "host/nipc/nipc_int.h"

enum {
	EVENTS = 4,
	BYTES_AT_ONCE = 64, /* wake-ups that are taken in one call */
	COPY_WAIT_NS = 100 * 1000,
	/* Of the time stamp counter: about a millisecond, and half of one. */
	CHECK_TICKS = 3000 * 1000,
	LOOK_TICKS_MAX = 1500 * 1000,
};

enum source {
	WAKE,
	BELL,
	DEATH,
};

/* ---- making ---------------------------------------------------------------------------------- */

static int watch(int epoll, int fd, uint32_t events, enum source source)
{
	struct epoll_event event = {.events = events, .data.u32 = source};

	return fd < 0 || !epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event) ? 0 : -errno;
}

int ipc_half_open(struct ipc_half *half)
{
	half->bell = (struct nhost_bell){.event = nhost_event_create(), .timer = -1};
	if (half->bell.event < 0)
		return half->bell.event;
	half->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (half->epoll < 0)
		return -errno;
	return watch(half->epoll, half->bell.event, EPOLLIN, BELL);
}

/* The connected socket hangs up whoever waits; the receiver is woken through it, too. */
int ipc_half_watch_peer(struct nipc *channel, struct ipc_half *half)
{
	int result = watch(half->epoll, half->wake_from, EPOLLIN | EPOLLRDHUP, WAKE);

	if (!result && half->wake_from != channel->socket)
		result = watch(half->epoll, channel->socket, EPOLLRDHUP, DEATH);
	return result ? result : watch(half->epoll, channel->pidfd, EPOLLIN, DEATH);
}

void ipc_half_close(struct ipc_half *half)
{
	nhost_engine_close(&half->engine);
	if (half->bell.event >= 0)
		nhost_event_close(half->bell.event);
	if (half->epoll >= 0)
		nhost_event_close(half->epoll);
}

/* ---- what ends a sleep ----------------------------------------------------------------------- */

static void set_gone(struct nipc *channel)
{
	__atomic_store_n(&channel->gone, 1, __ATOMIC_RELAXED);
}

/* Bounded, whatever the peer sends. */
static void take_wakes(struct nipc *channel, const struct ipc_half *half)
{
	char bytes[BYTES_AT_ONCE];
	ssize_t nbytes = 1;

	for (unsigned i = 0; i < BYTES_AT_ONCE && nbytes > 0; i++)
		nbytes = recv(half->wake_from, bytes, sizeof bytes, MSG_DONTWAIT);
	if (!nbytes || (nbytes < 0 && errno != EAGAIN && errno != EINTR))
		set_gone(channel);
}

static void take_events(struct nipc *channel, struct ipc_half *half)
{
	struct epoll_event events[EVENTS];
	int count = epoll_wait(half->epoll, events, EVENTS, 0);

	for (int i = 0; i < count; i++) {
		if (events[i].data.u32 == BELL)
			nhost_event_clear(half->bell.event);
		if (events[i].data.u32 == WAKE)
			take_wakes(channel, half);
		if (events[i].data.u32 == DEATH || events[i].events & (EPOLLHUP | EPOLLRDHUP))
			set_gone(channel);
	}
	half->is_set = false;
}

void ipc_half_check_peer(struct nipc *channel, struct ipc_half *half)
{
	uint64_t now = __builtin_ia32_rdtsc();
	int cancel;

	if (now - half->peer_checked < CHECK_TICKS)
		return;
	half->peer_checked = now;
	cancel = nhost_cancel_hold();
	take_events(channel, half);
	nhost_cancel_release(cancel);
}

/* ---- sleeping -------------------------------------------------------------------------------- */

static void announce(const struct nipc *channel, struct ipc_half *half)
{
	nchan_store(half->sleeps, (nchan_load(half->sleeps) + 1) | 1);
	if (channel->can_fence_all)
		syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL_EXPEDITED, 0, 0);
	else
		__atomic_thread_fence(__ATOMIC_SEQ_CST);
}

static void withdraw(struct ipc_half *half)
{
	nchan_store(half->sleeps, (nchan_load(half->sleeps) | 1) + 1);
}

/* Of copies under way. The bell is armed first: what is completed after that rings. */
static int64_t engine_due_ns(const struct ipc_half *half)
{
	return half->flights.begun != half->flights.ended ? half->engine.ops->due_ns(&half->engine)
							  : -1;
}

static void sleep_on(const struct ipc_half *half, int64_t left_ns)
{
	const struct timespec left = {left_ns / 1000000000, left_ns % 1000000000};
	struct pollfd wanted = {.fd = half->epoll, .events = POLLIN};

	ppoll(&wanted, 1, left_ns < 0 ? NULL : &left, NULL);
}

/* False: the time is over. */
static bool sleep_once(struct nipc *channel, struct ipc_half *half, int64_t deadline_ns,
	ipc_ready_fn *ready, void *context)
{
	int64_t left_ns = deadline_ns < 0 ? -1 : deadline_ns - nhost_clock_ns();
	int64_t due_ns;
	int cancel;

	if (deadline_ns >= 0 && left_ns <= 0)
		return false;
	cancel = nhost_cancel_hold();
	nhost_bell_arm(&half->bell);
	announce(channel, half);
	if (!ready(channel, context)) {
		due_ns = engine_due_ns(half);
		half->sleep_count++;
		sleep_on(half, due_ns >= 0 && (left_ns < 0 || due_ns < left_ns) ? due_ns : left_ns);
	}
	withdraw(half);
	take_events(channel, half);
	nhost_cancel_release(cancel);
	return true;
}

static bool is_over(const struct nipc *channel)
{
	return ipc_is_gone(channel) || ipc_is_broken(channel);
}

static bool look_for_a_while(struct nipc *channel, ipc_ready_fn *ready, void *context)
{
	for (unsigned i = 0; i < NHOST_LOOKS; i++) {
		if (ready(channel, context))
			return true;
		nhost_pause();
	}
	return false;
}

/*
 * What an engine copies is waited for as that engine does: it knows how long it takes. Not for
 * long, because the peer may end the wait, too. False: nothing is being copied.
 */
static bool wait_for_copies(struct ipc_half *half)
{
	struct ipc_flights *flights = &half->flights;
	struct ipc_flight *oldest = &flights->flight[flights->ended % IPC_FLIGHTS];

	if (flights->begun == flights->ended || ipc_copy_is_done(oldest))
		return false;
	half->engine.ops->wait(&half->engine, oldest->jobs, oldest->job_count, COPY_WAIT_NS);
	return true;
}

/*
 * Bulk takes its time: if the last wait was not long, the next one may look for twice that time
 * before it sleeps.
 */
void ipc_half_learn(struct nhost_spin *spin)
{
	const uint64_t took = __builtin_ia32_rdtsc() - spin->began;
	const bool has_waited = spin->is_waiting;

	nhost_spin_found(spin);
	if (has_waited && took < LOOK_TICKS_MAX && spin->limit < 2 * took)
		spin->limit = nchan_min(2 * took, LOOK_TICKS_MAX);
}

/* What came before the peer went is seen: that it has gone is looked at first. */
int ipc_half_wait(struct nipc *channel, struct ipc_half *half, int64_t timeout_ns,
	ipc_ready_fn *ready, void *context)
{
	int64_t deadline_ns = -1;
	bool has_deadline = timeout_ns < 0, was_over;

	if (ready(channel, context))
		return 0;
	if (!timeout_ns) {
		ipc_half_check_peer(channel, half);
		was_over = is_over(channel);
		return ready(channel, context) || was_over ? 0 : -EAGAIN;
	}
	for (;;) {
		was_over = is_over(channel);
		if (look_for_a_while(channel, ready, context) || was_over)
			break;
		if (wait_for_copies(half) || nhost_spin(&half->spin))
			continue;
		if (!has_deadline)
			deadline_ns = nhost_deadline_ns(timeout_ns);
		has_deadline = true;
		if (!sleep_once(channel, half, deadline_ns, ready, context))
			return ready(channel, context) ? 0 : -ETIMEDOUT;
	}
	ipc_half_learn(&half->spin);
	return 0;
}

/* ---- waking ---------------------------------------------------------------------------------- */

/* A full socket holds wake-ups enough; a peer that has gone needs none. */
static void send_wake(struct ipc_half *half, uint64_t sleep)
{
	int cancel = nhost_cancel_hold();

	half->woken = sleep;
	half->wake_count++;
	send(half->wake_to, "", 1, MSG_DONTWAIT | MSG_NOSIGNAL);
	nhost_cancel_release(cancel);
}

void ipc_half_wake_peer(struct nipc *channel, struct ipc_half *half)
{
	uint64_t sleep;

	if (nchan_unlikely(channel->fences))
		__atomic_thread_fence(__ATOMIC_SEQ_CST);
	else
		__atomic_signal_fence(__ATOMIC_SEQ_CST);
	sleep = nchan_load(half->peer_sleeps);
	if (nchan_unlikely(sleep & 1) && sleep != half->woken)
		send_wake(half, sleep);
}

/* ---- event loops ----------------------------------------------------------------------------- */

static void set(struct ipc_half *half)
{
	if (!half->is_set)
		nhost_event_set(half->bell.event);
	half->is_set = true;
}

void ipc_half_follow(struct nipc *channel, struct ipc_half *half, ipc_ready_fn *ready)
{
	int cancel;

	if (nchan_likely(!half->is_watched && !half->polls))
		return;
	cancel = nhost_cancel_hold();
	if (!ready(channel, NULL)) {
		take_events(channel, half);
		nhost_bell_arm(&half->bell);
		announce(channel, half);
	}
	/* Hardware rings no bell: who uses it from an event loop looks again. */
	if (ready(channel, NULL) || engine_due_ns(half) >= 0)
		set(half);
	nhost_cancel_release(cancel);
}

void ipc_half_unwatch(struct nipc *channel, struct ipc_half *half)
{
	int cancel = nhost_cancel_hold();

	if (!half->is_watched && !half->polls) {
		withdraw(half);
		take_events(channel, half);
	}
	nhost_cancel_release(cancel);
}
