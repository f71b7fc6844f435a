/*
 * sim.c - the simulation device: host and cores take turns in one thread (schedule.h), the host on
 * its own stack, each core on a fiber. A turn ends at a pause, of which there is one after each
 * store of a line, one between steps, and one where a fence would stand; so every order that the
 * protocol must withstand can come up, and comes up again with the same seed.
 *
 * Sleep is as on the in-process device, by wake words: a lost wake-up ends in -EDEADLK. A kernel
 * that never suspends is ended after a while (sim_watch.h).
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "channels/wake.h"
#include "emu/core_loop.h"
#include "emu/devices.h"
#include "emu/machine.h"
#include "emu/schedule.h"
#include "emu/sim_watch.h"
#include "host/bell.h"

struct sim_core {
	struct sim *sim;
	struct ndev_core *core;
};

struct sim {
	struct nemu_machine machine;
	struct nemu_schedule *schedule;
	struct sim_watch *watch;
	struct nchan_pause pause;
	struct nhost_bell *bell; /* of a host that listens; NULL: none ever did */
	struct sim_core cores[];
};

/* ---- cores ----------------------------------------------------------------------------------- */

static bool core_is_over(void *context)
{
	(void)context;
	return false; /* fibers are forgotten, not ended */
}

static bool core_look_again(void *context, bool was_busy)
{
	const struct sim_core *core = context;

	nemu_schedule_pause(core->sim->schedule);
	return was_busy;
}

static void core_fence(void *context)
{
	const struct sim_core *core = context;

	nemu_schedule_pause(core->sim->schedule);
}

static void core_sleep(void *context, uint64_t *word)
{
	const struct sim_core *core = context;

	if (nchan_load(word) == 1)
		nemu_schedule_sleep(core->sim->schedule);
}

static void run_core(void *context)
{
	struct sim_core *core = context;
	const struct nemu_idle idle = {core_is_over, core_look_again, core_fence, core_sleep, core};

	nemu_core_loop(core->core, &idle);
}

/* ---- opening and closing --------------------------------------------------------------------- */

static void wake_place(void *context, unsigned place)
{
	const struct sim *sim = context;

	nemu_schedule_wake(sim->schedule, place);
}

static int add_cores(struct sim *sim, unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
		int result;

		sim->cores[i] = (struct sim_core){sim, ndev_core(sim->machine.device, i)};
		result = nemu_schedule_add(sim->schedule, run_core, &sim->cores[i]);
		if (result)
			return result;
	}
	return 0;
}

static int start_watch(struct sim *sim, struct nhost_error *error)
{
	int number = sim_watch_start(sim->schedule, sim->machine.region.memory, &sim->watch);

	if (!number)
		return 0;
	return nhost_fail(error, number,
		"cannot start the thread that looks after the simulation: %s", strerror(number));
}

static int create_machine(
	struct sim *sim, const struct nhost_options *options, struct nhost_error *error)
{
	const unsigned capabilities = NREG_CAN_WAKE | NREG_COHERENT | NREG_ATOMICS;
	const struct ndev_platform platform = {
		.wake = wake_place,
		.load = nemu_platform_load,
		.unload = nemu_platform_unload,
		.context = sim,
		.pause = &sim->pause,
	};
	int result;

	result = nemu_schedule_create(
		options->seed, options->faults, options->cores, &sim->schedule);
	if (result)
		return nhost_fail(error, -result, "out of memory");
	nemu_schedule_slow_down(sim->schedule, options->slow_host, options->slow_cores);
	sim->pause = (struct nchan_pause){nemu_schedule_pause, sim->schedule};
	result = nemu_machine_create(
		&sim->machine, &nhost_memfd, options, capabilities, &platform, error);
	if (result)
		nemu_schedule_destroy(sim->schedule);
	return result;
}

static void sim_close(struct nhost_device *device)
{
	struct sim *sim = device->executor;

	sim_watch_stop(sim->watch);
	nemu_schedule_destroy(sim->schedule);
	nemu_machine_destroy(&sim->machine);
	free(sim);
}

static int sim_open(
	const struct nhost_options *options, struct nhost_device *device, struct nhost_error *error)
{
	struct sim *sim = calloc(1, sizeof *sim + options->cores * sizeof sim->cores[0]);
	char head[48];
	int result;

	if (!sim)
		return nhost_fail(error, ENOMEM, "out of memory");
	result = create_machine(sim, options, error);
	if (result) {
		free(sim);
		return result;
	}
	snprintf(head, sizeof head, "sim:seed=%" PRIu64 ",%s", options->seed,
		options->faults ? "faults=1," : "");
	nemu_machine_describe(&sim->machine, head, device);
	device->pause = &sim->pause;
	device->executor = sim;
	result = add_cores(sim, options->cores);
	if (result)
		nhost_fail(error, -result, "no memory for the stacks of %u cores", options->cores);
	else
		result = start_watch(sim, error);
	if (result)
		sim_close(device);
	return result;
}

/* ---- the host's side ------------------------------------------------------------------------- */

/* Who never waits long still lets the cores run. */
static int look_once(struct sim *sim, const struct nhost_condition *condition)
{
	nemu_schedule_host_yield(sim->schedule);
	return condition->ready(condition->context) ? 0 : -ETIMEDOUT;
}

static int sleep_unless_needed(
	struct sim *sim, int64_t deadline_ns, const struct nhost_condition *condition)
{
	uint64_t *word = &nreg_host(sim->machine.region.memory)->asleep;
	int result = 0;

	if (!condition->may_sleep(condition->context))
		return 0;
	nchan_wake_announce(word);
	nemu_schedule_pause(sim->schedule);
	if (condition->may_sleep(condition->context) && nchan_load(word) == 1)
		result = nemu_schedule_host_sleep(sim->schedule, deadline_ns);
	nchan_wake_withdraw(word);
	return result;
}

static int sim_wait(
	struct nhost_device *device, int64_t deadline_ns, const struct nhost_condition *condition)
{
	struct sim *sim = device->executor;

	if (condition->ready(condition->context))
		return 0;
	if (deadline_ns >= 0 && deadline_ns <= nemu_schedule_now(sim->schedule))
		return look_once(sim, condition);
	return sleep_unless_needed(sim, deadline_ns, condition);
}

/*
 * The cores have turns while the host is in here only; so as long as they have something to do, it
 * is called again.
 */
static int sim_listen(struct nhost_device *device, struct nhost_bell *bell)
{
	struct sim *sim = device->executor;

	if (!nemu_schedule_is_mine(sim->schedule))
		return -EPERM;
	sim->bell = bell;
	nemu_schedule_host_yield(sim->schedule);
	if (nemu_schedule_is_idle(sim->schedule))
		return -EDEADLK;
	nhost_bell_ring(bell);
	return 0;
}

static void sim_interrupt(struct nhost_device *device)
{
	const struct sim *sim = device->executor;

	nemu_schedule_interrupt(sim->schedule);
}

static void sim_wake(struct nhost_device *device, unsigned core)
{
	struct sim *sim = device->executor;

	wake_place(sim, core + 1);
	if (sim->bell)
		nhost_bell_ring(sim->bell);
}

static int64_t sim_now(struct nhost_device *device)
{
	const struct sim *sim = device->executor;

	return nemu_schedule_now(sim->schedule);
}

uint64_t nemu_sim_trace(const struct nhost_device *device)
{
	const struct sim *sim = device->executor;

	return nemu_schedule_trace(sim->schedule);
}

void nemu_sim_set_patience(const struct nhost_device *device, int64_t patience_ns)
{
	const struct sim *sim = device->executor;

	sim_watch_set_patience(sim->watch, patience_ns);
}

const struct nhost_device_ops nemu_sim = {
	.kind = "sim",
	.summary = "host and cores take turns in one thread, in an order drawn from seed=N",
	.open = sim_open,
	.close = sim_close,
	.wait = sim_wait,
	.listen = sim_listen,
	.interrupt = sim_interrupt,
	.wake = sim_wake,
	.now = sim_now,
};
