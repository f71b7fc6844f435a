/* Small parts: numbers, pools, the lock, a spawn as lines, a status in words. */
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <nearside/nproc.h>

#include "runtime/ids.h"
#include "runtime/lock.h"
#include "runtime/pool.h"
#include "runtime/spawn_lines.h"

static void numbers_are_given_out_once(void **state)
{
	enum {
		MAX = 100
	};
	struct ids ids;
	unsigned char out[MAX + 1] = {0};
	(void)state;
	assert_int_equal(ids_create(&ids, MAX), 0);

	for (int i = 0; i < MAX; i++) {
		uint32_t id = ids_take(&ids);

		assert_in_range(id, 1, MAX);
		assert_int_equal(out[id]++, 0);
	}
	assert_int_equal(ids_take(&ids), 0);
	ids_put(&ids, 42);
	ids_put(&ids, 17);
	assert_int_equal(ids_take(&ids) + ids_take(&ids), 42 + 17);
	assert_int_equal(ids_take(&ids), 0);
	ids_destroy(&ids);
}

static void pools_reuse_what_was_put_back(void **state)
{
	struct pool pool = {.nbytes = 40};
	char *objects[200];
	(void)state;

	for (int i = 0; i < 200; i++) {
		objects[i] = pool_take(&pool);
		assert_int_equal((uintptr_t)objects[i] % 16, 0);
		memset(objects[i], i, 40);
	}
	for (int i = 0; i < 200; i++)
		for (int k = 0; k < 40; k++)
			assert_int_equal((unsigned char)objects[i][k], i);
	pool_put(&pool, objects[77]);
	assert_ptr_equal(pool_take(&pool), objects[77]);
	pool_destroy(&pool);
}

/* ---- the lock -------------------------------------------------------------------------------- */

enum {
	LOCKERS = 4,
	ROUNDS = 20000
};

static struct lock lock;
static uint64_t guarded;

static void *count_up(void *argument)
{
	(void)argument;
	for (int i = 0; i < ROUNDS; i++) {
		lock_take(&lock);
		guarded++;
		lock_release(&lock);
	}
	return NULL;
}

static void the_lock_admits_one_at_a_time(void **state)
{
	pthread_t threads[LOCKERS];
	(void)state;

	for (int i = 0; i < LOCKERS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, count_up, NULL), 0);
	for (int i = 0; i < LOCKERS; i++)
		pthread_join(threads[i], NULL);

	assert_int_equal(guarded, LOCKERS * ROUNDS);
	assert_true(lock_try(&lock));
	assert_false(lock_try(&lock));
	lock_release(&lock);
}

/* ---- spawn lines ----------------------------------------------------------------------------- */

static unsigned lines_of(unsigned end_count, unsigned word_count)
{
	const struct nmsg_spawn head = {
		.end_count = end_count & 31, .word_count = (uint8_t)word_count};
	uint32_t ends[NK_ENDS_MAX] = {0};
	uint64_t words[NK_ARG_WORDS_MAX] = {0};
	struct spawn_lines lines;

	spawn_lines_join(&lines, &head, ends, words);
	return spawn_lines_count(&lines);
}

static void a_usual_spawn_is_one_line(void **state)
{
	(void)state;
	assert_int_equal(lines_of(0, 0), 1);
	assert_int_equal(lines_of(2, 3), 1);
	assert_int_equal(lines_of(2, 4), 1);
	assert_int_equal(lines_of(2, 5), 2);
	assert_int_equal(lines_of(3, 3), 1);
	assert_int_equal(lines_of(NK_ENDS_MAX, NK_ARG_WORDS_MAX), NMSG_SPAWN_LINES_MAX);
}

static void words_follow_the_ends_aligned(void **state)
{
	const struct nmsg_spawn head = {.self = 7, .end_count = 3, .word_count = 2};
	const uint32_t ends[3] = {1, 2 | NMSG_END_WRITES, 3};
	const uint64_t words[2] = {0x1111, 0x2222};
	struct spawn_lines lines;
	(void)state;

	spawn_lines_join(&lines, &head, ends, words);

	assert_int_equal(lines.nbytes, 16 + 16 + 16);
	assert_memory_equal(lines.bytes, &head, 16);
	assert_memory_equal(lines.bytes + 16, ends, 12);
	assert_memory_equal(lines.bytes + 28, "\0\0\0\0", 4);
	assert_memory_equal(lines.bytes + 32, words, 16);
}

/* ---- status text ----------------------------------------------------------------------------- */

static void assert_text(const struct nproc_status *status, const char *expected)
{
	char text[256];

	assert_string_equal(nproc_status_text(status, text, sizeof text), expected);
}

static void every_state_has_its_words(void **state)
{
	struct nproc_status status = {.fault = "", .file = "", .function = "", .text = ""};
	(void)state;

	status.state = NPROC_RUNNING;
	assert_text(&status, "is running");
	status.state = NPROC_EXITED;
	status.exit_code = -3;
	assert_text(&status, "exited with -3");
	status.state = NPROC_KILLED;
	assert_text(&status, "was killed");
	status.state = NPROC_REFUSED;
	status.error = -ENOMEM;
	assert_text(&status, "was refused by the device: Cannot allocate memory");
	status.state = NPROC_LOST;
	status.error = -ENODEV;
	assert_text(&status, "was lost with its device: No such device");
	status.error = -100000;
	assert_text(&status, "was lost with its device: unknown error");
}

static void faults_say_where_and_why(void **state)
{
	struct nproc_status status = {
		.state = NPROC_FAULTED,
		.fault = "read outside",
		.address = 0xabc,
		.file = "keys.c",
		.line = 14,
		.column = 9,
		.function = "count",
		.text = "",
	};
	(void)state;

	assert_text(&status, "keys.c:14:9: in count: read outside (address 0xabc)");
	status.address = 0;
	status.fault = "assertion failed";
	status.text = "n > 0";
	assert_text(&status, "keys.c:14:9: in count: assertion failed: n > 0");
	status.line = 0;
	assert_text(&status, "assertion failed: n > 0");
}

static void a_small_buffer_is_not_overrun(void **state)
{
	struct nproc_status status = {.state = NPROC_KILLED};
	char text[8] = "-------";
	(void)state;

	nproc_status_text(&status, text, 4);

	assert_memory_equal(text, "was\0---", 8);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_are_given_out_once),
		cmocka_unit_test(pools_reuse_what_was_put_back),
		cmocka_unit_test(the_lock_admits_one_at_a_time),
		cmocka_unit_test(a_usual_spawn_is_one_line),
		cmocka_unit_test(words_follow_the_ends_aligned),
		cmocka_unit_test(every_state_has_its_words),
		cmocka_unit_test(faults_say_where_and_why),
		cmocka_unit_test(a_small_buffer_is_not_overrun),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
