/* The simulation device: the firmware's cores and the host in one thread, from a seed. */
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "emu/devices.h"
#include "tests/emu/kernels/kernels.h"
#include "tests/emu/world.h"

enum {
	SEEDS = 200
};

static struct world *open_seed(unsigned cores, uint64_t seed, bool faults)
{
	char name[64];

	snprintf(name, sizeof name, "sim:cores=%u,far=1M,seed=%" PRIu64 ",faults=%d", cores, seed,
		faults);
	return world_with_kernels(name);
}

/* Echoes on every core, answered in turn; returns the trace. */
static uint64_t run(unsigned cores, uint64_t seed, bool faults)
{
	struct world *world = open_seed(cores, seed, faults);
	uint64_t trace;

	for (unsigned core = 0; core < cores; core++)
		world_spawn_echo(world, core, core + 1, 2 * core + 1, 2 * core + 2);
	for (uint64_t i = 0; i < 20; i++) {
		unsigned core = (unsigned)(i % cores);

		if (world_round_trip(world, 2 * core + 1, 2 * core + 2, i) != 8)
			fail_msg(
				"%s: message %" PRIu64 " did not come back", world->device.name, i);
	}
	for (unsigned core = 0; core < cores; core++)
		small_host_close_writer(&world->host, 2 * core + 1);
	if (small_host_wait_exits(&world->host, cores))
		fail_msg("%s: exits did not come", world->device.name);
	assert_int_equal(world->host.place.faults, 0);
	trace = nemu_sim_trace(&world->device);
	world_close(world);
	return trace;
}

/* ---- claims ---------------------------------------------------------------------------------- */

static void echo_answers_for_every_seed(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < SEEDS; seed++)
		run(1 + seed % 4, seed, false);
}

static void echo_answers_with_faults(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < SEEDS; seed++)
		run(1 + seed % 4, seed, true);
}

static void same_seed_is_the_same_run(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < 10; seed++) {
		assert_int_equal(run(3, seed, false), run(3, seed, false));
		assert_int_equal(run(3, seed, true), run(3, seed, true));
	}
}

static void other_seeds_are_other_runs(void **state)
{
	unsigned different = 0;

	(void)state;
	for (uint64_t seed = 0; seed < 10; seed++)
		different += run(2, seed, false) != run(2, seed + 1, false);
	assert_int_equal(different, 10);
}

static void waiting_for_nobody_is_a_deadlock(void **state)
{
	struct world *world = open_seed(2, 1, false);
	char nothing;

	(void)state;
	assert_int_equal(small_host_wait_exits(&world->host, 1), -EDEADLK);
	small_host_pipe(&world->host, 1);
	assert_int_equal(world_round_trip(world, 1, 1, 5), 8);
	assert_int_equal(small_host_read(&world->host, 1, &nothing, 1), -EDEADLK);
	world_close(world);
}

static void waiting_for_nobody_ends_at_the_deadline(void **state)
{
	struct world *world = open_seed(2, 1, false);
	int64_t began = world->device.ops->now(&world->device);

	(void)state;
	world->patience_ns = 3600 * (int64_t)1000000000;
	assert_int_equal(small_host_wait_exits(&world->host, 1), -ETIMEDOUT);
	assert_true(world->device.ops->now(&world->device) >= began + world->patience_ns);
	world_close(world);
}

/* Who only ever looks still gets an answer, and sees time pass. */
static void looking_without_waiting_lets_cores_run(void **state)
{
	struct world *world = open_seed(1, 2, false);
	int64_t began, message = 3;
	unsigned looks = 0;

	(void)state;
	world_spawn_echo(world, 0, 1, 1, 2);
	small_host_write(&world->host, 1, &message, sizeof message);
	began = world->device.ops->now(&world->device);
	world->patience_ns = 0;
	while (small_host_read(&world->host, 2, &message, sizeof message) == -ETIMEDOUT)
		assert_in_range(looks++, 0, 10000);
	assert_true(world->device.ops->now(&world->device) > began);
	world_close(world);
}

static void cannot_preempt_and_says_so(void **state)
{
	struct world *world = open_seed(1, 0, false);

	(void)state;
	assert_false(world->device.identity.capabilities & NREG_PREEMPTS_KERNELS);
	assert_true(world->device.identity.capabilities & NREG_CAN_WAKE);
	world_close(world);
}

static void faulting_process_ends_alone(void **state)
{
	const struct small_spawn spawn = {
		.image = WORLD_IMAGE, .kernel = TEST_FAULT, .self = nreg_self(9, 1)};
	struct world *world = open_seed(1, 3, false);

	(void)state;
	world_spawn_echo(world, 0, 1, 1, 2);
	small_host_spawn(&world->host, &spawn);
	assert_int_equal(small_host_wait_exits(&world->host, 1), 0);
	assert_int_equal(world->host.last_exit.ending, NMSG_FAULTED);
	assert_int_equal(world_round_trip(world, 1, 2, 4), 8);
	world_close(world);
}

/* Nobody asks for it: the wait that would never end does. */
static void a_kernel_that_never_suspends_is_ended(void **state)
{
	const struct small_spawn spawn = {
		.image = WORLD_IMAGE, .kernel = TEST_LOOP, .self = nreg_self(9, 1)};
	struct world *world = open_seed(2, 3, false);

	(void)state;
	nemu_sim_set_patience(&world->device, 10 * 1000 * 1000);
	world_spawn_echo(world, 1, 1, 1, 2);
	small_host_spawn(&world->host, &spawn);
	assert_int_equal(small_host_wait_exits(&world->host, 1), 0);
	assert_int_equal(world->host.last_exit.self, nreg_self(9, 1));
	assert_int_equal(world->host.last_exit.ending, NMSG_KILLED);
	assert_int_equal(world_round_trip(world, 1, 2, 4), 8);
	world_close(world);
}

static void *wait_elsewhere(void *context)
{
	struct world *world = context;

	return (void *)(intptr_t)world->host.platform.wait(&world->host);
}

static void another_thread_is_refused(void **state)
{
	struct world *world = open_seed(1, 0, false);
	pthread_t thread;
	void *result;

	(void)state;
	assert_int_equal(pthread_create(&thread, NULL, wait_elsewhere, world), 0);
	pthread_join(thread, &result);
	assert_int_equal((intptr_t)result, -EPERM);
	world_close(world);
}

static void interruption_ends_the_next_wait(void **state)
{
	struct world *world = open_seed(1, 0, false);

	(void)state;
	assert_int_equal(small_host_wait_exits(&world->host, 1), -EDEADLK);
	world->device.ops->interrupt(&world->device);
	assert_int_equal(world->host.platform.wait(&world->host), 0);
	assert_int_equal(world->host.platform.wait(&world->host), -EDEADLK);
	world_close(world);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(echo_answers_for_every_seed),
		cmocka_unit_test(echo_answers_with_faults),
		cmocka_unit_test(same_seed_is_the_same_run),
		cmocka_unit_test(other_seeds_are_other_runs),
		cmocka_unit_test(waiting_for_nobody_is_a_deadlock),
		cmocka_unit_test(waiting_for_nobody_ends_at_the_deadline),
		cmocka_unit_test(looking_without_waiting_lets_cores_run),
		cmocka_unit_test(cannot_preempt_and_says_so),
		cmocka_unit_test(faulting_process_ends_alone),
		cmocka_unit_test(a_kernel_that_never_suspends_is_ended),
		cmocka_unit_test(another_thread_is_refused),
		cmocka_unit_test(interruption_ends_the_next_wait),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
