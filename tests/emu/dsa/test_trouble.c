/* Everything that hardware may do wrong, asked of the model; the bytes must be right each time. */
#include <dirent.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include <cmocka.h>

#include "host/engine/dsa.h"
#include "tests/emu/dsa/instructions.h"
#include "tests/emu/dsa/under_model.h"
#include "tests/host/engine_suite.h"

enum {
	SMALL = 304,
	MEDIUM = 100 * 1000,
	COPIES = 100,
};

static const int64_t short_time_ns = 200 * 1000 * 1000;
static const int64_t long_time_ns = 20000000000; /* for what must end sooner by itself */

static struct ndsa_control *control;

static _Alignas(4096) unsigned char from[MEDIUM], to[MEDIUM], second[MEDIUM];
static _Alignas(4096) unsigned char to_before[MEDIUM], second_before[MEDIUM];

static int set_up(void **state)
{
	(void)state;
	under_model_calm(control);
	suite_scribble(from, sizeof from, 1);
	suite_scribble(to, sizeof to, 2);
	return 0;
}

static struct nhost_engine open_engine(int64_t lost_ns)
{
	return under_model_open(&(struct nhost_engine_options){.lost_ns = lost_ns});
}

static struct nhost_op small_op(int kind)
{
	struct nhost_op op = {.kind = (uint8_t)kind,
		.from = from,
		.to = to,
		.second = second,
		.nbytes = SMALL,
		.pattern = 0x123456789abcdef,
		.seed = 5,
		.record_nbytes = 400};

	if (kind == NHOST_COMPARE || kind == NHOST_DELTA_CREATE) {
		memcpy(second, from, SMALL);
		for (size_t at = 5; at < SMALL; at += 40)
			second[at] ^= kind == NHOST_COMPARE ? at == 285 : 1;
	}
	if (kind == NHOST_COMPARE_PATTERN)
		for (size_t i = 0; i < SMALL; i++)
			from[i] = (unsigned char)(op.pattern >> 8 * (i % 8));
	if (kind == NHOST_DELTA_APPLY) {
		op.record_nbytes = 300;
		for (uint16_t i = 0; i < 30; i++)
			memcpy(from + (size_t)10 * i, &i, sizeof i);
	}
	return op;
}

/* The operation by the engine, then by the reference from the same bytes: equal in all. */
static void try_once(struct nhost_engine *engine, struct nhost_op op)
{
	struct nhost_op expected = op;

	memcpy(to_before, to, sizeof to);
	memcpy(second_before, second, sizeof second);
	assert_int_equal(nhost_engine_run(engine, &op, 1), 0);
	if (op.kind != NHOST_DELTA_CREATE && op.kind != NHOST_COMPARE)
		expected.second = second_before;
	expected.to = to_before + ((unsigned char *)op.to - to);
	if ((unsigned char *)op.from >= to && (unsigned char *)op.from < to + sizeof to)
		expected.from = to_before + ((const unsigned char *)op.from - to);
	reference_do(&expected);
	assert_int_equal(op.status, expected.status);
	assert_int_equal(op.result, expected.result);
	assert_memory_equal(to, to_before, sizeof to);
	assert_memory_equal(second, second_before, sizeof second);
}

/* ---- page faults ----------------------------------------------------------------------------- */

static void case_29_each_operation_is_resumed_at_every_byte_it_may_stop_at(void **state)
{
	struct nhost_engine engine = open_engine(long_time_ns);
	(void)state;

	for (int kind = 0; kind < NHOST_OP_COUNT; kind++) {
		for (unsigned at = 0; at < SMALL; at++) {
			struct nhost_op op = small_op(kind);

			ndsa_set(&control->fault_at, at);
			ndsa_set(&control->fault_is_write, at % 2);
			ndsa_set(&control->faults, 1);
			try_once(&engine, op);
		}
	}
	assert_int_equal(engine.counts.abandoned_queues, 0);
	nhost_engine_close(&engine);
}

static void case_29_a_move_is_resumed_in_its_own_direction(void **state)
{
	struct nhost_engine engine = open_engine(long_time_ns);
	(void)state;

	for (unsigned at = 0; at < SMALL; at++) {
		for (int is_up = 0; is_up < 2; is_up++) {
			struct nhost_op op;

			nhost_copy_op(&op, to + (is_up ? 40 : 0), to + (is_up ? 0 : 40), SMALL);
			ndsa_set(&control->fault_at, at);
			ndsa_set(&control->faults, 1);
			try_once(&engine, op);
		}
	}
	assert_int_equal(engine.counts.faults, 2 * SMALL);
	nhost_engine_close(&engine);
}

static void case_19_a_page_that_is_not_there_is_the_processors_and_counted(void **state)
{
	struct nhost_engine engine = open_engine(long_time_ns);
	uint64_t descriptors = ndsa_get(&control->descriptors);
	struct nhost_op op;
	(void)state;

	nhost_copy_op(&op, to, from, MEDIUM);
	ndsa_set(&control->fault_at, MEDIUM / 3);
	ndsa_set(&control->fault_is_write, 1);
	ndsa_set(&control->faults, NDSA_NEVER);
	assert_int_equal(nhost_engine_run(&engine, &op, 1), 0);
	assert_int_equal(op.status, 0);
	assert_int_equal(op.by, NHOST_BY_DSA_AND_CPU);
	assert_memory_equal(from, to, MEDIUM);
	assert_int_equal(engine.counts.faults, 1);
	assert_int_equal(engine.counts.cpu_bytes, MEDIUM - MEDIUM / 3);
	/* Given to hardware once: a second time it would only meet the same page. */
	assert_int_equal(ndsa_get(&control->descriptors) - descriptors, 1);
	nhost_engine_close(&engine);
}

/* ---- queues ---------------------------------------------------------------------------------- */

static void prepare_copies(struct nhost_op *ops)
{
	enum {
		EACH = MEDIUM / COPIES
	};

	memset(to, 0, sizeof to);
	for (size_t i = 0; i < COPIES; i++)
		nhost_copy_op(&ops[i], to + i * EACH, from + i * EACH, EACH);
}

static void a_full_queue_is_waited_for(void **state)
{
	struct nhost_engine engine = open_engine(long_time_ns);
	struct nhost_op ops[COPIES];
	(void)state;

	prepare_copies(ops);
	ndsa_set(&control->stall, 1);
	assert_int_equal(engine.ops->submit(&engine, ops, COPIES), 0);
	assert_int_equal(engine.ops->wait(&engine, ops, COPIES, 0), -ETIMEDOUT);
	ndsa_set(&control->stall, 0);
	assert_int_equal(engine.ops->wait(&engine, ops, COPIES, -1), 0);
	assert_memory_equal(from, to, MEDIUM);
	assert_int_equal(engine.counts.abandoned_queues, 0);
	nhost_engine_close(&engine);
}

static void case_23_a_queue_that_stays_full_is_abandoned(void **state)
{
	struct nhost_engine engine = open_engine(short_time_ns);
	struct nhost_op ops[COPIES];
	(void)state;

	prepare_copies(ops);
	ndsa_set(&control->stall, 1);
	assert_int_equal(nhost_engine_run(&engine, ops, COPIES), 0);
	assert_memory_equal(from, to, MEDIUM);
	assert_int_equal(engine.counts.abandoned_queues, 1);
	nhost_engine_close(&engine);
	ndsa_set(&control->stall, 0);
}

static void an_answer_of_try_again_is_tried_again(void **state)
{
	struct nhost_engine engine = open_engine(long_time_ns);
	struct nhost_op op;
	(void)state;

	nhost_copy_op(&op, to, from, MEDIUM);
	ndsa_set(&control->refuse, 10);
	assert_int_equal(nhost_engine_run(&engine, &op, 1), 0);
	assert_int_equal(op.by, NHOST_BY_DSA);
	assert_memory_equal(from, to, MEDIUM);
	/* Only shared queues that are mapped are asked by ENQCMD. */
	assert_int_equal(engine.counts.retries > 0, instructions_met.enqcmd > 0);
	nhost_engine_close(&engine);
}

static void an_answer_of_try_again_is_not_tried_for_ever(void **state)
{
	struct nhost_engine engine = open_engine(short_time_ns);
	struct nhost_op op;
	(void)state;

	nhost_copy_op(&op, to, from, MEDIUM);
	ndsa_set(&control->refuse, NDSA_NEVER);
	assert_int_equal(nhost_engine_run(&engine, &op, 1), 0);
	assert_memory_equal(from, to, MEDIUM);
	if (instructions_met.enqcmd) {
		assert_int_equal(op.by, NHOST_BY_CPU);
		assert_int_equal(engine.counts.abandoned_queues, 1);
	}
	nhost_engine_close(&engine);
}

static void completions_in_any_order_are_taken(void **state)
{
	struct nhost_engine engine = open_engine(long_time_ns);
	struct nhost_op ops[COPIES];
	(void)state;

	prepare_copies(ops);
	ndsa_set(&control->shuffle, 8);
	assert_int_equal(nhost_engine_run(&engine, ops, COPIES), 0);
	assert_memory_equal(from, to, MEDIUM);
	nhost_engine_close(&engine);
}

static void case_20_a_poll_does_bounded_work_while_more_comes(void **state)
{
	struct nhost_engine engine = open_engine(long_time_ns);
	struct nhost_op ops[COPIES];
	size_t done = 0, most = 0;
	(void)state;

	prepare_copies(ops);
	for (size_t i = 0; i < COPIES; i++) {
		size_t now;

		assert_int_equal(engine.ops->submit(&engine, &ops[i], 1), 0);
		now = engine.ops->poll(&engine);
		most = now > most ? now : most;
		done += now;
	}
	while (done < COPIES)
		done += engine.ops->poll(&engine);
	assert_int_equal(done, COPIES);
	assert_true(most <= COPIES);
	assert_int_equal(engine.ops->due_ns(&engine), -1);
	nhost_engine_close(&engine);
}

/* ---- what never comes ------------------------------------------------------------------------ */

static void case_23_a_completion_that_never_comes_ends_in_time(void **state)
{
	(void)state;
	for (int is_done = 0; is_done < 2; is_done++) {
		struct nhost_engine engine = open_engine(short_time_ns);
		struct nhost_op ops[COPIES];

		prepare_copies(ops);
		ndsa_set(is_done ? &control->lose : &control->swallow, is_done ? NDSA_NEVER : 1);
		assert_int_equal(nhost_engine_run(&engine, ops, COPIES), 0);
		assert_memory_equal(from, to, MEDIUM);
		assert_int_equal(engine.counts.lost, 1);
		assert_int_equal(engine.counts.abandoned_queues, 1);
		nhost_engine_close(&engine);
		under_model_calm(control);
	}
}

static void a_record_missing_in_a_batch_is_made_up_for(void **state)
{
	struct nhost_engine engine = open_engine(short_time_ns);
	struct nhost_op ops[COPIES];
	(void)state;

	prepare_copies(ops);
	ndsa_set(&control->lose, 1);
	assert_int_equal(nhost_engine_run(&engine, ops, COPIES), 0);
	assert_memory_equal(from, to, MEDIUM);
	assert_int_equal(engine.counts.lost, ndsa_get(&control->batches) ? 0 : 1);
	nhost_engine_close(&engine);
}

static void case_23_a_move_without_an_answer_says_that_it_may_be_half_done(void **state)
{
	struct nhost_engine engine = open_engine(short_time_ns);
	struct nhost_op op;
	(void)state;

	nhost_copy_op(&op, to + 8, to, MEDIUM - 8);
	ndsa_set(&control->lose, 1);
	assert_int_equal(nhost_engine_run(&engine, &op, 1), 0);
	assert_int_equal(op.status, -EIO);
	nhost_engine_close(&engine);
}

static void case_4_a_status_that_nobody_knows_is_kept_as_it_came(void **state)
{
	struct nhost_engine engine = open_engine(long_time_ns);
	struct nhost_op op;
	char text[4096];
	(void)state;

	nhost_copy_op(&op, to, from, MEDIUM);
	ndsa_set(&control->status, 0x3f);
	assert_int_equal(nhost_engine_run(&engine, &op, 1), 0);
	assert_memory_equal(from, to, MEDIUM);
	assert_int_equal(op.by, NHOST_BY_CPU);
	engine.ops->explain(&engine, text, sizeof text);
	assert_non_null(strstr(text, "status 0x3f"));
	nhost_engine_close(&engine);
}

static void an_operation_that_the_device_does_not_know_is_offered_once(void **state)
{
	struct nhost_engine engine = open_engine(long_time_ns);
	struct nhost_op op = small_op(NHOST_FILL);
	uint64_t descriptors;
	(void)state;

	ndsa_set(&control->status, 0x10);
	try_once(&engine, op);
	descriptors = engine.counts.descriptors;
	try_once(&engine, op);
	assert_int_equal(engine.counts.descriptors, descriptors);
	nhost_engine_close(&engine);
}

/* ---- limits ---------------------------------------------------------------------------------- */

static void the_destination_goes_where_the_caller_says(void **state)
{
	struct nhost_engine engine = open_engine(long_time_ns);
	struct nhost_op op;
	(void)state;

	for (int near = NHOST_IN_CACHE; near <= NHOST_IN_MEMORY; near++) {
		uint64_t before = ndsa_get(&control->to_cache);

		nhost_copy_op(&op, to, from, 4096);
		op.near = (uint8_t)near;
		assert_int_equal(nhost_engine_run(&engine, &op, 1), 0);
		assert_int_equal(ndsa_get(&control->to_cache) > before, near == NHOST_IN_CACHE);
	}
	nhost_engine_close(&engine);
}

/* A page that the kernel brings in for hardware ignores where its program wanted it. */
static void case_26_hardware_never_brings_in_pages(void **state)
{
	const struct dsa_facts facts = {.has_cache_control = true, .max_transfer = 1 << 20};
	struct dsa_completion_record record;
	struct dsa_hw_desc descriptor;
	struct nhost_op op;
	const struct dsa_piece piece = {&op, 0, 4096};
	(void)state;

	for (uint8_t kind = 0; kind < NHOST_OP_COUNT; kind++) {
		nhost_copy_op(&op, to, from, 4096);
		op.kind = kind;
		dsa_describe(&piece, &facts, &descriptor, &record);
		assert_true(descriptor.flags & IDXD_OP_FLAG_CRAV);
		assert_false(descriptor.flags & IDXD_OP_FLAG_BOF);
	}
}

static void case_7_a_dedicated_queue_has_one_user(void **state)
{
	struct nhost_engine engine = open_engine(long_time_ns), other;
	struct nhost_error error;
	char text[4096];
	(void)state;

	engine.ops->explain(&engine, text, sizeof text);
	if (strstr(text, "dsa0, shared")) {
		print_message("skipped: the queue is shared\n");
		nhost_engine_close(&engine);
		skip();
	}
	assert_int_equal(nhost_engine_open("dsa", NULL, &other, &error), -ENODEV);
	assert_non_null(strstr(error.text, "another one has it"));
	nhost_engine_close(&engine);
	assert_int_equal(nhost_engine_open("dsa", NULL, &other, &error), 0);
	nhost_engine_close(&other);
}

static unsigned open_files(void)
{
	DIR *files = opendir("/proc/self/fd");
	unsigned count = 0;

	assert_non_null(files);
	while (readdir(files))
		count++;
	closedir(files);
	return count;
}

/* One more file each time, until it succeeds; the checkers of memory look on. */
static void case_22_each_failing_step_of_opening_a_queue_is_undone(void **state)
{
	unsigned before = open_files();
	struct rlimit saved;
	int result = -1;
	(void)state;

	assert_int_equal(getrlimit(RLIMIT_NOFILE, &saved), 0);
	for (rlim_t files = 0; files < 64 && result; files++) {
		const struct rlimit limit = {files, saved.rlim_max};
		struct nhost_engine engine;
		struct nhost_error error = {""};

		assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
		result = nhost_engine_open("dsa", NULL, &engine, &error);
		assert_int_equal(setrlimit(RLIMIT_NOFILE, &saved), 0);
		if (result)
			assert_int_not_equal(error.text[0], '\0');
		nhost_engine_close(&engine);
		assert_int_equal(open_files(), before);
	}
	assert_int_equal(result, 0);
}

static void a_queue_that_is_not_there_is_refused_by_its_name(void **state)
{
	const struct nhost_engine_options options = {.queue = "wq7.7"};
	struct nhost_engine engine;
	struct nhost_error error;
	(void)state;

	assert_int_equal(nhost_engine_open("dsa", &options, &engine, &error), -ENODEV);
	assert_non_null(strstr(error.text, "wq7.7"));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup(name, set_up)
	const struct CMUnitTest tests[] = {
		TEST(case_29_each_operation_is_resumed_at_every_byte_it_may_stop_at),
		TEST(case_29_a_move_is_resumed_in_its_own_direction),
		TEST(case_19_a_page_that_is_not_there_is_the_processors_and_counted),
		TEST(a_full_queue_is_waited_for),
		TEST(case_23_a_queue_that_stays_full_is_abandoned),
		TEST(an_answer_of_try_again_is_tried_again),
		TEST(an_answer_of_try_again_is_not_tried_for_ever),
		TEST(completions_in_any_order_are_taken),
		TEST(case_20_a_poll_does_bounded_work_while_more_comes),
		TEST(case_23_a_completion_that_never_comes_ends_in_time),
		TEST(a_record_missing_in_a_batch_is_made_up_for),
		TEST(case_23_a_move_without_an_answer_says_that_it_may_be_half_done),
		TEST(case_4_a_status_that_nobody_knows_is_kept_as_it_came),
		TEST(an_operation_that_the_device_does_not_know_is_offered_once),
		TEST(the_destination_goes_where_the_caller_says),
		TEST(case_26_hardware_never_brings_in_pages),
		TEST(case_7_a_dedicated_queue_has_one_user),
		TEST(case_22_each_failing_step_of_opening_a_queue_is_undone),
		TEST(a_queue_that_is_not_there_is_refused_by_its_name),
	};

	control = under_model();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
