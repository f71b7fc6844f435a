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
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "channels/wake.h"
#include "emu/cores.h"
#include "emu/devices.h"
#include "emu/machine.h"
#include "host/bell.h"
#include "host/wait.h"

enum {
	UNFENCED_LISTEN_NS = 1000 * 1000,
};

struct inproc {
	struct nemu_machine machine;
	struct nemu_cores *cores;
	struct nhost_bell *bell; /* of a host that listens; NULL: none ever did */
	int event;               /* of the host; an eventfd with port=event, else -1 */
	_Alignas(64) bool interrupted;
	struct nhost_spin spin; /* of the host */
};

static bool has_events(const struct inproc *inproc)
{
	return nemu_cores_have_events(inproc->cores);
}

/* ---- opening and closing --------------------------------------------------------------------- */

static void inproc_close(struct nhost_device *device)
{
	struct inproc *inproc = device->executor;

	if (inproc->cores)
		nemu_cores_destroy(inproc->cores);
	if (inproc->event >= 0)
		close(inproc->event);
	nemu_machine_destroy(&inproc->machine);
	free(inproc);
}

static void wake_host(struct inproc *inproc)
{
	struct nhost_bell *bell = __atomic_load_n(&inproc->bell, __ATOMIC_ACQUIRE);

	nemu_cores_wake_word(
		inproc->cores, &nreg_host(inproc->machine.region.memory)->asleep, inproc->event);
	if (bell)
		nhost_bell_ring(bell);
}

static void wake_place(void *context, unsigned place)
{
	struct inproc *inproc = context;

	if (place)
		nemu_cores_wake(inproc->cores, place - 1);
	else
		wake_host(inproc);
}

static bool look_on(void *context, unsigned looks)
{
	const struct inproc *inproc = context;

	return nemu_cores_look_on(inproc->cores, looks);
}

static int open_event(struct inproc *inproc, struct nhost_error *error)
{
	if (!has_events(inproc))
		return 0;
	inproc->event = nhost_event_create();
	return inproc->event < 0 ? nhost_fail(error, -inproc->event,
					   "no descriptor for the host's events: %s",
					   strerror(-inproc->event))
				 : 0;
}

static int start(struct inproc *inproc, struct nhost_device *device, struct nhost_error *error)
{
	struct nemu_machine *machine = &inproc->machine;
	int result =
		nemu_cores_create(&machine->identity, NEMU_REACH_PROGRAM, &inproc->cores, error);

	if (result)
		return result;
	inproc->spin.processors = has_events(inproc) ? 1 : nhost_processors();
	device->spin = has_events(inproc) ? NULL : &inproc->spin;
	result = open_event(inproc, error);
	return result ? result : nemu_cores_start(inproc->cores, machine->device, error);
}

static int open_in(const struct nhost_region_kind *kind, const struct nhost_options *options,
	struct nhost_device *device, struct nhost_error *error)
{
	const unsigned capabilities =
		NREG_CAN_WAKE | NREG_COHERENT | NREG_ATOMICS | NREG_PREEMPTS_KERNELS;
	struct inproc *inproc = aligned_alloc(64, sizeof(struct inproc));
	const struct ndev_platform platform = {
		.wake = wake_place,
		.load = nemu_platform_load,
		.unload = nemu_platform_unload,
		.context = inproc,
		.look_on = look_on,
	};
	char head[32] = "inproc:";
	int result;

	if (!inproc)
		return nhost_fail(error, ENOMEM, "out of memory");
	*inproc = (struct inproc){.event = -1};
	result = nemu_machine_create(
		&inproc->machine, kind, options, capabilities, &platform, error);
	if (result) {
		free(inproc);
		return result;
	}
	if (kind == &nhost_numa)
		snprintf(head, sizeof head, "numa:%d,", inproc->machine.region.node);
	nemu_machine_describe(&inproc->machine, head, device);
	device->executor = inproc;
	result = start(inproc, device, error);
	if (result)
		inproc_close(device);
	return result;
}

static int inproc_open(
	const struct nhost_options *options, struct nhost_device *device, struct nhost_error *error)
{
	return open_in(&nhost_memfd, options, device, error);
}

static int numa_open(
	const struct nhost_options *options, struct nhost_device *device, struct nhost_error *error)
{
	return open_in(&nhost_numa, options, device, error);
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
	uint64_t *word = &nreg_host(inproc->machine.region.memory)->asleep;

	if (!condition->may_sleep(condition->context))
		return;
	nchan_wake_announce(word);
	nemu_cores_fence(inproc->cores);
	if (condition->may_sleep(condition->context) &&
		!__atomic_load_n(&inproc->interrupted, __ATOMIC_RELAXED))
		nemu_cores_sleep(inproc->cores, word, inproc->event, deadline_ns);
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
	nemu_cores_fence(inproc->cores);
	if (!nemu_cores_can_fence(inproc->cores))
		nhost_bell_ring_after(bell, UNFENCED_LISTEN_NS);
	return 0;
}

static void inproc_interrupt(struct nhost_device *device)
{
	struct inproc *inproc = device->executor;
	uint64_t *word = &nreg_host(device->region)->asleep;

	__atomic_store_n(&inproc->interrupted, true, __ATOMIC_RELEASE);
	if (nchan_wake_needed(word) || has_events(inproc))
		nemu_cores_wake_word(inproc->cores, word, inproc->event);
}

static void inproc_wake(struct nhost_device *device, unsigned core)
{
	const struct inproc *inproc = device->executor;

	nemu_cores_wake(inproc->cores, core);
}

static int64_t inproc_now(struct nhost_device *device)
{
	(void)device;
	return nhost_clock_ns();
}

#define SLOTS                                                                \
	.close = inproc_close, .wait = inproc_wait, .listen = inproc_listen, \
	.interrupt = inproc_interrupt, .wake = inproc_wake, .now = inproc_now

const struct nhost_device_ops nemu_inproc = {
	.kind = "inproc",
	.summary = "cores are threads of this program",
	.open = inproc_open,
	SLOTS,
};

const struct nhost_device_ops nemu_numa = {
	.kind = "numa",
	.summary = "likewise; far memory is that of a NUMA node",
	.place = NHOST_PLACE,
	.open = numa_open,
	SLOTS,
};
