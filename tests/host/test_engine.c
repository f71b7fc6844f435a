/* Copy engines that need no hardware: equal to the bit, at every size and alignment. */
#include <dirent.h>
#include <errno.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "host/bell.h"
#include "host/device.h"
#include "tests/host/engine_suite.h"

static const char *const names[] = {"cpu", "auto", "thread"};

enum {
	NAMES = sizeof names / sizeof names[0],
};

static struct nhost_engine open_engine(const char *name)
{
	struct nhost_engine engine;
	struct nhost_error error;

	if (nhost_engine_open(name, NULL, &engine, &error))
		fail_msg("%s: %s", name, error.text);
	return engine;
}

static void every_operation_is_right_at_sizes_0_to_300_and_all_alignments(void **state)
{
	(void)state;
	for (size_t i = 0; i < NAMES; i++) {
		struct nhost_engine engine = open_engine(names[i]);

		for (int kind = 0; kind < NHOST_OP_COUNT; kind++)
			suite_short_sizes(&engine, (enum nhost_op_kind)kind, 1);
		nhost_engine_close(&engine);
	}
}

static void every_operation_is_right_at_large_sizes(void **state)
{
	(void)state;
	for (size_t i = 0; i < NAMES; i++) {
		struct nhost_engine engine = open_engine(names[i]);

		for (int kind = 0; kind < NHOST_OP_COUNT; kind++)
			suite_long_sizes(&engine, (enum nhost_op_kind)kind);
		nhost_engine_close(&engine);
	}
}

static void overlapping_copies_are_as_memmove(void **state)
{
	(void)state;
	for (size_t i = 0; i < NAMES; i++) {
		struct nhost_engine engine = open_engine(names[i]);

		suite_overlaps(&engine);
		nhost_engine_close(&engine);
	}
}

static void results_that_do_not_fit_say_so(void **state)
{
	(void)state;
	for (size_t i = 0; i < NAMES; i++) {
		struct nhost_engine engine = open_engine(names[i]);

		suite_results(&engine);
		nhost_engine_close(&engine);
	}
}

static void what_no_engine_can_do_is_refused_before_anything_is_done(void **state)
{
	static _Alignas(8) char bytes[256];
	struct nhost_error error;
	struct nhost_op wrong[] = {
		{.kind = NHOST_OP_COUNT},
		{.kind = NHOST_COPY, .near = NHOST_IN_MEMORY + 1},
		{.kind = NHOST_COPY_CRC32C, .from = bytes, .to = bytes + 9, .nbytes = 10},
		{.kind = NHOST_DUALCAST,
			.from = bytes,
			.to = bytes + 64,
			.second = bytes + 65,
			.nbytes = 2},
		{.kind = NHOST_DELTA_CREATE,
			.from = bytes,
			.to = bytes,
			.nbytes = 9,
			.record_nbytes = 80},
		{.kind = NHOST_DELTA_CREATE,
			.from = bytes,
			.to = bytes,
			.nbytes = 8,
			.record_nbytes = 70},
		{.kind = NHOST_DELTA_APPLY,
			.from = bytes,
			.to = bytes,
			.nbytes = 8,
			.record_nbytes = 9},
	};
	(void)state;

	for (size_t n = 0; n < NAMES; n++) {
		struct nhost_engine engine = open_engine(names[n]);

		for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
			struct nhost_op both[2];

			nhost_copy_op(&both[0], bytes, "x", 1);
			both[1] = wrong[i];
			error.text[0] = '\0';
			assert_int_equal(nhost_op_check(&wrong[i], &error), -EINVAL);
			assert_int_not_equal(error.text[0], '\0');
			assert_int_equal(engine.ops->submit(&engine, both, 2), -EINVAL);
			assert_int_equal(bytes[0], '\0');
		}
		nhost_engine_close(&engine);
	}
}

static void an_unknown_engine_is_refused_with_the_names_that_there_are(void **state)
{
	struct nhost_engine engine;
	struct nhost_error error;
	(void)state;

	assert_int_equal(nhost_engine_open("gpu", NULL, &engine, &error), -EINVAL);
	for (size_t i = 0; nhost_engines[i]; i++)
		assert_non_null(strstr(error.text, nhost_engines[i]->name));
	nhost_engine_close(&engine);
}

static size_t read_text(const char *path, char *text, size_t nbytes)
{
	FILE *file = fopen(path, "r");
	size_t length;

	assert_non_null(file);
	length = fread(text, 1, nbytes - 1, file);
	text[length] = '\0';
	fclose(file);
	return length;
}

/* The helper's own state letter in /proc: S once it sleeps. */
static void wait_until_the_helper_sleeps(void)
{
	char path[64], text[512];
	bool sleeps = false;

	while (!sleeps) {
		DIR *tasks = opendir("/proc/self/task");
		struct dirent *entry;

		assert_non_null(tasks);
		while ((entry = readdir(tasks))) {
			if (entry->d_name[0] == '.')
				continue;
			snprintf(path, sizeof path, "/proc/self/task/%.20s/stat", entry->d_name);
			read_text(path, text, sizeof text);
			sleeps |= strstr(text, "(nearside/copy) S ") != NULL;
		}
		closedir(tasks);
		sched_yield();
	}
}

static void an_idle_helper_sleeps_and_wakes_for_work(void **state)
{
	struct nhost_engine engine = open_engine("thread");
	struct nhost_op op;
	char to[2] = "";
	(void)state;

	for (int round = 0; round < 3; round++) {
		wait_until_the_helper_sleeps();
		nhost_copy_op(&op, to, round % 2 ? "y" : "x", 1);
		assert_int_equal(nhost_engine_run(&engine, &op, 1), 0);
		assert_int_equal(to[0], round % 2 ? 'y' : 'x');
		assert_int_equal(op.by, NHOST_BY_THREAD);
	}
	nhost_engine_close(&engine);
}

static void a_bell_rings_when_the_helper_has_done_something(void **state)
{
	struct nhost_engine_options options = {.depth = 2};
	struct nhost_engine engine;
	struct nhost_error error;
	struct nhost_bell bell;
	struct nhost_op ops[20];
	char to[20];
	(void)state;

	assert_int_equal(nhost_bell_create(&bell), 0);
	options.bell = &bell;
	assert_int_equal(nhost_engine_open("thread", &options, &engine, &error), 0);
	for (size_t i = 0; i < 20; i++)
		nhost_copy_op(&ops[i], &to[i], "z", 1);
	nhost_bell_arm(&bell);
	assert_int_equal(engine.ops->submit(&engine, ops, 20), 0);
	for (size_t count = 0; count < 20; count += engine.ops->poll(&engine)) {
		if (engine.ops->due_ns(&engine))
			nhost_event_wait(bell.event, -1);
		nhost_bell_quiet(&bell);
		nhost_bell_arm(&bell);
	}
	for (size_t i = 0; i < 20; i++)
		assert_int_equal(to[i], 'z');
	nhost_engine_close(&engine);
	nhost_bell_destroy(&bell);
}

static void closing_ends_what_is_under_way(void **state)
{
	static char from[100][4096], to[100][4096];
	struct nhost_op ops[100];
	(void)state;

	for (size_t n = 0; n < NAMES; n++) {
		struct nhost_engine engine = open_engine(names[n]);

		suite_scribble(from, sizeof from, n + 1);
		for (size_t i = 0; i < 100; i++)
			nhost_copy_op(&ops[i], to[i], from[i], sizeof to[i]);
		assert_int_equal(engine.ops->submit(&engine, ops, 100), 0);
		nhost_engine_close(&engine);
		assert_memory_equal(from, to, sizeof to);
		for (size_t i = 0; i < 100; i++)
			assert_true(nhost_op_is_done(&ops[i]));
	}
}

static void a_processor_that_is_not_there_is_refused_in_words(void **state)
{
	struct nhost_engine_options options = {.processor = CPU_SETSIZE};
	struct nhost_engine engine;
	struct nhost_error error = {""};
	(void)state;

	assert_int_equal(nhost_engine_open("thread", &options, &engine, &error), -EINVAL);
	assert_non_null(strstr(error.text, "taskset"));
}

static void polls_count_each_operation_once(void **state)
{
	(void)state;
	for (size_t i = 0; i < NAMES; i++) {
		struct nhost_engine engine = open_engine(names[i]);
		struct nhost_op ops[10];
		char to[10];
		size_t count = 0;

		for (size_t n = 0; n < 10; n++)
			nhost_copy_op(&ops[n], &to[n], "x", 1);
		assert_int_equal(engine.ops->submit(&engine, ops, 10), 0);
		while (count < 10)
			count += engine.ops->poll(&engine);
		assert_int_equal(count, 10);
		assert_int_equal(engine.ops->poll(&engine), 0);
		assert_int_equal(engine.ops->due_ns(&engine), -1);
		assert_int_equal(engine.counts.ops, 10);
		assert_int_equal(engine.counts.bytes, 10);
		nhost_engine_close(&engine);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_operation_is_right_at_sizes_0_to_300_and_all_alignments),
		cmocka_unit_test(every_operation_is_right_at_large_sizes),
		cmocka_unit_test(overlapping_copies_are_as_memmove),
		cmocka_unit_test(results_that_do_not_fit_say_so),
		cmocka_unit_test(what_no_engine_can_do_is_refused_before_anything_is_done),
		cmocka_unit_test(an_unknown_engine_is_refused_with_the_names_that_there_are),
		cmocka_unit_test(an_idle_helper_sleeps_and_wakes_for_work),
		cmocka_unit_test(a_bell_rings_when_the_helper_has_done_something),
		cmocka_unit_test(closing_ends_what_is_under_way),
		cmocka_unit_test(a_processor_that_is_not_there_is_refused_in_words),
		cmocka_unit_test(polls_count_each_operation_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
