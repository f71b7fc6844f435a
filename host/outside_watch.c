/* outside_watch.c - the thread that says that the host lives, and sees whether the device does. */
#include <errno.h>
#include <poll.h>
#include <stddef.h>

#include "host/outside_int.h"

/* What was seen of the device's heartbeat. */
struct seen {
	uint64_t heartbeat;
	int64_t at_ns;
};

static bool is_alive(const struct nhost_outside *outside)
{
	const struct nhost_signs *signs = &outside->signs;

	return nhost_attach_is_owner(&outside->attach, outside->generation) &&
	       (!signs->has_lock || nhost_region_is_locked(outside->region.fd, NHOST_LOCK_DEVICE));
}

/* False: it was lost for longer than the option allows. */
static bool look_at_heartbeat(struct nhost_outside *outside, struct seen *seen)
{
	uint64_t heartbeat =
		nchan_hear(outside->region.caches, &nreg_offer(outside->region.memory)->heartbeat);
	int64_t now_ns = nhost_clock_ns();
	int64_t still_ns;

	if (heartbeat != seen->heartbeat || !seen->at_ns)
		*seen = (struct seen){heartbeat, now_ns};
	still_ns = now_ns - seen->at_ns;
	__atomic_store_n(&outside->is_suspect,
		outside->suspect_ns && still_ns >= outside->suspect_ns, __ATOMIC_RELAXED);
	return !outside->lost_ns || still_ns < outside->lost_ns;
}

static bool beat(struct nhost_outside *outside, struct seen *seen)
{
	nhost_attach_beat(&outside->attach);
	return is_alive(outside) && look_at_heartbeat(outside, seen);
}

/* Everybody who waits hears of it. */
static void say_gone(struct nhost_outside *outside)
{
	struct nhost_bell *bell;

	__atomic_store_n(&outside->has_gone, true, __ATOMIC_SEQ_CST);
	outside_interrupt(outside);
	bell = __atomic_load_n(&outside->bell, __ATOMIC_SEQ_CST);
	if (bell)
		nhost_bell_ring(bell);
}

static void *watch(void *context)
{
	struct nhost_outside *outside = context;
	const int timeout_ms = outside->signs.has_heartbeat ? NREG_BEAT_MS : -1;
	struct seen seen = {0};

	pthread_setname_np(pthread_self(), "nearside/watch");
	for (;;) {
		struct pollfd signs[] = {
			{.fd = outside->stop, .events = POLLIN},
			{.fd = outside->signs.socket, .events = POLLIN},
			{.fd = outside->signs.process, .events = POLLIN},
		};
		int count = poll(signs, sizeof(signs) / sizeof(signs[0]), timeout_ms);

		if (signs[0].revents)
			return NULL;
		if (count > 0 || (outside->signs.has_heartbeat && !beat(outside, &seen)))
			break;
	}
	say_gone(outside);
	return NULL;
}

int outside_watch_start(struct nhost_outside *outside)
{
	return nhost_thread_start(&outside->watch, watch, outside);
}

void outside_watch_stop(struct nhost_outside *outside)
{
	nhost_event_set(outside->stop);
	pthread_join(outside->watch, NULL);
}
