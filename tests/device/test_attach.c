/* A device and hosts that come and go: the device's side, with hosts that are a few stores. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "device/attach.h"

enum {
	REGION_BYTES = 2 * NREG_ALIGN,
	FAR_BYTES = 4096,
	SECOND = 1000000000,
};

static char *region;
static struct ndev_attach attach;

static struct nreg_identity identity_of_two_cores(void)
{
	return (struct nreg_identity){
		.magic = NREG_MAGIC,
		.version = NREG_VERSION,
		.base = 0x700000000000,
		.region_bytes = REGION_BYTES,
		.far_offset = NREG_ALIGN,
		.far_bytes = FAR_BYTES,
		.capabilities = NREG_COHERENT | NREG_CAN_WAKE | NREG_ATOMICS,
		.core_count = 2,
	};
}

static void begin(unsigned last_generation, uint64_t suspect_ns)
{
	const struct nreg_identity identity = identity_of_two_cores();

	ndev_attach_begin(&attach, region, NULL, &identity, last_generation, suspect_ns);
	ndev_attach_offer(&attach, FAR_BYTES);
}

static const struct nreg_identity *there(void)
{
	return (const void *)region;
}

/* What a host of this number stores to get the region of this generation. */
static uint64_t claim(uint32_t number, bool is_near, unsigned generation)
{
	uint64_t word = nreg_claim_word(number, 0, is_near, generation);

	nreg_claim(region)->claim = word;
	return word;
}

/* A claim that the device takes. */
static uint64_t come(uint32_t number, uint64_t now_ns)
{
	uint64_t word = claim(number, true, there()->generation);

	assert_int_equal(ndev_attach_look(&attach, now_ns), NDEV_CLAIMED);
	ndev_attach_take(&attach);
	ndev_attach_accept(&attach, now_ns);
	assert_int_equal(nreg_offer(region)->owner, word);
	return word;
}

static void a_region_on_offer_is_free_and_zeroed(void **state)
{
	(void)state;
	memset(region, 0xff, REGION_BYTES);

	begin(6, 0);

	assert_int_equal(nreg_offer(region)->ready, 7);
	assert_int_equal(nreg_offer(region)->owner, 0);
	assert_int_equal(there()->generation, 7);
	assert_int_equal(nreg_core(region, 1)->down.slot[63].head, 0);
	assert_int_equal(nreg_core(region, 1)->wake.asleep, 0);
	assert_int_equal(region[NREG_ALIGN + FAR_BYTES - 1], 0);
}

static void the_generation_after_the_last_is_the_first(void **state)
{
	(void)state;

	begin(NCHAN_GENERATION_MAX, 0);

	assert_int_equal(nreg_offer(region)->ready, 1);
}

static void a_claim_of_an_earlier_generation_is_no_claim(void **state)
{
	(void)state;
	begin(6, 0);

	claim(1, true, 6);
	assert_int_equal(ndev_attach_look(&attach, 0), NDEV_NOTHING);
	claim(1, true, 7);
	assert_int_equal(ndev_attach_look(&attach, 0), NDEV_CLAIMED);
}

static void one_host_gets_it_and_the_next_when_that_has_left(void **state)
{
	uint64_t first, second;
	(void)state;
	begin(0, 0);
	first = come(1, 0);

	second = claim(3, true, 1);
	assert_int_equal(ndev_attach_look(&attach, 1), NDEV_NOTHING);
	assert_int_equal(nreg_offer(region)->owner, first);
	nreg_claim(region)->left = second; /* which never had it */
	assert_int_equal(ndev_attach_look(&attach, 2), NDEV_NOTHING);
	nreg_claim(region)->left = first;
	assert_int_equal(ndev_attach_look(&attach, 3), NDEV_LEFT);

	ndev_attach_offer(&attach, 0);
	assert_int_equal(nreg_offer(region)->ready, 2);
	assert_int_equal(ndev_attach_look(&attach, 4), NDEV_NOTHING); /* second was about 1 */
	come(3, 5);
}

static void what_a_host_has_used_is_zeroed_for_the_next(void **state)
{
	(void)state;
	begin(0, 0);
	come(1, 0);
	memset(region + NREG_ALIGN, 1, FAR_BYTES);

	nreg_claim(region)->far_used = 100;
	assert_int_equal(ndev_attach_far_used(&attach), 100);
	nreg_claim(region)->far_used = ~0ull;
	assert_int_equal(ndev_attach_far_used(&attach), FAR_BYTES);
	ndev_attach_offer(&attach, 100);

	assert_int_equal(region[NREG_ALIGN + 99], 0);
	assert_int_equal(region[NREG_ALIGN + 100], 1);
}

static void with_a_host_elsewhere_nobody_wakes_and_nothing_is_atomic(void **state)
{
	(void)state;
	begin(0, 0);

	claim(1, false, 1);
	ndev_attach_look(&attach, 0);
	ndev_attach_take(&attach);
	assert_int_equal(there()->capabilities, NREG_COHERENT);
	ndev_attach_accept(&attach, 0);
	assert_false(ndev_attach_host_is_near(&attach));
	ndev_attach_offer(&attach, 0);

	assert_int_equal(there()->capabilities, NREG_COHERENT | NREG_CAN_WAKE | NREG_ATOMICS);
}

static void a_suspect_host_keeps_the_region_until_another_wants_it(void **state)
{
	(void)state;
	begin(0, 5ull * SECOND);
	come(1, 0);

	nreg_claim(region)->heartbeat++;
	assert_int_equal(ndev_attach_look(&attach, 4ull * SECOND), NDEV_NOTHING);
	assert_int_equal(ndev_attach_look(&attach, 8ull * SECOND), NDEV_NOTHING);
	assert_int_equal(nreg_offer(region)->doubts, 0);
	assert_int_equal(ndev_attach_look(&attach, 9ull * SECOND), NDEV_NOTHING);
	assert_int_equal(nreg_offer(region)->doubts, 1);
	assert_int_equal(ndev_attach_look(&attach, 1000ull * SECOND), NDEV_NOTHING);
	claim(3, true, 1);
	assert_int_equal(ndev_attach_look(&attach, 1001ull * SECOND), NDEV_LEFT);
}

static void a_host_that_comes_back_is_suspect_no_more(void **state)
{
	(void)state;
	begin(0, 5ull * SECOND);
	come(1, 0);
	ndev_attach_look(&attach, 6ull * SECOND);
	assert_int_equal(nreg_offer(region)->doubts, 1);

	nreg_claim(region)->heartbeat++;
	claim(3, true, 1);

	assert_int_equal(ndev_attach_look(&attach, 7ull * SECOND), NDEV_NOTHING);
	assert_int_equal(nreg_offer(region)->doubts, 0);
}

static void who_is_known_to_have_died_has_left(void **state)
{
	(void)state;
	begin(0, 0);
	come(1, 0);

	ndev_attach_host_died(&attach);

	assert_int_equal(ndev_attach_look(&attach, 1), NDEV_LEFT);
	ndev_attach_offer(&attach, 0);
	assert_int_equal(ndev_attach_look(&attach, 2), NDEV_NOTHING);
}

static int make_region(void **state)
{
	(void)state;
	region = aligned_alloc(64, REGION_BYTES);
	assert_non_null(region);
	memset(region, 0, REGION_BYTES);
	return 0;
}

static int free_region(void **state)
{
	(void)state;
	free(region);
	return 0;
}

int main(void)
{
#define CLAIM(function) cmocka_unit_test_setup_teardown(function, make_region, free_region)
	const struct CMUnitTest tests[] = {
		CLAIM(a_region_on_offer_is_free_and_zeroed),
		CLAIM(the_generation_after_the_last_is_the_first),
		CLAIM(a_claim_of_an_earlier_generation_is_no_claim),
		CLAIM(one_host_gets_it_and_the_next_when_that_has_left),
		CLAIM(what_a_host_has_used_is_zeroed_for_the_next),
		CLAIM(with_a_host_elsewhere_nobody_wakes_and_nothing_is_atomic),
		CLAIM(a_suspect_host_keeps_the_region_until_another_wants_it),
		CLAIM(a_host_that_comes_back_is_suspect_no_more),
		CLAIM(who_is_known_to_have_died_has_left),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
