/* Who owns which byte of far memory. The addresses are never touched. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>
#include <nearside/nmem.h>

#include "runtime/far.h"

enum {
	BASE = 0x10000,
	UNITS = 256,
	NBYTES = UNITS * NMEM_ALIGN
};

static struct far_memory make_far(void)
{
	struct far_memory far;

	assert_int_equal(far_create(&far, BASE, NBYTES), 0);
	return far;
}

static struct far_extent *take(struct far_memory *far, uint64_t nbytes)
{
	uint64_t stale;
	struct far_extent *extent = far_alloc(far, nbytes, &stale);

	assert_non_null(extent);
	return extent;
}

static void all_of_it_can_be_one_allocation(void **state)
{
	struct far_memory far = make_far();
	uint64_t stale;
	(void)state;

	assert_int_equal(far_largest(&far), NBYTES);
	assert_int_equal(take(&far, NBYTES)->base, BASE);
	assert_int_equal(far.free_nbytes, 0);
	assert_int_equal(far_largest(&far), 0);
	assert_null(far_alloc(&far, 1, &stale));
	far_destroy(&far);
}

static void sizes_that_wrap_are_too_large(void **state)
{
	struct far_memory far = make_far();
	uint64_t stale;
	(void)state;

	assert_null(far_alloc(&far, NBYTES + 1, &stale));
	assert_null(far_alloc(&far, UINT64_MAX, &stale));
	assert_null(far_alloc(&far, UINT64_MAX - 62, &stale));
	far_destroy(&far);
}

/*
 * | a | b | c | d | -> | a | | c | |, and two bytes fit best into the first hole, four into the
 * rest.
 */
static void the_smallest_hole_that_fits_is_taken(void **state)
{
	struct far_memory far = make_far();
	struct far_extent *b;
	uint64_t hole;
	(void)state;
	take(&far, 64);
	b = take(&far, 128);
	hole = b->base;
	take(&far, 64);
	far_free(&far, b);

	assert_int_equal(take(&far, 256)->base, BASE + 256);
	assert_int_equal(take(&far, 65)->base, hole);
	far_destroy(&far);
}

static void neighbours_that_are_free_become_one(void **state)
{
	static const int orders[6][3] = {
		{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
	(void)state;

	for (int order = 0; order < 6; order++) {
		struct far_memory far = make_far();
		struct far_extent *extent[3];

		for (int i = 0; i < 3; i++)
			extent[i] = take(&far, NBYTES / 4);
		for (int i = 0; i < 3; i++)
			far_free(&far, extent[orders[order][i]]);
		assert_int_equal(far_largest(&far), NBYTES);
		assert_int_equal(far.free_nbytes, NBYTES);
		far_destroy(&far);
	}
}

static void an_address_finds_its_allocation_to_the_byte(void **state)
{
	struct far_memory far = make_far();
	struct far_extent *first = take(&far, 100), *second = take(&far, 64);
	(void)state;

	assert_null(far_find(&far, BASE - 1));
	assert_ptr_equal(far_find(&far, BASE), first);
	assert_ptr_equal(far_find(&far, BASE + 99), first);
	assert_null(far_find(&far, BASE + 100)); /* up to 127 is its padding */
	assert_ptr_equal(far_find(&far, BASE + 128), second);
	assert_null(far_find(&far, BASE + 192));
	assert_null(far_find(&far, 0));
	assert_null(far_find(&far, UINT64_MAX));
	far_free(&far, first);
	assert_null(far_find(&far, BASE));
	far_destroy(&far);
}

static void only_bytes_that_were_used_are_stale(void **state)
{
	struct far_memory far = make_far();
	uint64_t stale;
	struct far_extent *extent = far_alloc(&far, 128, &stale);
	(void)state;

	assert_int_equal(stale, 0);
	far_free(&far, extent);
	extent = far_alloc(&far, 256, &stale);
	assert_int_equal(stale, 128);
	far_free(&far, extent);
	far_alloc(&far, 64, &stale);
	assert_int_equal(stale, 64);
	far_destroy(&far);
}

/* Random requests against a map with a byte for each unit. */
static void case_98_random_requests_agree_with_a_map(void **state)
{
	struct far_memory far = make_far();
	struct far_extent *held[UNITS] = {NULL};
	unsigned char owner[UNITS] = {0};
	(void)state;
	srand(7);

	for (int step = 0; step < 20000; step++) {
		unsigned i = (unsigned)rand() % UNITS;
		uint64_t stale, nbytes = 1 + (uint64_t)rand() % (8 * NMEM_ALIGN), used = 0;

		if (held[i]) {
			uint64_t unit = (held[i]->base - BASE) / NMEM_ALIGN;

			for (uint64_t k = 0; k < held[i]->nbytes / NMEM_ALIGN; k++)
				owner[unit + k] = 0;
			far_free(&far, held[i]);
			held[i] = NULL;
		} else if ((held[i] = far_alloc(&far, nbytes, &stale))) {
			uint64_t unit = (held[i]->base - BASE) / NMEM_ALIGN;

			for (uint64_t k = 0; k < (nbytes + 63) / NMEM_ALIGN; k++)
				assert_int_equal(owner[unit + k]++, 0);
			assert_ptr_equal(far_find(&far, held[i]->base + nbytes - 1), held[i]);
		} else {
			assert_true(far_largest(&far) < nbytes);
		}
		for (unsigned unit = 0; unit < UNITS; unit++)
			used += owner[unit];
		assert_int_equal(far.free_nbytes, NBYTES - used * NMEM_ALIGN);
	}
	far_destroy(&far);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_of_it_can_be_one_allocation),
		cmocka_unit_test(sizes_that_wrap_are_too_large),
		cmocka_unit_test(the_smallest_hole_that_fits_is_taken),
		cmocka_unit_test(neighbours_that_are_free_become_one),
		cmocka_unit_test(an_address_finds_its_allocation_to_the_byte),
		cmocka_unit_test(only_bytes_that_were_used_are_stale),
		cmocka_unit_test(case_98_random_requests_agree_with_a_map),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
