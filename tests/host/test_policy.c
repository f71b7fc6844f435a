/* What the engine `auto` learns, from times that these tests make up. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "host/engine/policy.h"

enum {
	ROUNDS = 100,
	KIB = 1024,
	TRIES_MAX = 1000000,
};

static struct policy start(void)
{
	struct policy policy;

	policy_start(&policy, 10);
	return policy;
}

/* Most of so many choices; the others are tries. */
static enum nhost_by usual(struct policy *policy, size_t nbytes, int64_t queue_ns)
{
	int dsa = 0;

	for (int i = 0; i < ROUNDS; i++)
		dsa += policy_choose(policy, NHOST_COPY, nbytes, queue_ns) == NHOST_BY_DSA;
	return dsa > ROUNDS / 2 ? NHOST_BY_DSA : NHOST_BY_CPU;
}

static void at_first_dsa_is_worth_it_from_some_kib_on(void **state)
{
	struct policy policy = start();
	(void)state;

	assert_int_equal(usual(&policy, 2 * KIB, 0), NHOST_BY_CPU);
	assert_int_equal(usual(&policy, 64 * KIB, 0), NHOST_BY_DSA);
	assert_in_range(policy_crossover(&policy, NHOST_COPY), 8 * KIB, 64 * KIB);
}

static void a_slow_device_is_left_alone_and_a_fast_one_found_again(void **state)
{
	struct policy policy = start();
	(void)state;

	for (int i = 0; i < ROUNDS; i++)
		policy_saw_dsa(&policy, NHOST_COPY, 64 * KIB, 1000000);
	assert_int_equal(usual(&policy, 64 * KIB, 0), NHOST_BY_CPU);
	/* It is tried now and then, and has become fast. */
	for (int i = 0; i < TRIES_MAX && usual(&policy, 64 * KIB, 0) != NHOST_BY_DSA; i++)
		if (policy_choose(&policy, NHOST_COPY, 64 * KIB, 0) == NHOST_BY_DSA)
			policy_saw_dsa(&policy, NHOST_COPY, 64 * KIB, 1500);
	assert_int_equal(usual(&policy, 64 * KIB, 0), NHOST_BY_DSA);
}

static void tries_cost_a_small_part_of_the_time(void **state)
{
	struct policy policy = start();
	int64_t best = 0, tried = 0;
	(void)state;

	for (int i = 0; i < ROUNDS; i++)
		policy_saw_dsa(&policy, NHOST_COPY, 64 * KIB, 1000000);
	for (int i = 0; i < TRIES_MAX; i++)
		if (policy_choose(&policy, NHOST_COPY, 64 * KIB, 0) == NHOST_BY_DSA)
			tried += policy_dsa_ns(&policy, NHOST_COPY, 64 * KIB);
		else
			best += policy_cpu_ns(&policy, NHOST_COPY, 64 * KIB);
	assert_true(tried > 0);
	assert_true(tried <= best / POLICY_TRY_PART);
}

static void parts_that_are_slow_are_not_cut_off_any_more(void **state)
{
	enum {
		NBYTES = KIB * KIB
	};
	struct policy policy = start();
	size_t cut = policy_cut(&policy, NHOST_COPY, NBYTES, 0);
	(void)state;

	assert_true(cut > 0);
	for (int i = 0; i < ROUNDS; i++)
		policy_saw_dsa(&policy, NHOST_COPY, cut, 10000000);
	assert_int_equal(policy_cut(&policy, NHOST_COPY, NBYTES, 0), 0);
}

static void a_slow_processor_makes_dsa_worth_it_sooner(void **state)
{
	struct policy policy = start();
	size_t before = policy_crossover(&policy, NHOST_CRC32C);
	(void)state;

	for (int i = 0; i < ROUNDS; i++)
		for (size_t nbytes = 512; nbytes <= before; nbytes *= 2)
			policy_saw_cpu(&policy, NHOST_CRC32C, nbytes, (int64_t)nbytes);
	assert_true(policy_crossover(&policy, NHOST_CRC32C) < before);
	assert_int_equal(policy_crossover(&policy, NHOST_COPY), before);
}

static void who_does_other_work_meanwhile_offloads_sooner(void **state)
{
	struct policy policy = start();
	size_t waiting = policy_crossover(&policy, NHOST_COPY);
	(void)state;

	for (int i = 0; i < ROUNDS; i++)
		policy_saw_end(&policy, false);
	assert_false(policy_caller_waits(&policy));
	assert_true(policy_crossover(&policy, NHOST_COPY) < waiting);
	for (int i = 0; i < ROUNDS; i++)
		policy_saw_end(&policy, true);
	assert_true(policy_caller_waits(&policy));
	assert_int_equal(policy_crossover(&policy, NHOST_COPY), waiting);
}

static void under_load_the_processor_helps(void **state)
{
	struct policy policy = start();
	(void)state;

	assert_int_equal(usual(&policy, 64 * KIB, 0), NHOST_BY_DSA);
	assert_int_equal(usual(&policy, 64 * KIB, 10000000), NHOST_BY_CPU);
	for (int i = 0; i < ROUNDS; i++)
		policy_saw_end(&policy, false);
	assert_int_equal(usual(&policy, 64 * KIB, 0), NHOST_BY_DSA);
	assert_int_equal(usual(&policy, 64 * KIB, 10000000), NHOST_BY_CPU);
}

static void long_copies_are_parted_so_that_both_end_together(void **state)
{
	enum {
		NBYTES = 8 * KIB * KIB
	};
	struct policy policy = start();
	size_t cut = policy_cut(&policy, NHOST_COPY, NBYTES, 0);
	(void)state;

	/* 10 GB/s and 35 GB/s */
	assert_in_range(cut, NBYTES / 2, NBYTES - NBYTES / 8);
	assert_int_equal(cut % 4096, 0);
	assert_true(policy_cut(&policy, NHOST_COPY, NBYTES, 200000) < cut);
	assert_int_equal(policy_cut(&policy, NHOST_COPY, NBYTES, 100000000), 0);
	assert_int_equal(policy_cut(&policy, NHOST_CRC32C, NBYTES, 0), 0);
	assert_int_equal(policy_cut(&policy, NHOST_COPY, 4096, 0), 0);
}

/* The page says what is in force: each of these is said there with the number of the code. */
static void case_28_the_page_names_the_limits_that_are_used(void **state)
{
	static char text[65536], wanted[160];
	FILE *page = fopen(ENGINES_PAGE, "r");
	size_t length;
	(void)state;

	assert_non_null(page);
	length = fread(text, 1, sizeof text - 1, page);
	fclose(page);
	for (size_t i = 0; i < length; i++)
		text[i] = text[i] == '\n' ? ' ' : text[i];
#define SAYS(...)                                                       \
	do {                                                            \
		snprintf(wanted, sizeof wanted, __VA_ARGS__);           \
		if (!strstr(text, wanted))                              \
			fail_msg("the page does not say '%s'", wanted); \
	} while (0)
	SAYS("Operations below %d bytes are the processor's", POLICY_MIN_NBYTES);
	SAYS("dualcasts from %d KiB on", POLICY_SPLIT_NBYTES / 1024);
	SAYS("no more than a %dth of the time", POLICY_TRY_PART);
	SAYS("after %lld s (`lost_ns`)", NHOST_LOST_NS / 1000000000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(at_first_dsa_is_worth_it_from_some_kib_on),
		cmocka_unit_test(a_slow_device_is_left_alone_and_a_fast_one_found_again),
		cmocka_unit_test(tries_cost_a_small_part_of_the_time),
		cmocka_unit_test(parts_that_are_slow_are_not_cut_off_any_more),
		cmocka_unit_test(a_slow_processor_makes_dsa_worth_it_sooner),
		cmocka_unit_test(who_does_other_work_meanwhile_offloads_sooner),
		cmocka_unit_test(under_load_the_processor_helps),
		cmocka_unit_test(long_copies_are_parted_so_that_both_end_together),
		cmocka_unit_test(case_28_the_page_names_the_limits_that_are_used),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
