/*
 * inproc.c - the in-process device: each core is a thread of this program.
 *
 *     host thread             region              core thread "nearside/N"
 *     stores a line    ->     down FIFO    ->     nemu_core_loop(): firmware, kernels
 *     wait()           <-     up FIFO      <-     stores a line
 *
 * Both spin for a while and then sleep on their wake words in the region. Kernels run on the
 * thread's own stack, which has a guard area below it.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "channels/wake.h"
#include "emu/core_loop.h"
#include "emu/devices.h"
#include "emu/machine.h"
#include "host/bell.h"
#include "host/wait.h"

enum {
	/* Far more than firmware and kernels need, less than sanitizers do. */
	STACK_BYTES = 512 * 1024,
	GUARD_BYTES = 64 * 1024,
	KILL_INTERVAL_NS = 200 * 1000, /* between looks at what still runs, when closing */
	UNFENCED_SLEEP_NS = 1000 * 1000,
};

struct inproc;

/*
 * What one thread writes again and again lies in no cache line that another one reads: here and in
 * struct inproc.
 */
struct core_thread {
	_Alignas(64) struct inproc *inproc;
	struct ndev_core *core;
	unsigned index;
	int event; /* an eventfd where has_events(), else -1 */
	pthread_t thread;
	struct nhost_spin spin;
	_Alignas(64) uint64_t runs; /* 1 until the thread has ended; close() sleeps on it */
};

struct inproc {
	struct nemu_machine machine;
	bool can_fence; /* else no sleep is long: a wake-up may be lost */
	bool is_over;
	struct nhost_bell *bell; /* of a host that listens; NULL: none ever did */
	unsigned thread_count;
	int event; /* of the host, as in core_thread */
	_Alignas(64) bool interrupted;
	struct nhost_spin spin; /* of the host */
	struct core_thread threads[];
};

/* ---- cores ----------------------------------------------------------------------------------- */

/* With port=event nobody spins: a place sleeps on its event, which remembers what came before. */
static bool has_events(const struct inproc *inproc)
{
	return inproc->machine.identity.port == NCHAN_PORT_EVENT;
}

static void sleep_on(const struct inproc *inproc, uint64_t *word, int event, int64_t deadline_ns)
{
	int64_t soon = nhost_clock_ns() + UNFENCED_SLEEP_NS;

	if (!inproc->can_fence && (deadline_ns < 0 || soon < deadline_ns))
		deadline_ns = soon;
	nhost_awake_add(-1);
	if (has_events(inproc)) {
		nhost_event_wait(event, deadline_ns);
		nhost_event_clear(event);
	} else {
		nhost_sleep(word, deadline_ns);
	}
	nhost_awake_add(1);
}

static void wake_by(const struct inproc *inproc, uint64_t *word, int event)
{
	if (has_events(inproc))
		nhost_event_set(event);
	else
		nhost_wake(word);
}

static bool core_is_over(void *context)
{
	const struct core_thread *thread = context;

	return __atomic_load_n(&thread->inproc->is_over, __ATOMIC_RELAXED);
}

static bool core_look_again(void *context, bool was_busy)
{
	struct core_thread *thread = context;

	if (was_busy) {
		nhost_spin_found(&thread->spin);
		return true;
	}
	for (unsigned i = 0; i < NHOST_LOOKS && !has_events(thread->inproc); i++) {
		if (ndev_core_has_lines(thread->core))
			return true;
		nhost_pause();
	}
	return nhost_spin(&thread->spin);
}

static void core_fence(void *context)
{
	(void)context;
	nhost_fence();
}

static void core_sleep(void *context, uint64_t *word)
{
	const struct core_thread *thread = context;

	sleep_on(thread->inproc, word, thread->event, -1);
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

/* Signals that a core must not take: all but those that it causes itself. */
static sigset_t others_signals(void)
{
	static const int own[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGSYS, SIGABRT};
	sigset_t set;

	sigfillset(&set);
	for (unsigned i = 0; i < sizeof own / sizeof own[0]; i++)
		sigdelset(&set, own[i]);
	return set;
}

/* A thread starts with the mask of its maker. */
static int create_thread(struct core_thread *thread, const pthread_attr_t *attributes)
{
	sigset_t blocked = others_signals();
	sigset_t before;
	int error = pthread_sigmask(SIG_BLOCK, &blocked, &before);

	if (error)
		return error;
	error = pthread_create(&thread->thread, attributes, run_core, thread);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return error;
}

static int start_thread(struct core_thread *thread)
{
	pthread_attr_t attributes;
	int error = pthread_attr_init(&attributes);

	if (error)
		return error;
	pthread_attr_setguardsize(&attributes, GUARD_BYTES);
	error = pthread_attr_setstacksize(&attributes, STACK_BYTES + GUARD_BYTES);
	if (!error)
		error = create_thread(thread, &attributes);
	pthread_attr_destroy(&attributes);
	return error;
}

/* All of them before any core runs, because any may wake any. */
static int open_events(struct inproc *inproc, unsigned count, struct nhost_error *error)
{
	int event = has_events(inproc) ? nhost_event_create() : -1;

	inproc->event = event;
	for (unsigned i = 0; i < count; i++) {
		if (has_events(inproc) && event >= 0)
			event = nhost_event_create();
		inproc->threads[i].event = event;
	}
	if (has_events(inproc) && event < 0)
		return nhost_fail(error, -event, "no descriptors for the events of %u cores: %s",
			count, strerror(-event));
	return 0;
}

static void close_events(struct inproc *inproc)
{
	unsigned count = inproc->machine.identity.core_count;

	if (!has_events(inproc))
		return;
	close(inproc->event);
	for (unsigned i = 0; i < count && inproc->threads[i].event >= 0; i++)
		close(inproc->threads[i].event);
}

static int start_cores(struct inproc *inproc, unsigned count, struct nhost_error *error)
{
	unsigned processors = has_events(inproc) ? 1 : nhost_processors();

	inproc->spin.processors = processors;
	for (; inproc->thread_count < count; inproc->thread_count++) {
		unsigned index = inproc->thread_count;
		struct core_thread *thread = &inproc->threads[index];
		int number;

		*thread = (struct core_thread){
			.inproc = inproc,
			.core = ndev_core(inproc->machine.device, index),
			.index = index,
			.event = thread->event,
			.spin = {.processors = processors},
			.runs = 1,
		};
		number = start_thread(thread);
		if (number)
			return nhost_fail(error, number,
				"cannot start core %u of %u as a thread: %s; open fewer cores "
				"or raise the limit of threads (ulimit -u)",
				index, count, strerror(number));
	}
	return 0;
}

/* ---- stopping -------------------------------------------------------------------------------- */

static void wake_core(struct inproc *inproc, unsigned index)
{
	const struct core_thread *thread = &inproc->threads[index];

	wake_by(inproc, ndev_core_wake_word(thread->core), thread->event);
}

/* Ends the process that runs there now; after it, another may run in the same round. */
static void kill_running(struct inproc *inproc, unsigned index)
{
	struct nreg_core *core = nreg_core(inproc->machine.region, index);

	nchan_store(&core->attention.victim, nchan_load(&core->status.running));
}

static void stop_core(struct inproc *inproc, unsigned index)
{
	struct core_thread *thread = &inproc->threads[index];

	if (nchan_wake_needed(ndev_core_wake_word(thread->core)) || has_events(inproc))
		wake_core(inproc, index);
	while (nchan_load_acquire(&thread->runs)) {
		kill_running(inproc, index);
		nhost_sleep(&thread->runs, nhost_clock_ns() + KILL_INTERVAL_NS);
	}
	pthread_join(thread->thread, NULL);
}

static void stop_cores(struct inproc *inproc)
{
	__atomic_store_n(&inproc->is_over, true, __ATOMIC_RELEASE);
	for (unsigned i = 0; i < inproc->thread_count; i++)
		stop_core(inproc, i);
}

static void inproc_close(struct nhost_device *device)
{
	struct inproc *inproc = device->executor;

	stop_cores(inproc);
	close_events(inproc);
	nemu_machine_destroy(&inproc->machine);
	free(inproc);
}

/* ---- opening --------------------------------------------------------------------------------- */

static void wake_host(struct inproc *inproc)
{
	struct nhost_bell *bell = __atomic_load_n(&inproc->bell, __ATOMIC_ACQUIRE);

	wake_by(inproc, &nreg_host(inproc->machine.region)->asleep, inproc->event);
	if (bell)
		nhost_bell_ring(bell);
}

static void wake_place(void *context, unsigned place)
{
	struct inproc *inproc = context;

	if (place)
		wake_core(inproc, place - 1);
	else
		wake_host(inproc);
}

static int inproc_open(
	const struct nhost_options *options, struct nhost_device *device, struct nhost_error *error)
{
	const unsigned capabilities =
		NREG_CAN_WAKE | NREG_COHERENT | NREG_ATOMICS | NREG_PREEMPTS_KERNELS;
	size_t nbytes = sizeof(struct inproc) + options->cores * sizeof(struct core_thread);
	struct inproc *inproc = aligned_alloc(64, nbytes);
	const struct ndev_platform platform = {
		wake_place, nemu_platform_load, nemu_platform_unload, inproc, NULL};
	int result;

	if (!inproc)
		return nhost_fail(error, ENOMEM, "out of memory");
	memset(inproc, 0, nbytes);
	inproc->can_fence = nhost_fence_prepare();
	result = nemu_machine_create(&inproc->machine, options, capabilities, &platform, error);
	if (result) {
		free(inproc);
		return result;
	}
	nemu_machine_describe(&inproc->machine, "inproc:", device);
	device->executor = inproc;
	device->spin = has_events(inproc) ? NULL : &inproc->spin;
	result = open_events(inproc, options->cores, error);
	if (!result)
		result = start_cores(inproc, options->cores, error);
	if (result)
		inproc_close(device);
	return result;
}

/* ---- the host's side ------------------------------------------------------------------------- */

static bool take_interruption(struct inproc *inproc)
{
	return __atomic_load_n(&inproc->interrupted, __ATOMIC_RELAXED) &&
	       __atomic_exchange_n(&inproc->interrupted, false, __ATOMIC_ACQUIRE);
}

static void sleep_unless_needed(
	struct inproc *inproc, int64_t deadline_ns, const struct nhost_condition *condition)
{
	uint64_t *word = &nreg_host(inproc->machine.region)->asleep;

	if (!condition->may_sleep(condition->context))
		return;
	nchan_wake_announce(word);
	nhost_fence();
	if (condition->may_sleep(condition->context) &&
		!__atomic_load_n(&inproc->interrupted, __ATOMIC_RELAXED))
		sleep_on(inproc, word, inproc->event, deadline_ns);
	nchan_wake_withdraw(word);
}

static int inproc_wait(
	struct nhost_device *device, int64_t deadline_ns, const struct nhost_condition *condition)
{
	struct inproc *inproc = device->executor;
	int result = 0;

	while (!condition->ready(condition->context) && !take_interruption(inproc)) {
		if (deadline_ns >= 0 && nhost_clock_ns() >= deadline_ns) {
			result = -ETIMEDOUT;
			break;
		}
		if (!nhost_spin(&inproc->spin))
			sleep_unless_needed(inproc, deadline_ns, condition);
	}
	nhost_spin_found(&inproc->spin);
	return result;
}

static int inproc_listen(struct nhost_device *device, struct nhost_bell *bell)
{
	struct inproc *inproc = device->executor;

	__atomic_store_n(&inproc->bell, bell, __ATOMIC_RELEASE);
	nchan_wake_announce(&nreg_host(device->region)->asleep);
	nhost_fence();
	if (!inproc->can_fence)
		nhost_bell_ring_after(bell, UNFENCED_SLEEP_NS);
	return 0;
}

static void inproc_interrupt(struct nhost_device *device)
{
	struct inproc *inproc = device->executor;
	uint64_t *word = &nreg_host(device->region)->asleep;

	__atomic_store_n(&inproc->interrupted, true, __ATOMIC_RELEASE);
	if (nchan_wake_needed(word) || has_events(inproc))
		wake_by(inproc, word, inproc->event);
}

static void inproc_wake(struct nhost_device *device, unsigned core)
{
	wake_core(device->executor, core);
}

static int64_t inproc_now(struct nhost_device *device)
{
	(void)device;
	return nhost_clock_ns();
}

const struct nhost_device_ops nemu_inproc = {
	.kind = "inproc",
	.summary = "cores are threads of this program",
	.open = inproc_open,
	.close = inproc_close,
	.wait = inproc_wait,
	.listen = inproc_listen,
	.interrupt = inproc_interrupt,
	.wake = inproc_wake,
	.now = inproc_now,
};
