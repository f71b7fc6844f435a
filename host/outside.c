#include "host/outside.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "channels/wake.h"
#include "host/outside_int.h"

enum {
	NAP_NS_MIN = 20 * 1000,
	NAP_NS_MAX = 1000 * 1000,
};

/* ---- opening and closing --------------------------------------------------------------------- */

static void close_signs(const struct nhost_signs *signs)
{
	if (signs->socket >= 0)
		close(signs->socket);
	if (signs->process >= 0)
		close(signs->process);
}

static void destroy(struct nhost_outside *outside)
{
	if (outside->stop >= 0)
		nhost_event_close(outside->stop);
	nhost_attach_leave(&outside->attach);
	nhost_region_unmap(&outside->region);
	close_signs(&outside->signs);
	free(outside);
}

static bool is_alive(const void *context)
{
	const struct nhost_outside *outside = context;
	const struct nhost_signs *signs = &outside->signs;
	struct pollfd fds[] = {
		{.fd = signs->socket, .events = POLLIN}, {.fd = signs->process, .events = POLLIN}};

	return poll(fds, 2, 0) <= 0 &&
	       (!signs->has_lock || nhost_region_is_locked(outside->region.fd, NHOST_LOCK_DEVICE));
}

static int claim(struct nhost_outside *outside, int64_t deadline_ns, struct nreg_identity *identity,
	struct nhost_error *error)
{
	int result = nhost_attach_claim(&outside->attach, deadline_ns, identity, error);

	outside->generation = identity->generation;
	outside->core_count = identity->core_count;
	outside->can_wake = identity->capabilities & NREG_CAN_WAKE;
	if (!result && identity->port == NCHAN_PORT_EVENT)
		return nhost_fail(error, EPROTO,
			"the device uses port=event, which works within one program only");
	return result;
}

static int start_watching(struct nhost_outside *outside, struct nhost_error *error)
{
	int number;

	outside->stop = nhost_event_create();
	if (outside->stop < 0)
		return nhost_fail(error, -outside->stop,
			"no descriptor to watch the device with: %s (ulimit -n)",
			strerror(-outside->stop));
	number = outside_watch_start(outside);
	return number ? nhost_fail(error, number,
				"cannot start the thread that watches the device: %s; raise the limit "
				"of threads (ulimit -u)",
				strerror(number))
		      : 0;
}

int nhost_outside_open(const struct nhost_options *options, struct nhost_region *region,
	const struct nreg_identity *identity, struct nhost_signs signs, int64_t deadline_ns,
	struct nhost_device *device, struct nhost_error *error)
{
	struct nhost_outside *outside = aligned_alloc(64, (sizeof(*outside) + 63) / 64 * 64);
	int result;

	if (!outside) {
		nhost_region_unmap(region);
		close_signs(&signs);
		return nhost_fail(error, ENOMEM, "out of memory");
	}
	*outside = (struct nhost_outside){
		.region = *region,
		.attach = {.region = region->memory,
			.caches = region->caches,
			.has_lock = region->fd >= 0,
			.is_alive = is_alive,
			.context = outside},
		.signs = signs,
		.suspect_ns = (int64_t)options->suspect_s * 1000000000,
		.lost_ns = (int64_t)options->lost_s * 1000000000,
		.spin = {.processors = nhost_processors()},
		.stop = -1,
	};
	device->identity = *identity;
	device->region = region->memory;
	device->caches = region->caches;
	device->executor = outside;
	device->spin = &outside->spin;
	device->is_suspect = &outside->is_suspect;
	result = claim(outside, deadline_ns, &device->identity, error);
	if (!result)
		result = start_watching(outside, error);
	if (result)
		destroy(outside);
	return result;
}

void nhost_outside_close(struct nhost_device *device)
{
	struct nhost_outside *outside = device->executor;

	outside_listen_stop(outside);
	outside_watch_stop(outside);
	destroy(outside);
}

/* ---- waiting --------------------------------------------------------------------------------- */

static bool take_interruption(struct nhost_outside *outside)
{
	return __atomic_load_n(&outside->interrupted, __ATOMIC_RELAXED) &&
	       __atomic_exchange_n(&outside->interrupted, false, __ATOMIC_ACQUIRE);
}

static bool may_sleep(const struct nhost_outside *outside, const struct nhost_condition *condition)
{
	return condition->may_sleep(condition->context) &&
	       !__atomic_load_n(&outside->interrupted, __ATOMIC_RELAXED);
}

static void sleep_by_word(
	struct nhost_outside *outside, int64_t deadline_ns, const struct nhost_condition *condition)
{
	uint64_t *word = outside_word(outside);

	if (!may_sleep(outside, condition))
		return;
	nchan_wake_announce(word);
	nhost_fence_shared();
	if (may_sleep(outside, condition)) {
		nhost_awake_add(-1);
		nhost_sleep_shared(word, 1, deadline_ns);
		nhost_awake_add(1);
	}
	nchan_wake_withdraw(word);
}

/* Nobody wakes this thread but interrupt(). */
static void nap(struct nhost_outside *outside, int64_t *nap_ns, int64_t deadline_ns,
	const struct nhost_condition *condition)
{
	int64_t until_ns = nhost_clock_ns() + *nap_ns;

	nchan_wake_announce(&outside->asleep);
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	if (may_sleep(outside, condition)) {
		nhost_awake_add(-1);
		nhost_sleep(&outside->asleep,
			deadline_ns >= 0 && deadline_ns < until_ns ? deadline_ns : until_ns);
		nhost_awake_add(1);
	}
	nchan_wake_withdraw(&outside->asleep);
	*nap_ns = *nap_ns * 2 < NAP_NS_MAX ? *nap_ns * 2 : NAP_NS_MAX;
}

int nhost_outside_wait(
	struct nhost_device *device, int64_t deadline_ns, const struct nhost_condition *condition)
{
	struct nhost_outside *outside = device->executor;
	int64_t nap_ns = NAP_NS_MIN;
	int result = 0;

	outside_listen_no_more(outside);
	while (!condition->ready(condition->context) && !take_interruption(outside)) {
		if (outside_has_gone(outside))
			result = -ENODEV;
		else if (deadline_ns >= 0 && nhost_clock_ns() >= deadline_ns)
			result = -ETIMEDOUT;
		if (result)
			break;
		if (nhost_spin(&outside->spin))
			continue;
		if (outside->can_wake)
			sleep_by_word(outside, deadline_ns, condition);
		else
			nap(outside, &nap_ns, deadline_ns, condition);
	}
	nhost_spin_found(&outside->spin);
	return result;
}

void outside_interrupt(struct nhost_outside *outside)
{
	uint64_t *word = outside_word(outside);

	__atomic_store_n(&outside->interrupted, true, __ATOMIC_SEQ_CST);
	if (!nchan_wake_needed(word))
		return;
	if (outside->can_wake)
		nhost_wake_shared(word);
	else
		nhost_wake(word);
}

void nhost_outside_interrupt(struct nhost_device *device)
{
	outside_interrupt(device->executor);
}

int nhost_outside_listen(struct nhost_device *device, struct nhost_bell *bell)
{
	struct nhost_outside *outside = device->executor;

	if (outside_has_gone(outside))
		return -ENODEV;
	outside_listen(outside, bell);
	return 0;
}

void nhost_outside_wake(struct nhost_device *device, unsigned core)
{
	nhost_wake_shared(&nreg_core(device->region, core)->wake.asleep);
}

int64_t nhost_outside_now(struct nhost_device *device)
{
	(void)device;
	return nhost_clock_ns();
}
