#include "emu/cores.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "channels/wake.h"
#include "emu/core_loop.h"
#include "host/bell.h"
#include "host/thread.h"
#include "host/wait.h"

enum {
	/* Far more than firmware and kernels need, less than sanitizers do. */
	STACK_BYTES = 512 * 1024,
	GUARD_BYTES = 64 * 1024,
	KILL_INTERVAL_NS = 200 * 1000, /* between looks at what still runs, when stopping */
	UNFENCED_SLEEP_NS = 1000 * 1000,
	PROCESS_LOOKS = 64,     /* for a line, before the process that waits is suspended */
	NAP_NS_MIN = 20 * 1000, /* where nobody wakes a core */
	NAP_NS_MAX = 1000 * 1000,
};

/*
 * What one thread writes again and again lies in no cache line that another one reads: here and in
 * struct nemu_cores.
 */
struct core_thread {
	_Alignas(64) struct nemu_cores *cores;
	struct ndev_core *core;
	unsigned index;
	int event; /* an eventfd where there are events, else -1 */
	pthread_t thread;
	struct nhost_spin spin;
	int64_t nap_ns;
	_Alignas(64) uint64_t runs; /* 1 until the thread has ended; who stops it sleeps on it */
};

struct nemu_cores {
	enum nemu_reach reach;
	bool can_fence;
	bool has_events;
	bool is_over;
	unsigned count;
	unsigned thread_count;
	struct core_thread threads[];
};

/* ---- sleeping -------------------------------------------------------------------------------- */

bool nemu_cores_have_events(const struct nemu_cores *cores)
{
	return cores->has_events;
}

bool nemu_cores_can_fence(const struct nemu_cores *cores)
{
	return cores->can_fence;
}

void nemu_cores_fence(const struct nemu_cores *cores)
{
	if (cores->reach == NEMU_REACH_MACHINE)
		nhost_fence_shared();
	else if (cores->reach == NEMU_REACH_PROGRAM)
		nhost_fence();
}

void nemu_cores_sleep(
	const struct nemu_cores *cores, uint64_t *word, int event, int64_t deadline_ns)
{
	int64_t soon = nhost_clock_ns() + UNFENCED_SLEEP_NS;

	if (!cores->can_fence && (deadline_ns < 0 || soon < deadline_ns))
		deadline_ns = soon;
	nhost_awake_add(-1);
	if (cores->has_events) {
		nhost_event_wait(event, deadline_ns);
		nhost_event_clear(event);
	} else if (cores->reach == NEMU_REACH_MACHINE) {
		nhost_sleep_shared(word, 1, deadline_ns);
	} else {
		nhost_sleep(word, deadline_ns);
	}
	nhost_awake_add(1);
}

void nemu_cores_wake_word(const struct nemu_cores *cores, uint64_t *word, int event)
{
	if (cores->has_events)
		nhost_event_set(event);
	else if (cores->reach == NEMU_REACH_MACHINE)
		nhost_wake_shared(word);
	else
		nhost_wake(word);
}

void nemu_cores_wake(struct nemu_cores *cores, unsigned index)
{
	const struct core_thread *thread = &cores->threads[index];

	nemu_cores_wake_word(cores, ndev_core_wake_word(thread->core), thread->event);
}

bool nemu_cores_look_on(const struct nemu_cores *cores, unsigned looks)
{
	if (looks >= PROCESS_LOOKS || cores->has_events ||
		nhost_is_crowded(&cores->threads[0].spin))
		return false;
	nhost_pause();
	return true;
}

/* ---- the loop -------------------------------------------------------------------------------- */

static bool core_is_over(void *context)
{
	const struct core_thread *thread = context;

	return __atomic_load_n(&thread->cores->is_over, __ATOMIC_RELAXED);
}

static bool core_look_again(void *context, bool was_busy)
{
	struct core_thread *thread = context;

	if (was_busy) {
		nhost_spin_found(&thread->spin);
		thread->nap_ns = NAP_NS_MIN;
		return true;
	}
	for (unsigned i = 0; i < NHOST_LOOKS && !thread->cores->has_events; i++) {
		if (ndev_core_has_lines(thread->core))
			return true;
		nhost_pause();
	}
	return nhost_spin(&thread->spin);
}

static void core_fence(void *context)
{
	const struct core_thread *thread = context;

	nemu_cores_fence(thread->cores);
}

static void core_sleep(void *context, uint64_t *word)
{
	struct core_thread *thread = context;
	int64_t deadline_ns = -1;

	if (thread->cores->reach == NEMU_REACH_NONE) {
		deadline_ns = nhost_clock_ns() + thread->nap_ns;
		thread->nap_ns = (int64_t)nchan_min((uint64_t)thread->nap_ns * 2, NAP_NS_MAX);
	}
	nemu_cores_sleep(thread->cores, word, thread->event, deadline_ns);
}

static void *run_core(void *argument)
{
	struct core_thread *thread = argument;
	const struct nemu_idle idle = {
		core_is_over, core_look_again, core_fence, core_sleep, thread};
	char name[16];

	snprintf(name, sizeof name, "nearside/%u", thread->index);
	pthread_setname_np(pthread_self(), name);
	nhost_awake_add(1);
	nemu_core_loop(thread->core, &idle);
	nhost_awake_add(-1);
	nchan_store_release(&thread->runs, 0);
	nhost_wake(&thread->runs);
	return NULL;
}

/* ---- starting -------------------------------------------------------------------------------- */

static int start_thread(struct core_thread *thread)
{
	pthread_attr_t attributes;
	int error = pthread_attr_init(&attributes);

	if (error)
		return error;
	pthread_attr_setguardsize(&attributes, GUARD_BYTES);
	error = pthread_attr_setstacksize(&attributes, STACK_BYTES + GUARD_BYTES);
	if (!error)
		error = nhost_thread_start_as(&thread->thread, &attributes, run_core, thread);
	pthread_attr_destroy(&attributes);
	return error;
}

/* All of them before any core runs, because any may wake any. */
static int open_events(struct nemu_cores *cores)
{
	for (unsigned i = 0; i < cores->count; i++) {
		int event = cores->has_events ? nhost_event_create() : -1;

		if (cores->has_events && event < 0)
			return event;
		cores->threads[i].event = event;
	}
	return 0;
}

static bool prepare_fence(enum nemu_reach reach)
{
	return reach == NEMU_REACH_NONE ||
	       (reach == NEMU_REACH_MACHINE ? nhost_fence_prepare_shared() : nhost_fence_prepare());
}

int nemu_cores_create(const struct nreg_identity *identity, enum nemu_reach reach,
	struct nemu_cores **cores, struct nhost_error *error)
{
	unsigned count = identity->core_count;
	size_t nbytes = sizeof(struct nemu_cores) + count * sizeof(struct core_thread);
	struct nemu_cores *new = aligned_alloc(64, (nbytes + 63) / 64 * 64);
	int result;

	*cores = new;
	if (!new)
		return nhost_fail(error, ENOMEM, "out of memory");
	memset(new, 0, nbytes);
	new->reach = reach;
	new->can_fence = prepare_fence(reach);
	new->has_events = identity->port == NCHAN_PORT_EVENT;
	new->count = count;
	for (unsigned i = 0; i < count; i++)
		new->threads[i].event = -1;
	result = open_events(new);
	if (!result)
		return 0;
	nemu_cores_destroy(new);
	*cores = NULL;
	return nhost_fail(error, -result, "no descriptors for the events of %u cores: %s", count,
		strerror(-result));
}

int nemu_cores_start(
	struct nemu_cores *cores, struct ndev_device *device, struct nhost_error *error)
{
	unsigned processors = cores->has_events ? 1 : nhost_processors();

	for (unsigned i = 0; i < cores->count; i++)
		cores->threads[i].core = ndev_core(device, i);
	for (; cores->thread_count < cores->count; cores->thread_count++) {
		unsigned index = cores->thread_count;
		struct core_thread *thread = &cores->threads[index];
		int number;

		thread->cores = cores;
		thread->index = index;
		thread->spin.processors = processors;
		thread->nap_ns = NAP_NS_MIN;
		thread->runs = 1;
		number = start_thread(thread);
		if (number)
			return nhost_fail(error, number,
				"cannot start core %u of %u as a thread: %s; open fewer cores "
				"or raise the limit of threads (ulimit -u)",
				index, cores->count, strerror(number));
	}
	return 0;
}

/* ---- stopping -------------------------------------------------------------------------------- */

/* Ends the process that runs there now; after it, another may run in the same round. */
static void kill_running(struct nemu_cores *cores, unsigned index)
{
	ndev_core_end_running(cores->threads[index].core);
}

static void stop_core(struct nemu_cores *cores, unsigned index)
{
	struct core_thread *thread = &cores->threads[index];

	if (nchan_wake_needed(ndev_core_wake_word(thread->core)) || cores->has_events)
		nemu_cores_wake(cores, index);
	while (nchan_load_acquire(&thread->runs)) {
		kill_running(cores, index);
		nhost_sleep(&thread->runs, nhost_clock_ns() + KILL_INTERVAL_NS);
	}
	pthread_join(thread->thread, NULL);
}

void nemu_cores_destroy(struct nemu_cores *cores)
{
	__atomic_store_n(&cores->is_over, true, __ATOMIC_RELEASE);
	for (unsigned i = 0; i < cores->thread_count; i++)
		stop_core(cores, i);
	for (unsigned i = 0; i < cores->count && cores->threads[i].event >= 0; i++)
		close(cores->threads[i].event);
	free(cores);
}
