/* Run by the model with --halt-after or --vanish-after: the device goes in the middle of work. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tests/emu/dsa/under_model.h"
#include "tests/host/engine_suite.h"

enum {
	COPIES = 300,
	EACH = 1000,
};

static unsigned char from[COPIES * EACH], to[COPIES * EACH];

/* The time for completions is so long that only the device's own state can end the wait. */
static void case_16_case_25_a_device_that_goes_is_given_up_and_all_bytes_arrive(void **state)
{
	struct nhost_engine engine =
		under_model_open(&(struct nhost_engine_options){.lost_ns = 1000000000000});
	struct nhost_op ops[COPIES];
	char text[4096];
	(void)state;

	suite_scribble(from, sizeof from, 1);
	for (size_t i = 0; i < COPIES; i++)
		nhost_copy_op(&ops[i], to + i * EACH, from + i * EACH, EACH);
	assert_int_equal(nhost_engine_run(&engine, ops, COPIES), 0);
	assert_memory_equal(from, to, sizeof to);
	assert_int_equal(engine.counts.abandoned_queues, 1);
	engine.ops->explain(&engine, text, sizeof text);
	assert_non_null(strstr(text, "abandoned"));
	assert_true(strstr(text, "is halted now") || strstr(text, "has gone"));
	/* It is not asked again. */
	nhost_copy_op(&ops[0], to, from, EACH);
	assert_int_equal(nhost_engine_run(&engine, ops, 1), 0);
	assert_int_equal(ops[0].by, NHOST_BY_CPU);
	nhost_engine_close(&engine);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			case_16_case_25_a_device_that_goes_is_given_up_and_all_bytes_arrive),
	};

	under_model();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
