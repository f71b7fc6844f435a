/* The engine `auto` under the model: wishes are heard, parts come together, trouble is survived. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "host/engine/dsa.h"
#include "tests/emu/dsa/instructions.h"
#include "tests/emu/dsa/under_model.h"
#include "tests/host/engine_suite.h"

enum {
	LARGE = 3 * 1024 * 1024 + 5,
	ROUNDS = 60,
	COPIES = 40,
};

static struct ndsa_control *control;

static unsigned char from[LARGE], to[LARGE], second[LARGE];

static int set_up(void **state)
{
	(void)state;
	under_model_calm(control);
	suite_scribble(from, sizeof from, 1);
	memset(to, 0, sizeof to);
	return 0;
}

static struct nhost_engine open_auto(int64_t lost_ns)
{
	return under_model_open_named("auto",
		&(struct nhost_engine_options){.lost_ns = lost_ns, .hardware_wanted = true});
}

static void each_wish_is_heard(void **state)
{
	static const enum nhost_by wishes[] = {
		NHOST_BY_CPU, NHOST_BY_THREAD, NHOST_BY_DSA, NHOST_BY_DSA_AND_CPU};
	struct nhost_engine engine = open_auto(0);
	(void)state;

	for (int i = 0; i < 12; i++) {
		struct nhost_op op;

		memset(to, 0, sizeof to);
		nhost_copy_op(&op, to, from, LARGE);
		op.wish = (uint8_t)wishes[i % 4];
		assert_int_equal(nhost_engine_run(&engine, &op, 1), 0);
		assert_int_equal(op.by, wishes[i % 4]);
		assert_memory_equal(from, to, LARGE);
	}
	assert_int_equal(engine.ops->due_ns(&engine), -1);
	nhost_engine_close(&engine);
}

static void every_operation_is_right_whoever_does_it(void **state)
{
	struct nhost_engine engine = open_auto(0);
	(void)state;

	for (int kind = 0; kind < NHOST_OP_COUNT; kind++) {
		suite_short_sizes(&engine, (enum nhost_op_kind)kind, 31);
		suite_long_sizes(&engine, (enum nhost_op_kind)kind);
	}
	suite_overlaps(&engine);
	suite_results(&engine);
	nhost_engine_close(&engine);
}

static void parts_of_long_operations_come_together(void **state)
{
	struct nhost_engine engine = open_auto(0);
	struct nhost_op ops[3] = {
		{.kind = NHOST_COPY, .from = from, .to = to, .nbytes = LARGE},
		{.kind = NHOST_FILL, .to = second, .pattern = 0x1234567890abcdef, .nbytes = LARGE},
	};
	(void)state;

	for (int i = 0; i < 2; i++)
		ops[i].wish = NHOST_BY_DSA_AND_CPU;
	assert_int_equal(engine.ops->submit(&engine, ops, 2), 0);
	for (size_t done = 0; done < 2;)
		done += engine.ops->poll(&engine);
	assert_memory_equal(from, to, LARGE);
	for (size_t i = 0; i < LARGE; i++)
		assert_int_equal(second[i], (unsigned char)(ops[1].pattern >> 8 * (i % 8)));
	nhost_engine_close(&engine);
}

/* Nothing here is as slow as a model whose every record comes late. */
static void a_slow_device_is_found_out(void **state)
{
	struct nhost_engine engine = open_auto(0);
	struct nhost_op op;
	unsigned by_dsa = 0;
	char text[4096];
	(void)state;

	for (int i = 0; i < 2 * ROUNDS; i++) {
		nhost_copy_op(&op, to, from, 16384);
		assert_int_equal(nhost_engine_run(&engine, &op, 1), 0);
		by_dsa += i >= ROUNDS && op.by == NHOST_BY_DSA;
	}
	assert_true(by_dsa < ROUNDS / 2);
	engine.ops->explain(&engine, text, sizeof text);
	assert_non_null(strstr(text, "auto: the caller waits"));
	nhost_engine_close(&engine);
}

static void without_answers_the_processor_does_it_all(void **state)
{
	struct nhost_engine engine = open_auto(20000000);
	struct nhost_op ops[COPIES];
	(void)state;

	ndsa_set(&control->lose, NDSA_NEVER);
	for (size_t i = 0; i < COPIES; i++) {
		nhost_copy_op(&ops[i], to + i * 70000, from + i * 70000, 70000);
		ops[i].wish = i % 3 ? NHOST_BY_DSA : NHOST_BY_ANY;
	}
	assert_int_equal(nhost_engine_run(&engine, ops, COPIES), 0);
	assert_memory_equal(from, to, COPIES * 70000);
	assert_int_equal(engine.counts.abandoned_queues, 1);
	nhost_copy_op(&ops[0], to, from, LARGE);
	ops[0].wish = NHOST_BY_DSA;
	assert_int_equal(nhost_engine_run(&engine, ops, 1), 0);
	assert_int_equal(ops[0].by, NHOST_BY_CPU);
	nhost_engine_close(&engine);
}

static void closing_ends_parts_that_are_under_way(void **state)
{
	struct nhost_engine engine = open_auto(0);
	struct nhost_op op;
	(void)state;

	nhost_copy_op(&op, to, from, LARGE);
	op.wish = NHOST_BY_DSA_AND_CPU;
	assert_int_equal(engine.ops->submit(&engine, &op, 1), 0);
	nhost_engine_close(&engine);
	assert_int_equal(op.status, 0);
	assert_memory_equal(from, to, LARGE);
}

/* UMWAIT ends when the device stores there; TPAUSE knows the clock alone, for a full queue. */
static void who_waits_sleeps_on_the_record_of_its_copy(void **state)
{
	struct nhost_engine engine = open_auto(0);
	struct nhost_op op;
	(void)state;

	if (dsa_instructions() & DSA_WAITPKG) {
		print_message("skipped: this processor has UMWAIT, so nobody can count it\n");
		nhost_engine_close(&engine);
		skip();
	}
	instructions_met = (struct instructions_met){0};
	for (int i = 0; i < COPIES; i++) {
		nhost_copy_op(&op, to, from, 64 * 1024);
		op.wish = NHOST_BY_DSA;
		assert_int_equal(nhost_engine_run(&engine, &op, 1), 0);
	}
	assert_true(instructions_met.umonitor > 0);
	assert_true(instructions_met.umwait > 0);
	assert_true(instructions_met.umwait <= instructions_met.umonitor);
	nhost_engine_close(&engine);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup(name, set_up)
	const struct CMUnitTest tests[] = {
		TEST(each_wish_is_heard),
		TEST(every_operation_is_right_whoever_does_it),
		TEST(parts_of_long_operations_come_together),
		TEST(a_slow_device_is_found_out),
		TEST(without_answers_the_processor_does_it_all),
		TEST(closing_ends_parts_that_are_under_way),
		TEST(who_waits_sleeps_on_the_record_of_its_copy),
	};

	control = under_model();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
