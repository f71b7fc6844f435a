/*
 * poll_channels.c - bulk pipes (nipc.h) in npipe_poll(). While nothing happens at them, one epoll
 * descriptor stands for them all.
 */
#include <errno.h>
#include <poll.h>
#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>

#include "host/cancel.h"
#include "host/nipc/poll.h"
#include "runtime/device_int.h"

bool channels_are_there(const struct npoll *entries, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (entries[i].channel)
			return true;
	return false;
}

int64_t channels_look(struct npoll *entries, size_t count)
{
	int64_t ready = 0;

	for (size_t i = 0; i < count; i++) {
		struct npoll *entry = &entries[i];

		if (!entry->channel || entry->revents)
			continue;
		entry->revents = (uint16_t)ipc_poll_look(entry->channel, entry->events);
		ready += entry->revents != 0;
	}
	return ready;
}

static int add(int epoll, int fd)
{
	struct epoll_event event = {.events = EPOLLIN};

	/* One channel may be in several entries. */
	return fd < 0 || !epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event) || errno == EEXIST ? 0
											 : -errno;
}

int channels_open(struct npoll *entries, size_t count)
{
	int epoll = epoll_create1(EPOLL_CLOEXEC), result = 0, fds[2];

	if (epoll < 0)
		return -errno;
	for (size_t i = 0; i < count; i++) {
		if (!entries[i].channel)
			continue;
		ipc_poll_begin(entries[i].channel, entries[i].events, fds);
		result = result ? result : add(epoll, fds[0]);
		result = result ? result : add(epoll, fds[1]);
	}
	if (!result)
		return epoll;
	channels_close(entries, count, epoll);
	return result;
}

void channels_close(struct npoll *entries, size_t count, int epoll)
{
	for (size_t i = 0; i < count; i++)
		if (entries[i].channel)
			ipc_poll_end(entries[i].channel, entries[i].events);
	nhost_event_close(epoll);
}

/* ---- channels alone -------------------------------------------------------------------------- */

static int sleep_at(struct npoll *entries, size_t count, int64_t deadline_ns)
{
	int epoll = channels_open(entries, count);
	struct pollfd wanted = {.fd = epoll, .events = POLLIN};
	int64_t left_ns = deadline_ns < 0 ? 0 : deadline_ns - nhost_clock_ns();
	const struct timespec left = {left_ns / 1000000000, left_ns % 1000000000};

	if (epoll < 0)
		return epoll;
	if (left_ns >= 0)
		ppoll(&wanted, 1, deadline_ns < 0 ? NULL : &left, NULL);
	channels_close(entries, count, epoll);
	return left_ns < 0 ? -ETIMEDOUT : 0;
}

/* Of the first channel: who waits at several again and again has them in one order. */
static struct nhost_spin *spin_of(const struct npoll *entries, size_t count)
{
	struct nhost_spin *spin = NULL;

	for (size_t i = 0; i < count && !spin; i++)
		if (entries[i].channel)
			spin = ipc_poll_spin(entries[i].channel, entries[i].events);
	return spin;
}

int64_t channels_wait(struct npoll *entries, size_t count, int64_t timeout_ns)
{
	const int64_t deadline_ns = nhost_deadline_ns(timeout_ns);
	struct nhost_spin *spin = spin_of(entries, count);
	int64_t ready = channels_look(entries, count);
	int result = timeout_ns ? 0 : -EAGAIN, cancel;

	while (!ready && !result) {
		if (!spin || !nhost_spin(spin)) {
			cancel = nhost_cancel_hold();
			result = sleep_at(entries, count, deadline_ns);
			nhost_cancel_release(cancel);
		}
		ready = channels_look(entries, count);
	}
	if (ready && spin)
		ipc_poll_learn(spin);
	return ready ? ready : result;
}
