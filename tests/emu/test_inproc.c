/* The in-process device: cores as threads. */
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/emu/kernels/kernels.h"
#include "tests/emu/world.h"
#include "tests/owned.h"

/* ---- what a program owns --------------------------------------------------------------------- */

struct belongings {
	unsigned threads, fds, maps;
};

static struct belongings count_belongings(void)
{
	return (struct belongings){
		count_entries("/proc/self/task"), count_entries("/proc/self/fd"), count_maps()};
}

/* ---- core threads, as /proc shows them ------------------------------------------------------- */

/*
 * The value of one file of each thread whose name begins with "nearside/". False: it cannot be
 * read.
 */
static bool look_at_cores(
	const char *file, bool (*look)(const char *text, void *context), void *context)
{
	DIR *tasks = opendir("/proc/self/task");
	const struct dirent *task;
	bool all = true;

	assert_non_null(tasks);
	while ((task = readdir(tasks))) {
		char path[300], text[4096];
		FILE *stream;

		snprintf(path, sizeof path, "/proc/self/task/%s/comm", task->d_name);
		stream = fopen(path, "r");
		if (!stream)
			continue;
		if (!fgets(text, sizeof text, stream) || strncmp(text, "nearside/", 9))
			text[0] = 0;
		fclose(stream);
		if (!text[0])
			continue;
		snprintf(path, sizeof path, "/proc/self/task/%s/%s", task->d_name, file);
		stream = fopen(path, "r");
		assert_non_null(stream);
		text[fread(text, 1, sizeof text - 1, stream)] = 0;
		fclose(stream);
		all &= look(text, context);
	}
	closedir(tasks);
	return all;
}

/* "202 uaddr op val timeout ...": a futex wait without a time-out. */
static bool sleeps_for_ever(const char *text, void *context)
{
	unsigned long number, word, operation, value, timeout;
	unsigned *count = context;

	(*count)++;
	return sscanf(text, "%lu %lx %lx %lx %lx", &number, &word, &operation, &value, &timeout) ==
		       5 &&
	       number == SYS_futex && !timeout;
}

static bool is_blocked(const char *text, void *context)
{
	const char *line = strstr(text, "SigBlk:");
	unsigned long mask = line ? strtoul(line + 7, NULL, 16) : 0;
	unsigned *count = context;

	(*count)++;
	return (mask & 1ul << (SIGINT - 1)) && (mask & 1ul << (SIGALRM - 1)) &&
	       !(mask & 1ul << (SIGSEGV - 1));
}

/* ---- claims ---------------------------------------------------------------------------------- */

static void echo_answers_on_every_core(void **state)
{
	struct world *world = world_with_kernels("inproc:cores=3");

	(void)state;
	for (unsigned core = 0; core < 3; core++)
		world_spawn_echo(world, core, core + 1, 2 * core + 1, 2 * core + 2);
	for (uint64_t i = 0; i < 300; i++) {
		unsigned core = i % 3;

		assert_int_equal(world_round_trip(world, 2 * core + 1, 2 * core + 2, i), 8);
	}
	world_close(world);
}

static void as_many_cores_as_possible_answer(void **state)
{
	struct world *world = world_with_kernels("inproc:far=1M,cores=64");

	(void)state;
	world_spawn_echo(world, 0, 1, 1, 2);
	world_spawn_echo(world, 63, 2, 3, 4);
	for (uint64_t i = 0; i < 10; i++) {
		assert_int_equal(world_round_trip(world, 1, 2, i), 8);
		assert_int_equal(world_round_trip(world, 3, 4, i), 8);
	}
	world_close(world);
}

static void exit_code_counts_the_echoes(void **state)
{
	struct world *world = world_with_kernels("inproc");

	(void)state;
	world_spawn_echo(world, 0, 1, 1, 2);
	for (uint64_t i = 0; i < 5; i++)
		world_round_trip(world, 1, 2, i);
	small_host_close_writer(&world->host, 1);
	assert_int_equal(small_host_wait_exits(&world->host, 1), 0);
	assert_int_equal(world->host.last_exit.ending, NMSG_EXITED);
	assert_int_equal(world->host.last_exit.value, 5);
	world_close(world);
}

static void spawn_alone(struct world *world, enum test_kernel kernel, uint32_t process)
{
	const struct small_spawn spawn = {
		.image = WORLD_IMAGE, .kernel = kernel, .self = nreg_self(process, 1)};

	assert_int_equal(small_host_spawn(&world->host, &spawn), 0);
}

static void faulting_process_leaves_its_core_running(void **state)
{
	struct world *world = world_with_kernels("inproc");

	(void)state;
	spawn_alone(world, TEST_FAULT, 1);
	assert_int_equal(small_host_wait_exits(&world->host, 1), 0);
	assert_int_equal(world->host.last_exit.ending, NMSG_FAULTED);
	assert_int_equal(world->host.last_exit.site, TEST_FAULT_SITE);
	world_spawn_echo(world, 0, 2, 1, 2);
	assert_int_equal(world_round_trip(world, 1, 2, 99), 8);
	world_close(world);
}

static void endless_process_is_killed(void **state)
{
	struct world *world = world_with_kernels("inproc");

	(void)state;
	spawn_alone(world, TEST_LOOP, 1);
	assert_int_equal(small_host_kill(&world->host, 0, nreg_self(1, 1)), 0);
	assert_int_equal(small_host_wait_exits(&world->host, 1), 0);
	assert_int_equal(world->host.last_exit.ending, NMSG_KILLED);
	world_close(world);
}

static void wait_until_running(struct world *world)
{
	while (!nchan_load(&nreg_core(world->device.region, 0)->status.running))
		sched_yield();
}

static void close_ends_endless_processes(void **state)
{
	struct world *world = world_with_kernels("inproc:cores=2");

	(void)state;
	for (uint32_t process = 1; process <= 20; process++)
		spawn_alone(world, TEST_LOOP, process);
	wait_until_running(world);
	world_close(world);
}

static void wait_returns_at_its_deadline(void **state)
{
	struct world *world = world_open("inproc");

	(void)state;
	world->patience_ns = 1000;
	assert_int_equal(small_host_wait_exits(&world->host, 1), -ETIMEDOUT);
	world->patience_ns = 0;
	assert_int_equal(small_host_wait_exits(&world->host, 1), -ETIMEDOUT);
	world_close(world);
}

static void interruption_ends_the_next_wait(void **state)
{
	struct world *world = world_open("inproc");

	(void)state;
	world->device.ops->interrupt(&world->device);
	assert_int_equal(world->host.platform.wait(&world->host), 0);
	world_close(world);
}

static void case_89_idle_cores_sleep_without_a_timeout(void **state)
{
	struct world *world = world_with_kernels("inproc:cores=4");
	unsigned count = 0;

	(void)state;
	if (access("/proc/self/task/1/syscall", R_OK) &&
		access("/proc/thread-self/syscall", R_OK)) {
		print_message("skipped: /proc does not show system calls here\n");
		world_close(world);
		skip();
	}
	while (!look_at_cores("syscall", sleeps_for_ever, &count) || count < 4) {
		count = 0;
		sched_yield();
	}
	assert_int_equal(count, 4);
	world_close(world);
}

static void signals_are_for_the_programs_own_threads(void **state)
{
	struct world *world = world_with_kernels("inproc:cores=2");
	unsigned count = 0;

	(void)state;
	do { /* a core's thread names itself a moment after it began */
		count = 0;
		assert_true(look_at_cores("status", is_blocked, &count));
	} while (count < 2);
	assert_int_equal(count, 2);
	world_close(world);
}

/* Case 37: code and stacks never lie in memory that may be far or emulated. */
static void case_37_no_code_and_no_stack_lies_in_the_region(void **state)
{
	struct world *world = world_with_kernels("inproc:cores=2");
	const uint64_t begin = world->device.identity.base;
	const uint64_t end = begin + world->device.identity.region_bytes;
	FILE *maps = fopen("/proc/self/maps", "r");
	unsigned parts = 0;
	char line[512];

	(void)state;
	assert_non_null(maps);
	while (fgets(line, sizeof line, maps)) {
		uint64_t from = 0, to = 0;
		char may[5] = "";

		if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s", &from, &to, may) != 3 ||
			to <= begin || from >= end)
			continue;
		assert_string_equal(may, "rw-s"); /* stacks are private */
		assert_non_null(strstr(line, "memfd:nearside-region"));
		parts++;
	}
	fclose(maps);
	assert_in_range(parts, 1, 2);
	world_close(world);
}

static void several_devices_live_side_by_side(void **state)
{
	struct world *world[3];

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		world[i] = world_with_kernels("inproc:cores=2");
		world_spawn_echo(world[i], 1, 1, 1, 2);
	}
	for (uint64_t i = 0; i < 30; i++)
		assert_int_equal(world_round_trip(world[i % 3], 1, 2, i), 8);
	for (unsigned i = 0; i < 3; i++)
		world_close(world[i]);
}

static void open_and_use(void)
{
	struct world *world = world_with_kernels("inproc:cores=2,far=1M");

	world_spawn_echo(world, 1, 1, 1, 2);
	assert_int_equal(world_round_trip(world, 1, 2, 7), 8);
	world_close(world);
}

/* case_52: nothing of an earlier use is taken for something new, either. */
static void opened_and_closed_1000_times_leaves_nothing_behind_case_52(void **state)
{
	struct belongings before, after;

	(void)state;
	for (unsigned i = 0; i < 3; i++)
		open_and_use(); /* the C library keeps the stacks of some ended threads */
	before = count_belongings();
	for (unsigned i = 0; i < 1000; i++)
		open_and_use();
	after = count_belongings();
	assert_int_equal(after.threads, before.threads);
	assert_int_equal(after.fds, before.fds);
	assert_in_range(after.maps, 0, before.maps + 100); /* sanitizers map some of their own */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(echo_answers_on_every_core),
		cmocka_unit_test(as_many_cores_as_possible_answer),
		cmocka_unit_test(exit_code_counts_the_echoes),
		cmocka_unit_test(faulting_process_leaves_its_core_running),
		cmocka_unit_test(endless_process_is_killed),
		cmocka_unit_test(close_ends_endless_processes),
		cmocka_unit_test(wait_returns_at_its_deadline),
		cmocka_unit_test(interruption_ends_the_next_wait),
		cmocka_unit_test(case_89_idle_cores_sleep_without_a_timeout),
		cmocka_unit_test(signals_are_for_the_programs_own_threads),
		cmocka_unit_test(case_37_no_code_and_no_stack_lies_in_the_region),
		cmocka_unit_test(several_devices_live_side_by_side),
		cmocka_unit_test(opened_and_closed_1000_times_leaves_nothing_behind_case_52),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
