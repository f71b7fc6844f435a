/* Bytes of far memory that processes read and write, as nproc_stats() tells. */
#include "tests/conformance/suite.h"

enum {
	WORDS = 1003 /* nothing that vectors divide */
};

static uint64_t *words;

/* Twice WORDS; every third of the first half is odd. */
static void make_words(void)
{
	void *memory;

	must(nmem_alloc(suite.device, 2 * WORDS * sizeof *words, &memory));
	words = memory;
	for (size_t i = 0; i < 2 * WORDS; i++)
		words[i] = 2 * i + (i % 3 == 0);
	publish(words, 2 * WORDS * sizeof *words);
}

static void assert_traffic(uint64_t read, uint64_t written)
{
	struct nproc_stats stats;

	must(nproc_stats(suite.device, &stats));
	assert_int_equal(stats.far_bytes_read, read);
	assert_int_equal(stats.far_bytes_written, written);
}

static void touch(enum touch how)
{
	struct ends pipe = make_pipe();
	struct nproc *process;

	make_words();
	must(nproc_spawn(HERE, "touch_far", ENDS(pipe.write), &process, words, (uint64_t)WORDS,
		(uint64_t)how));
	nproc_close(process);
	must(npipe_read_full(pipe.read, &(uint64_t){0}, sizeof(uint64_t)));
}

static void nothing_is_touched_by_the_host(void **state)
{
	(void)state;
	make_words();
	assert_traffic(0, 0);
}

static void reads_are_counted_before_an_answer(void **state)
{
	(void)state;
	touch(TOUCH_READ);
	assert_traffic(WORDS * 8, 0);
}

static void writes_are_counted(void **state)
{
	(void)state;
	touch(TOUCH_WRITE);
	assert_traffic(0, WORDS * 8);
}

static void a_word_that_is_read_and_written_counts_as_both(void **state)
{
	(void)state;
	touch(TOUCH_CHANGE);
	assert_traffic(WORDS * 8, WORDS * 8);
}

static void atomic_operations_count_as_both(void **state)
{
	(void)state;
	touch(TOUCH_COUNT);
	assert_traffic(WORDS * 8, WORDS * 8);
}

static void library_calls_count_with_their_size(void **state)
{
	(void)state;
	touch(TOUCH_COPY);
	assert_traffic(WORDS * 8, WORDS * 8);
	touch(TOUCH_SET);
	assert_traffic(WORDS * 8, WORDS * 16);
	touch(TOUCH_COMPARE);
	assert_traffic(WORDS * 24, WORDS * 16);
}

static void what_a_condition_leaves_out_does_not_count(void **state)
{
	(void)state;
	touch(TOUCH_SOME);
	assert_traffic(WORDS * 8 + (WORDS + 2) / 3 * 8, 0);
}

static void what_comes_before_a_fault_counts_up_to_the_last_call(void **state)
{
	struct ends pipe = make_pipe();
	struct nproc *process;
	(void)state;
	make_words();

	must(nproc_spawn(HERE, "touch_far", ENDS(pipe.write), &process, words, (uint64_t)WORDS,
		(uint64_t)TOUCH_READ_FAULT));

	assert_int_equal(ending_of(process).state, NPROC_FAULTED);
	assert_traffic(WORDS * 8, 0);
}

static void processes_on_all_cores_are_summed(void **state)
{
	struct nproc *process[8];
	struct ends pipe[8];
	(void)state;
	make_words();

	for (unsigned i = 0; i < 8; i++) {
		pipe[i] = make_pipe();
		must(nproc_spawn(HERE, "touch_far",
			ENDS_ON((int)(i % suite.info.core_count), pipe[i].write), &process[i],
			words, (uint64_t)WORDS, (uint64_t)TOUCH_READ));
	}
	for (unsigned i = 0; i < 8; i++)
		exit_code_of(process[i]);
	assert_traffic(WORDS * 8 * 8, 0);
}

int run_traffic(void)
{
	const struct CMUnitTest tests[] = {
		CLAIM(nothing_is_touched_by_the_host),
		CLAIM(reads_are_counted_before_an_answer),
		CLAIM(writes_are_counted),
		CLAIM(a_word_that_is_read_and_written_counts_as_both),
		CLAIM(atomic_operations_count_as_both),
		CLAIM(library_calls_count_with_their_size),
		CLAIM(what_a_condition_leaves_out_does_not_count),
		CLAIM(what_comes_before_a_fault_counts_up_to_the_last_call),
		CLAIM(processes_on_all_cores_are_summed),
	};

	return cmocka_run_group_tests_name("traffic", tests, NULL, NULL);
}
