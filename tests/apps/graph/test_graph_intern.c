/* A set of keys, numbered in the order in which they came. */
#include "tests/apps/graph/built.h"

#include <string.h>

#include "apps/graph/intern.h"

enum {
	MANY = 100000
};

static uint32_t add(struct intern *set, const char *key)
{
	uint32_t index;

	assert_int_equal(intern_add(set, key, strlen(key), &index), 0);
	return index;
}

static void keys_are_numbered_as_they_come(void **state)
{
	struct intern *set = intern_create();

	(void)state;
	assert_int_equal(add(set, "b"), 0);
	assert_int_equal(add(set, "a"), 1);
	assert_int_equal(add(set, "b"), 0);
	assert_int_equal(add(set, ""), 2);
	assert_int_equal(add(set, "a"), 1);
	assert_int_equal(intern_count(set), 3);
	assert_string_equal(intern_key(set, 1), "a");
	assert_string_equal(intern_key(set, 2), "");
	intern_destroy(set);
}

static void key_that_begins_another_is_another(void **state)
{
	struct intern *set = intern_create();

	(void)state;
	assert_int_equal(add(set, "lib"), 0);
	assert_int_equal(add(set, "libc"), 1);
	assert_int_equal(add(set, "li"), 2);
	intern_destroy(set);
}

static void keys_may_hold_zero_bytes(void **state)
{
	struct intern *set = intern_create();
	uint64_t one = 1, other = 1ull << 40;
	uint32_t index;

	(void)state;
	assert_int_equal(intern_add(set, &one, sizeof one, &index), 0);
	assert_int_equal(intern_add(set, &other, sizeof other, &index), 0);
	assert_int_equal(index, 1);
	intern_destroy(set);
}

static void all_of_many_keys_are_found_and_no_others(void **state)
{
	struct intern *set = intern_create();
	uint32_t index;

	(void)state;
	for (uint64_t key = 0; key < MANY; key++) {
		uint64_t spread = key * 0x10001;

		assert_int_equal(intern_add(set, &spread, sizeof spread, &index), 0);
		assert_int_equal(index, key);
	}
	for (uint64_t key = 0; key < MANY; key++) {
		uint64_t spread = key * 0x10001, absent = spread + 1;

		assert_true(intern_find(set, &spread, sizeof spread, &index));
		assert_int_equal(index, key);
		assert_memory_equal(intern_key(set, index), &spread, sizeof spread);
		assert_false(intern_find(set, &absent, sizeof absent, &index));
	}
	intern_destroy(set);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(keys_are_numbered_as_they_come),
		cmocka_unit_test(key_that_begins_another_is_another),
		cmocka_unit_test(keys_may_hold_zero_bytes),
		cmocka_unit_test(all_of_many_keys_are_found_and_no_others),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
