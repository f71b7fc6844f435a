#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "channels/pool.h"

enum {
	CELLS = 8
};

static struct nchan_cell cells[CELLS + 1];

/* To the last one, and again after they came back (case_98). */
static void case_98_every_cell_can_be_taken_and_taken_again(void **state)
{
	struct nchan_pool pool;
	uint32_t seen;

	(void)state;
	nchan_pool_init(&pool, cells, CELLS);
	for (unsigned round = 0; round < 3; round++) {
		seen = 0;
		for (unsigned i = 0; i < CELLS; i++)
			seen |= 1u << nchan_pool_take(&pool);
		assert_int_equal(seen, 0x1fe); /* 1..8, each once */
		assert_int_equal(nchan_pool_take(&pool), 0);
		for (uint32_t cell = 1; cell <= CELLS; cell++)
			nchan_pool_put(&pool, cell);
	}
}

static void promised_cells_are_not_given_to_others(void **state)
{
	struct nchan_pool pool;

	(void)state;
	nchan_pool_init(&pool, cells, CELLS);
	assert_true(nchan_pool_promise(&pool, 6));
	assert_false(nchan_pool_promise(&pool, 3));
	assert_int_not_equal(nchan_pool_take(&pool), 0);
	assert_int_not_equal(nchan_pool_take(&pool), 0);
	assert_int_equal(nchan_pool_take(&pool), 0);
	for (unsigned i = 0; i < 6; i++)
		assert_int_not_equal(nchan_pool_take_promised(&pool), 0);
	assert_int_equal(nchan_pool_spare(&pool), 0);
}

static void a_promise_taken_back_is_spare_again(void **state)
{
	struct nchan_pool pool;

	(void)state;
	nchan_pool_init(&pool, cells, CELLS);
	assert_true(nchan_pool_promise(&pool, CELLS));
	nchan_pool_unpromise(&pool, 2);
	assert_int_equal(nchan_pool_spare(&pool), 2);
	assert_true(nchan_pool_promise(&pool, 2));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(case_98_every_cell_can_be_taken_and_taken_again),
		cmocka_unit_test(promised_cells_are_not_given_to_others),
		cmocka_unit_test(a_promise_taken_back_is_spare_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
