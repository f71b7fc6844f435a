/* Which samples are compared, and when a goal counts as met. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "bench/bench.h"
#include "bench/keep.h"

static const struct bench_method method = {"a method", 1, NULL, NULL, NULL};

/* A result with these figures of Nearside and the limit; the row must outlive it. */
static struct bench_result result_of(const struct bench_row *row, double ours, double limit)
{
	struct bench_result result = {.row = row, .figure_count = 2};

	result.figures[0] = (struct bench_figure){.method = &method, .value = ours};
	result.figures[1] = (struct bench_figure){.method = &method, .value = limit};
	return result;
}

static void times_of_the_limit_are_met_up_to_the_goal(void **state)
{
	const struct bench_row row = {.unit = BENCH_NANOSECONDS, .goal = {BENCH_TIMES_LIMIT, 1.25}};
	struct bench_result exact = result_of(&row, 125, 100), above = result_of(&row, 126, 100);

	(void)state;
	assert_int_equal(bench_judge(&exact), BENCH_MET);
	assert_int_equal(bench_judge(&above), BENCH_MISSED);
}

static void a_rate_is_judged_by_its_part_of_the_limit(void **state)
{
	const struct bench_row row = {.unit = BENCH_RATE, .goal = {BENCH_PART_OF_LIMIT, 0.5}};
	struct bench_result half = result_of(&row, 20, 10), less = result_of(&row, 21, 10);

	(void)state;
	assert_int_equal(bench_judge(&half), BENCH_MET);
	assert_int_equal(bench_judge(&less), BENCH_MISSED);
}

static void a_rate_to_reach_is_in_operations_a_second(void **state)
{
	const struct bench_row row = {.unit = BENCH_RATE, .goal = {BENCH_AT_LEAST, 5e6}};
	struct bench_result fast = result_of(&row, 199, 0), slow = result_of(&row, 201, 0);

	(void)state;
	assert_int_equal(bench_judge(&fast), BENCH_MET);
	assert_int_equal(bench_judge(&slow), BENCH_MISSED);
}

static void a_goal_of_nothing_is_met_by_nothing_only(void **state)
{
	const struct bench_row row = {.unit = BENCH_NS_IN_A_SECOND, .goal = {BENCH_AT_MOST, 0}};
	struct bench_result none = result_of(&row, 0, 0), some = result_of(&row, 1, 0);

	(void)state;
	assert_int_equal(bench_judge(&none), BENCH_MET);
	assert_int_equal(bench_judge(&some), BENCH_MISSED);
}

static void nothing_is_judged_without_comparable_samples(void **state)
{
	const struct bench_row row = {.unit = BENCH_NANOSECONDS, .goal = {BENCH_TIMES_LIMIT, 1.25}};
	struct bench_result mixed = result_of(&row, 100, 100), absent = mixed;
	struct bench_result no_limit = result_of(&row, 100, 0);

	(void)state;
	mixed.is_mixed = true;
	absent.figures[0].absent = "a reason";
	assert_int_equal(bench_judge(&mixed), BENCH_UNKNOWN);
	assert_int_equal(bench_judge(&absent), BENCH_UNKNOWN);
	assert_int_equal(bench_judge(&no_limit), BENCH_UNKNOWN);
}

static void samples_of_one_core_and_of_two_are_told_apart(void **state)
{
	const struct bench_tag tags[] = {{90, 95, 0, 0}, {370, 380, 0, 0}, {92, 92, 0, 0}};

	(void)state;
	assert_int_equal(bench_placed(tags, 3, 91), 2);
	assert_int_equal(bench_placed(tags, 3, 375), 1);
	assert_int_equal(bench_placed(tags, 3, 200), 0);
}

static void a_sample_during_which_the_processors_moved_is_not_steady(void **state)
{
	const struct bench_tag moved = {90, 370, 0, 0}, stayed = {90, 110, 0, 0};

	(void)state;
	assert_false(bench_tag_is_steady(&moved));
	assert_true(bench_tag_is_steady(&stayed));
}

static void who_waits_while_nobody_else_runs_waits_for_itself(void **state)
{
	const struct bench_tag alone = {0, 0, 0.01, 0.5}, crowded = {0, 0, 0.5, 0.5},
			       beside = {0, 0, 0.5, 0.01};

	(void)state;
	assert_true(bench_tag_is_quiet(&alone));
	assert_false(bench_tag_is_quiet(&crowded));
	assert_true(bench_tag_is_quiet(&beside));
}

static void the_median_is_the_middle_sample(void **state)
{
	double odd[] = {5, 1, 9}, one[] = {4};

	(void)state;
	assert_true(bench_quantile(odd, 3, 0.5) == 5);
	assert_true(bench_quantile(odd, 3, 1) == 9);
	assert_true(bench_quantile(one, 1, 0.5) == 4);
	assert_true(bench_quantile(NULL, 0, 0.5) == 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(times_of_the_limit_are_met_up_to_the_goal),
		cmocka_unit_test(a_rate_is_judged_by_its_part_of_the_limit),
		cmocka_unit_test(a_rate_to_reach_is_in_operations_a_second),
		cmocka_unit_test(a_goal_of_nothing_is_met_by_nothing_only),
		cmocka_unit_test(nothing_is_judged_without_comparable_samples),
		cmocka_unit_test(samples_of_one_core_and_of_two_are_told_apart),
		cmocka_unit_test(a_sample_during_which_the_processors_moved_is_not_steady),
		cmocka_unit_test(who_waits_while_nobody_else_runs_waits_for_itself),
		cmocka_unit_test(the_median_is_the_middle_sample),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
