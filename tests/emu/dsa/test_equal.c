/* The engine of DSA under the model, whose options are the machine: equal to the bit. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tests/emu/dsa/under_model.h"
#include "tests/host/engine_suite.h"

static size_t step = 7;

static struct nhost_engine open_engine(void)
{
	return under_model_open(&(struct nhost_engine_options){.lost_ns = 60000000000});
}

static void every_operation_is_right_at_sizes_0_to_300_and_all_alignments(void **state)
{
	struct nhost_engine engine = open_engine();
	(void)state;

	for (int kind = 0; kind < NHOST_OP_COUNT; kind++)
		suite_short_sizes(&engine, (enum nhost_op_kind)kind, step);
	assert_true(engine.counts.descriptors > 0);
	assert_int_equal(engine.counts.abandoned_queues, 0);
	nhost_engine_close(&engine);
}

static void every_operation_is_right_at_large_sizes(void **state)
{
	struct nhost_engine engine = open_engine();
	(void)state;

	for (int kind = 0; kind < NHOST_OP_COUNT; kind++)
		suite_long_sizes(&engine, (enum nhost_op_kind)kind);
	assert_int_equal(engine.counts.abandoned_queues, 0);
	nhost_engine_close(&engine);
}

static void overlapping_copies_are_as_memmove(void **state)
{
	struct nhost_engine engine = open_engine();
	(void)state;

	suite_overlaps(&engine);
	nhost_engine_close(&engine);
}

static void results_that_do_not_fit_say_so(void **state)
{
	struct nhost_engine engine = open_engine();
	(void)state;

	suite_results(&engine);
	nhost_engine_close(&engine);
}

/* An argument: sizes in steps of so many. */
int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_operation_is_right_at_sizes_0_to_300_and_all_alignments),
		cmocka_unit_test(every_operation_is_right_at_large_sizes),
		cmocka_unit_test(overlapping_copies_are_as_memmove),
		cmocka_unit_test(results_that_do_not_fit_say_so),
	};

	if (argc > 1)
		step = (size_t)(argv[1][0] - '0');
	under_model();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
