/* Copies go to the cache, or past it, as has been faster (host/nipc/near.h). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "host/nipc/near.h"

enum {
	CHUNK = 256 << 10,
	COPIES = 1000
};

/* How many of the copies went past the cache, where each way takes so many ticks. */
static unsigned past_of(struct ipc_near *learned, uint64_t cache_ticks, uint64_t past_ticks)
{
	unsigned past = 0;

	for (unsigned i = 0; i < COPIES; i++) {
		enum nhost_near near = ipc_near_choose(learned, CHUNK, CHUNK);

		past += near == NHOST_IN_MEMORY;
		ipc_near_learn(
			learned, near, CHUNK, near == NHOST_IN_MEMORY ? past_ticks : cache_ticks);
	}
	return past;
}

static void the_faster_way_is_taken_and_the_other_one_tried_now_and_then(void **state)
{
	struct ipc_near learned = {0};

	(void)state;
	assert_in_range(past_of(&learned, 100000, 200000), COPIES / 100, COPIES / 20);
	learned = (struct ipc_near){0};
	assert_in_range(past_of(&learned, 400000, 100000), COPIES * 19 / 20, COPIES * 99 / 100);
}

/* What the reader finds in the cache it need not fetch: that is worth something. */
static void a_little_faster_is_not_enough(void **state)
{
	struct ipc_near learned = {0};

	(void)state;
	assert_in_range(past_of(&learned, 120000, 100000), COPIES / 100, COPIES / 20);
}

/* As when a virtual machine moves to other processors. */
static void what_was_learned_is_learned_anew(void **state)
{
	struct ipc_near learned = {0};

	(void)state;
	past_of(&learned, 100000, 200000);
	past_of(&learned, 500000, 200000);
	assert_in_range(past_of(&learned, 500000, 200000), COPIES * 19 / 20, COPIES * 99 / 100);
}

static void a_copy_that_lost_its_processor_changes_nothing(void **state)
{
	struct ipc_near learned = {0};

	(void)state;
	past_of(&learned, 100000, 200000);
	ipc_near_learn(&learned, NHOST_IN_CACHE, CHUNK, 1000000000);
	assert_in_range(past_of(&learned, 100000, 200000), COPIES / 100, COPIES / 20);
}

static void short_copies_go_the_usual_way(void **state)
{
	struct ipc_near learned = {{200, 100}, 0, true};

	(void)state;
	for (unsigned i = 0; i < COPIES; i++)
		assert_int_equal(ipc_near_choose(&learned, 1000, 1000), NHOST_NEAR_BY_SIZE);
	ipc_near_learn(&learned, NHOST_NEAR_BY_SIZE, 1000, 1);
	assert_int_equal(learned.ticks[0], 200);
}

/* Whatever was learned: it would have left the cache. */
static void what_is_used_late_goes_past_the_cache(void **state)
{
	const uint64_t far = nhost_copy_facts()->lasts_nbytes + 1;
	struct ipc_near learned = {{100, 200}, 0, true};

	(void)state;
	for (unsigned i = 0; i < COPIES; i++)
		assert_int_equal(ipc_near_choose(&learned, CHUNK, far), NHOST_IN_MEMORY);
	assert_int_equal(ipc_near_choose(&learned, 1000, far), NHOST_IN_MEMORY);
	assert_int_equal(ipc_near_by_distance(CHUNK), NHOST_NEAR_BY_SIZE);
}

static void copies_by_others_go_by_their_size(void **state)
{
	struct ipc_near learned = {0};

	(void)state;
	for (unsigned i = 0; i < COPIES; i++) {
		ipc_near_learn(&learned, NHOST_IN_CACHE, CHUNK, 0);
		assert_int_equal(ipc_near_choose(&learned, CHUNK, CHUNK), NHOST_NEAR_BY_SIZE);
	}
	assert_in_range(past_of(&learned, 400000, 100000), COPIES * 19 / 20, COPIES * 99 / 100);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_faster_way_is_taken_and_the_other_one_tried_now_and_then),
		cmocka_unit_test(a_little_faster_is_not_enough),
		cmocka_unit_test(what_was_learned_is_learned_anew),
		cmocka_unit_test(a_copy_that_lost_its_processor_changes_nothing),
		cmocka_unit_test(short_copies_go_the_usual_way),
		cmocka_unit_test(what_is_used_late_goes_past_the_cache),
		cmocka_unit_test(copies_by_others_go_by_their_size),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
