/* Grant sets: equal lists are one, and cores are told what they lack. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "runtime/grants.h"

static struct far_memory far;
static struct grants grants;

static int open_grants(void **state)
{
	(void)state;
	assert_int_equal(far_create(&far, 1 << 20, 1 << 20), 0);
	return grants_create(&grants, 3);
}

static int close_grants(void **state)
{
	(void)state;
	grants_destroy(&grants);
	far_destroy(&far);
	return 0;
}

static struct far_extent *alloc(void)
{
	uint64_t stale;

	return far_alloc(&far, 64, &stale);
}

static struct grant_set *get(const struct grant *list, unsigned count)
{
	struct grant_set *set = NULL;

	assert_int_equal(grants_get(&grants, list, count, &set), 0);
	return set;
}

static struct grant_set *get_one(struct far_extent *extent)
{
	return get(&(struct grant){extent, true}, 1);
}

static unsigned due(const struct grant_set *set, unsigned core, bool expect_revoke)
{
	bool revoke;
	unsigned lines = grants_lines_due(&grants, set, core, &revoke);

	assert_int_equal(revoke, expect_revoke);
	return lines;
}

static void equal_lists_are_one_set(void **state)
{
	struct far_extent *a = alloc(), *b = alloc();
	const struct grant list[] = {{a, true}, {NULL, false}, {b, false}};
	(void)state;

	assert_ptr_equal(get(list, 3), get(list, 3));
}

static void lists_that_differ_in_anything_are_different_sets(void **state)
{
	struct far_extent *a = alloc(), *b = alloc();
	const struct grant writes[] = {{a, true}, {b, false}}, reads[] = {{a, false}, {b, false}},
			   swapped[] = {{b, false}, {a, true}};
	const struct grant_set *set = get(writes, 2);
	(void)state;

	assert_ptr_not_equal(get(reads, 2), set);
	assert_ptr_not_equal(get(swapped, 2), set);
}

static void a_core_is_told_once(void **state)
{
	struct grant_set *set = get_one(alloc());
	(void)state;

	assert_int_equal(due(set, 0, false), 1);
	grants_told(&grants, set, 0);
	assert_int_equal(due(set, 0, false), 0);
	assert_int_equal(due(set, 63, false), 1);
}

static void memory_of_the_living_is_busy(void **state)
{
	struct far_extent *extent = alloc();
	struct grant_set *set = get_one(extent);
	(void)state;
	get_one(extent);

	assert_int_equal(grants_forget(&grants, extent), -EBUSY);
	grants_put(&grants, set);
	assert_int_equal(grants_forget(&grants, extent), -EBUSY);
	grants_put(&grants, set);
	assert_int_equal(grants_forget(&grants, extent), 0);
}

static void an_extent_named_twice_in_a_set_is_forgotten_whole(void **state)
{
	struct far_extent *a = alloc(), *b = alloc();
	const struct grant list[] = {{a, true}, {b, false}, {a, false}};
	(void)state;
	grants_put(&grants, get(list, 3));

	assert_int_equal(grants_forget(&grants, a), 0);

	assert_null(a->uses);
	assert_null(b->uses);
}

static void a_set_without_processes_is_kept(void **state)
{
	struct far_extent *extent = alloc();
	struct grant_set *set = get_one(extent);
	(void)state;
	grants_told(&grants, set, 1);
	grants_put(&grants, set);

	assert_ptr_equal(get_one(extent), set);
	assert_int_equal(due(set, 1, false), 0);
}

static void the_longest_unused_set_gives_its_number(void **state)
{
	struct far_extent *extent[4] = {alloc(), alloc(), alloc(), alloc()};
	struct grant_set *set[3];
	unsigned id;
	(void)state;
	for (int i = 0; i < 3; i++)
		set[i] = get_one(extent[i]);
	id = set[1]->id;
	grants_put(&grants, set[1]);
	grants_put(&grants, set[0]);

	assert_int_equal(get_one(extent[3])->id, id);
	assert_null(extent[1]->uses);
	assert_ptr_equal(get_one(extent[0]), set[0]);
}

static void more_living_sets_than_numbers_give_eagain(void **state)
{
	struct grant_set *set;
	struct grant more;
	(void)state;
	for (int i = 0; i < 3; i++)
		get_one(alloc());
	more = (struct grant){alloc(), true};

	assert_int_equal(grants_get(&grants, &more, 1, &set), -EAGAIN);
}

/* A core that knows the number's former set must forget that first; another need not. */
static void a_reused_number_is_revoked_first(void **state)
{
	struct far_extent *old = alloc();
	struct grant_set *set = get_one(old);
	unsigned id = set->id;
	(void)state;
	grants_told(&grants, set, 5);
	grants_put(&grants, set);
	assert_int_equal(grants_forget(&grants, old), 0);

	set = get_one(alloc());

	assert_int_equal(set->id, id);
	assert_int_equal(due(set, 5, true), 2);
	assert_int_equal(due(set, 4, false), 1);
	grants_told(&grants, set, 5);
	assert_int_equal(due(set, 5, false), 0);
}

static void granted_bytes_are_counted(void **state)
{
	const struct grant list[] = {{alloc(), true}, {NULL, false}, {alloc(), false}};
	(void)state;

	assert_int_equal(grants_nbytes(get(list, 3)), 128);
}

/* As after grants_create() has failed. */
static void grants_are_destroyed_twice_without_harm(void **state)
{
	(void)state;
	get_one(alloc());
	grants_destroy(&grants);
}

#define CLAIM(function) cmocka_unit_test_setup_teardown(function, open_grants, close_grants)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CLAIM(equal_lists_are_one_set),
		CLAIM(lists_that_differ_in_anything_are_different_sets),
		CLAIM(a_core_is_told_once),
		CLAIM(memory_of_the_living_is_busy),
		CLAIM(an_extent_named_twice_in_a_set_is_forgotten_whole),
		CLAIM(a_set_without_processes_is_kept),
		CLAIM(the_longest_unused_set_gives_its_number),
		CLAIM(more_living_sets_than_numbers_give_eagain),
		CLAIM(a_reused_number_is_revoked_first),
		CLAIM(granted_bytes_are_counted),
		CLAIM(grants_are_destroyed_twice_without_harm),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
