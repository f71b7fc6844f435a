/*
 * outside_listen.c - rings the bell of a host that waits in an event loop.
 *
 * With wake words a thread, "nearside/bell", sleeps on the host's word in its stead; it is started
 * when first needed. Without them the bell rings by itself after a pause, which grows while the
 * device does nothing.
 */
#include "channels/wake.h"
#include "host/outside_int.h"

enum {
	NAP_NS_MIN = 20 * 1000,
	NAP_NS_MAX = 1000 * 1000,
};

static bool is_over(const struct nhost_outside *outside)
{
	return __atomic_load_n(&outside->is_over, __ATOMIC_ACQUIRE);
}

static bool listens(const struct nhost_outside *outside)
{
	return __atomic_load_n(&outside->is_listening, __ATOMIC_SEQ_CST);
}

static void sleep_until_wanted(struct nhost_outside *outside)
{
	nchan_store(&outside->idle, 1);
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	if (!listens(outside) && !is_over(outside))
		nhost_sleep(&outside->idle, -1);
	nchan_store(&outside->idle, 0);
}

static void *ring_when_woken(void *context)
{
	struct nhost_outside *outside = context;
	uint64_t *word = outside_word(outside);

	pthread_setname_np(pthread_self(), "nearside/bell");
	while (!is_over(outside)) {
		if (!listens(outside)) {
			sleep_until_wanted(outside);
			continue;
		}
		nhost_sleep_shared(word, 1, -1);
		if (nchan_load(word) == 1)
			continue;
		if (__atomic_exchange_n(&outside->is_listening, false, __ATOMIC_ACQ_REL))
			nhost_bell_ring(__atomic_load_n(&outside->bell, __ATOMIC_SEQ_CST));
	}
	return NULL;
}

static void wake_listener(struct nhost_outside *outside)
{
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	if (nchan_wake_needed(&outside->idle))
		nhost_wake(&outside->idle);
}

/* False: the system has no thread left. */
static bool need_listener(struct nhost_outside *outside)
{
	if (!outside->has_listener)
		outside->has_listener =
			!nhost_thread_start(&outside->listener, ring_when_woken, outside);
	return outside->has_listener;
}

static void listen_by_word(struct nhost_outside *outside)
{
	nchan_wake_announce(outside_word(outside));
	nhost_fence_shared();
	__atomic_store_n(&outside->is_listening, true, __ATOMIC_SEQ_CST);
	wake_listener(outside);
}

/* A sign of life of the cores. */
static uint64_t switches_of(const struct nhost_outside *outside)
{
	uint64_t sum = 0;

	for (unsigned core = 0; core < outside->core_count; core++)
		sum += nchan_hear(outside->region.caches,
			&nreg_core(outside->region.memory, core)->status.switches);
	return sum;
}

static void listen_by_clock(struct nhost_outside *outside, struct nhost_bell *bell)
{
	uint64_t switches = switches_of(outside);
	int64_t nap_ns = outside->nap_ns * 2;

	if (switches != outside->switches || nap_ns < NAP_NS_MIN)
		nap_ns = NAP_NS_MIN;
	outside->switches = switches;
	outside->nap_ns = nap_ns < NAP_NS_MAX ? nap_ns : NAP_NS_MAX;
	nhost_bell_ring_after(bell, outside->nap_ns);
}

void outside_listen(struct nhost_outside *outside, struct nhost_bell *bell)
{
	__atomic_store_n(&outside->bell, bell, __ATOMIC_SEQ_CST);
	if (outside_has_gone(outside))
		nhost_bell_ring(bell); /* who said so may not have known it */
	if (outside->can_wake && need_listener(outside))
		listen_by_word(outside);
	else
		listen_by_clock(outside, bell);
}

void outside_listen_no_more(struct nhost_outside *outside)
{
	if (outside->has_listener)
		__atomic_store_n(&outside->is_listening, false, __ATOMIC_RELEASE);
}

void outside_listen_stop(struct nhost_outside *outside)
{
	if (!outside->has_listener)
		return;
	__atomic_store_n(&outside->is_over, true, __ATOMIC_SEQ_CST);
	nchan_store(outside_word(outside), 0);
	nhost_wake_shared(outside_word(outside));
	wake_listener(outside);
	pthread_join(outside->listener, NULL);
}
