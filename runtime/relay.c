/*
 * relay.c - pipes joined across devices. A relay knows nothing of locks and lines: it reads and
 * writes without time and polls between, as a program would.
 */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "host/cancel.h"
#include "host/thread.h"
#include "runtime/device_int.h"

enum {
	BUFFER_BYTES = 4096,
	MOVES_PER_LOOK = 64, /* then time and stop are looked at */
};

struct npipe_relay {
	struct npipe *from, *to; /* no more once it has ended */
	struct nproc_device *device[2];
	struct relay_link link[2];
	struct poll_stop stop;
	uint64_t runs; /* 1 until it has ended; who waits sleeps on it */
	int status;
	int stop_status;
	uint64_t nbytes;
	bool has_thread;
	pthread_t thread;
	size_t first, count; /* in buffer: read and not yet written */
	char buffer[BUFFER_BYTES];
};

/* ---- moving bytes ---------------------------------------------------------------------------- */

static bool has_ended(const struct npipe_relay *relay)
{
	return !nchan_load_acquire(&relay->runs);
}

static void end(struct npipe_relay *relay, int status)
{
	if (has_ended(relay))
		return;
	npipe_close(relay->to);
	npipe_close(relay->from);
	relay->status = status;
	nchan_store_release(&relay->runs, 0);
	nhost_wake(&relay->runs);
}

/* False: the relay has ended, or nothing can be moved now. */
static bool move(struct npipe_relay *relay)
{
	int64_t moved;

	if (!relay->count) {
		moved = npipe_read(relay->from, relay->buffer, sizeof(relay->buffer));
		if (moved <= 0) {
			if (moved != -EAGAIN)
				end(relay, (int)moved);
			return false;
		}
		relay->first = 0;
		relay->count = (size_t)moved;
	}
	moved = npipe_write(relay->to, relay->buffer + relay->first, relay->count);
	if (moved < 0) {
		if (moved != -EAGAIN)
			end(relay, (int)moved);
		return false;
	}
	relay->first += (size_t)moved;
	relay->count -= (size_t)moved;
	__atomic_fetch_add(&relay->nbytes, (uint64_t)moved, __ATOMIC_RELAXED);
	return true;
}

/* True: it may be able to go on. */
static bool move_some(struct npipe_relay *relay)
{
	for (int i = 0; i < MOVES_PER_LOOK; i++)
		if (!move(relay))
			return false;
	return true;
}

/* Until bytes or room come. While there are bytes, `from` may be at its end all the time. */
static int64_t wait_for_more(struct npipe_relay *relay, int64_t timeout_ns)
{
	struct npoll entries[2] = {
		{.end = relay->to, .events = relay->count ? NPOLL_WRITE : 0},
		{.end = relay->count ? NULL : relay->from, .events = NPOLL_READ},
	};
	int64_t result = poll_until(entries, 2, timeout_ns, &relay->stop);

	if (entries[0].revents & (NPOLL_HANGUP | NPOLL_ERROR))
		end(relay, -EPIPE);
	return result;
}

static int64_t time_left(int64_t deadline_ns)
{
	int64_t left = deadline_ns - nhost_clock_ns();

	return deadline_ns < 0 ? -1 : left > 0 ? left : 0;
}

/*
 * An error of a wait that is not about time ends the relay, but for those that only this thread
 * meets.
 */
static int run(struct npipe_relay *relay, int64_t timeout_ns)
{
	int64_t deadline_ns = nhost_deadline_ns(timeout_ns);
	int64_t result = 0;

	while (!has_ended(relay) && result >= 0) {
		if (poll_is_stopped(&relay->stop)) {
			end(relay, relay->stop_status);
		} else if (!move_some(relay) && !has_ended(relay)) {
			result = wait_for_more(relay, time_left(deadline_ns));
		} else if (!time_left(deadline_ns)) {
			result = -EAGAIN;
		}
	}
	if (has_ended(relay))
		return relay->status;
	if (result == -EAGAIN || result == -ETIMEDOUT)
		return timeout_ns ? -ETIMEDOUT : -EAGAIN;
	if (result == -EPROTO || result == -ENODEV)
		end(relay, (int)result);
	return (int)result;
}

/* ---- the thread ------------------------------------------------------------------------------ */

static void *run_thread(void *argument)
{
	struct npipe_relay *relay = argument;
	int result;

	pthread_setname_np(pthread_self(), "nearside/relay");
	result = run(relay, NPROC_FOREVER);
	if (!has_ended(relay))
		end(relay, result);
	return NULL;
}

static int start_thread(struct npipe_relay *relay)
{
	int error = nhost_thread_start(&relay->thread, run_thread, relay);

	relay->has_thread = !error;
	return error ? device_fail(relay->device[0], error, "no thread for a relay: %s",
			       strerror(error))
		     : 0;
}

static void join(struct npipe_relay *relay)
{
	int cancel = nhost_cancel_hold();

	pthread_join(relay->thread, NULL);
	relay->has_thread = false;
	nhost_cancel_release(cancel);
}

static void stop(struct npipe_relay *relay, int status)
{
	relay->stop_status = status;
	__atomic_store_n(&relay->stop.is_set, 1, __ATOMIC_RELEASE);
	nhost_event_set(relay->stop.event);
	if (relay->has_thread)
		join(relay);
	end(relay, status);
}

/* ---- devices --------------------------------------------------------------------------------- */

static bool is_listed(const struct npipe_relay *relay, int i)
{
	return relay->link[i].relay;
}

static void enlist(struct npipe_relay *relay, int i)
{
	struct nproc_device *device = relay->device[i];

	relay->link[i].relay = relay;
	lock_take(&device->port.lock);
	LIST_INSERT_HEAD(&device->relays, &relay->link[i], all);
	lock_release(&device->port.lock);
}

static void delist(struct npipe_relay *relay)
{
	for (int i = 0; i < 2; i++) {
		if (!is_listed(relay, i))
			continue;
		lock_take(&relay->device[i]->port.lock);
		LIST_REMOVE(&relay->link[i], all);
		lock_release(&relay->device[i]->port.lock);
		relay->link[i].relay = NULL;
	}
}

void relays_end(struct nproc_device *device)
{
	struct relay_link *link;

	while ((link = LIST_FIRST(&device->relays))) {
		struct npipe_relay *relay = link->relay;

		delist(relay);
		stop(relay, -ENODEV);
	}
}

/* ---- the calls ------------------------------------------------------------------------------- */

static bool is_usable(const struct npipe_relay *relay)
{
	/* Once it has ended its devices may be gone. */
	return relay && (!is_listed(relay, 0) || device_is_usable(relay->device[0]));
}

static int fail_ends(const struct npipe *from)
{
	return device_fail(from->device, EBADF,
		"a relay needs a reading and a writing end, neither given away");
}

static int make(struct npipe *from, struct npipe *to, struct npipe_relay **relay)
{
	struct npipe_relay *new = calloc(1, sizeof(*new));
	int event = new ? nhost_event_create() : -ENOMEM;

	if (event < 0) {
		free(new);
		return device_fail(from->device, -event, "no memory or descriptor for a relay: %s",
			strerror(-event));
	}
	new->from = from;
	new->to = to;
	new->device[0] = from->device;
	new->device[1] = to->device;
	new->stop.event = event;
	new->runs = 1;
	*relay = new;
	return 0;
}

static void destroy(struct npipe_relay *relay)
{
	nhost_event_close(relay->stop.event);
	free(relay);
}

static void set_time(struct npipe *from, int64_t from_ns, struct npipe *to, int64_t to_ns)
{
	npipe_set_timeout(from, from_ns);
	npipe_set_timeout(to, to_ns);
}

int npipe_relay(struct npipe *from, struct npipe *to, unsigned flags, struct npipe_relay **relay)
{
	int64_t from_ns, to_ns;
	int result;

	if (!relay)
		return device_fail_nowhere(from ? from->device : NULL);
	*relay = NULL;
	if (!from || !to || !device_is_usable(from->device) || !device_is_usable(to->device))
		return -EBADF;
	if (flags & ~(unsigned)NPIPE_RELAY_THREAD)
		return device_fail(from->device, EINVAL, "unknown flags of a relay: %#x", flags);
	if (from->writes || !to->writes || !from->end || !to->end)
		return fail_ends(from);
	if (from->is_of_calls || to->is_of_calls)
		return device_fail(from->device, EINVAL,
			"a relay joins pipes; calls go one at a time between two ends only");
	if (from->is_of_packets != to->is_of_packets)
		return device_fail(from->device, EINVAL,
			"one of the pipes has NPIPE_PACKET, the other has not");
	result = make(from, to, relay);
	if (result)
		return result;
	from_ns = from->timeout_ns;
	to_ns = to->timeout_ns;
	set_time(from, 0, to, 0);
	enlist(*relay, 0);
	if (from->device != to->device)
		enlist(*relay, 1);
	result = flags & NPIPE_RELAY_THREAD ? start_thread(*relay) : 0;
	if (!result)
		return 0;
	delist(*relay);
	destroy(*relay);
	set_time(from, from_ns, to, to_ns);
	*relay = NULL;
	return result;
}

int npipe_relay_run(struct npipe_relay *relay, int64_t timeout_ns)
{
	if (!is_usable(relay))
		return -EBADF;
	if (has_ended(relay))
		return relay->status;
	if (relay->has_thread)
		return device_fail(relay->device[0], EBUSY,
			"the relay has a thread that moves its bytes: npipe_relay_wait() waits");
	return run(relay, timeout_ns);
}

int npipe_relay_wait(struct npipe_relay *relay, int64_t timeout_ns, uint64_t *nbytes)
{
	int64_t deadline_ns = nhost_deadline_ns(timeout_ns);

	if (!is_usable(relay))
		return -EBADF;
	while (!has_ended(relay) && time_left(deadline_ns))
		nhost_sleep(&relay->runs, deadline_ns);
	/* Others may sleep there, too, and each wakes the next. */
	if (has_ended(relay))
		nhost_wake(&relay->runs);
	if (nbytes)
		*nbytes = __atomic_load_n(&relay->nbytes, __ATOMIC_RELAXED);
	if (has_ended(relay))
		return relay->status;
	return timeout_ns ? -ETIMEDOUT : -EAGAIN;
}

void npipe_relay_close(struct npipe_relay *relay)
{
	if (!is_usable(relay))
		return;
	delist(relay);
	stop(relay, -ECANCELED);
	destroy(relay);
}
