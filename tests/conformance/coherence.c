/*
 * What host and processes see of each other's stores, where that is said: publish and refresh. Most
 * of it holds on every device; where memory is coherent there is nothing to be said, and it holds
 * all the same.
 */
#include "tests/conformance/suite.h"

enum {
	WORDS = 100,
	LINES = 64,
	WORDS_PER_LINE = 8,
	TIMES = 200,
};

static void *alloc(size_t nbytes)
{
	void *memory;

	must(nmem_alloc(suite.device, nbytes, &memory));
	return memory;
}

static void publish_and_refresh_are_for_far_memory(void **state)
{
	uint8_t *memory = alloc(64), local;
	(void)state;

	assert_int_equal(nmem_publish(suite.device, &local, 1), -EFAULT);
	assert_detail("not in far memory");
	assert_int_equal(nmem_refresh(suite.device, &local, 1), -EFAULT);
	assert_int_equal(nmem_refresh(suite.device, memory, SIZE_MAX), -EFAULT);
	assert_int_equal(nmem_publish(suite.device, NULL, 1), -EFAULT);
	assert_int_equal(nmem_publish(NULL, memory, 1), -EBADF);
	assert_int_equal(nmem_refresh(suite.device, memory, 0), 0);
	assert_int_equal(nmem_publish(suite.device, memory, 64), 0);
}

static const char *fault_of(const char *kernel, void *memory, uint64_t nbytes)
{
	struct nproc *process;
	struct nproc_status status;

	must(nproc_spawn(HERE, kernel, NULL, &process, memory, nbytes));
	status = ending_of(process);
	assert_int_equal(status.state, NPROC_FAULTED);
	return status.fault;
}

static int64_t run(const char *kernel, void *memory, uint64_t nbytes)
{
	struct nproc *process;

	must(nproc_spawn(HERE, kernel, NULL, &process, memory, nbytes));
	return exit_code_of(process);
}

/* Wherever that is. */
static void no_bytes_are_published_and_refreshed(void **state)
{
	(void)state;

	assert_int_equal(run("refresh_far", NULL, 0), 0);
	assert_int_equal(run("publish_far", NULL, 0), 0);
	assert_int_equal(run("publish_read_only", alloc(1), 0), 0);
}

static void a_process_refreshes_what_it_may_read_and_publishes_what_it_may_write(void **state)
{
	uint8_t *memory = alloc(100);
	(void)state;

	assert_non_null(strstr(fault_of("refresh_far", memory, 101), "read outside"));
	assert_non_null(strstr(fault_of("publish_far", memory, 101), "write outside"));
	assert_non_null(strstr(fault_of("publish_read_only", memory, 100), "read-only"));
	hand_over(memory, 100);
	take_back(memory, 100);
}

static void what_goes_to_and_fro_is_always_whole(void **state)
{
	struct ends ask = make_pipe(), answer = make_pipe();
	uint64_t *words = alloc(WORDS * sizeof *words);
	struct nproc *process;
	char byte = 0;
	(void)state;
	must(nproc_spawn(HERE, "pass_to_and_fro", ENDS(ask.read, answer.write), &process, words,
		(uint64_t)WORDS));

	for (uint64_t round = 0; round < TIMES; round++) {
		refresh(words, WORDS * sizeof *words);
		for (unsigned i = 0; i < WORDS; i++)
			assert_int_equal(words[i]++, 2 * round);
		publish(words, WORDS * sizeof *words);
		must(npipe_write(ask.write, &byte, 1));
		assert_int_equal(must(npipe_read(answer.read, &byte, 1)), 1);
	}
	npipe_close(ask.write);
	assert_int_equal(exit_code_of(process), 0);
}

static void lines_side_by_side_have_each_their_writer(void **state)
{
	uint64_t *words = alloc(LINES * NMEM_ALIGN);
	struct nproc *process;
	(void)state;
	must(nproc_spawn(HERE, "count_in_odd_lines", NULL, &process, words, (uint64_t)LINES,
		(uint64_t)TIMES));

	for (unsigned i = 0; i < TIMES; i++) {
		for (unsigned line = 0; line < LINES; line += 2) {
			words[line * WORDS_PER_LINE]++;
			publish(&words[line * WORDS_PER_LINE], sizeof *words);
		}
		nproc_device_dispatch(suite.device);
	}
	assert_int_equal(exit_code_of(process), 0);
	refresh(words, LINES * NMEM_ALIGN);

	for (unsigned line = 0; line < LINES; line++)
		assert_int_equal(words[line * WORDS_PER_LINE], TIMES);
}

/* It could not say so itself any more, and its stores must not come later, over another's. */
static void what_a_process_stored_before_it_faulted_is_in_memory(void **state)
{
	uint8_t *memory = alloc(1000);
	(void)state;

	assert_string_equal(fault_of("write_then_fault", memory, 1000), "assertion failed");
	refresh(memory, 1000);

	for (size_t i = 0; i < 1000; i++)
		assert_int_equal(memory[i], 7);
}

/* A process that has not published, and that ends well, must not spoil what comes there later. */
static void stores_of_a_process_do_not_come_back_over_the_next_owner(void **state)
{
	uint8_t *memory = alloc(1000), *again;
	struct nproc *process;
	(void)state;

	for (int offset = 0; offset < 1000; offset += 50) {
		must(nproc_spawn(HERE, "write_at", NULL, &process, memory, offset, 5));
		assert_int_equal(exit_code_of(process), 0);
	}
	must(nmem_free(suite.device, memory));
	again = alloc(1000);
	assert_ptr_equal(again, memory);
	memset(again, 7, 1000);
	hand_over(again, 1000);
	refresh(again, 1000);

	for (size_t i = 0; i < 1000; i++)
		assert_int_equal(again[i], 7);
}

static void calls_are_refused_where_memory_is_not_coherent(void **state)
{
	static const struct npipe_attr of_calls = {.flags = NPIPE_CALL};
	struct npipe *end[2];
	(void)state;
	skip_unless(!suite.info.is_coherent, "the memory is coherent");

	assert_int_equal(npipe_create_with(suite.device, end, &of_calls), -EOPNOTSUPP);
}

/* ---- what is left out ------------------------------------------------------------------------ */

/* Where lines go and come only when they are told to, each mistake shows. */
static void skip_unless_strict(void)
{
	skip_unless(suite.served && strstr(suite.served, "incoherent=0"),
		"a store may be seen that was not published");
}

static int64_t read_by_process(const uint8_t *memory)
{
	struct nproc *process;

	must(nproc_spawn(HERE, "read_at", NULL, &process, memory, 0));
	return exit_code_of(process);
}

static void a_host_that_does_not_publish_is_not_heard(void **state)
{
	uint8_t *memory = alloc(64);
	struct nproc *process;
	(void)state;
	skip_unless_strict();

	*memory = 5;
	must(nproc_spawn(HERE, "sum", NULL, &process, memory, (uint64_t)1));
	assert_int_equal(exit_code_of(process), 0);
	publish(memory, 1);
	must(nproc_spawn(HERE, "sum", NULL, &process, memory, (uint64_t)1));
	assert_int_equal(exit_code_of(process), 5);
}

static void a_process_that_does_not_refresh_sees_what_was(void **state)
{
	uint8_t *memory = alloc(64);
	(void)state;
	skip_unless_strict();
	hand_over(memory, 64);

	*memory = 5;
	publish(memory, 1);
	assert_int_equal(read_by_process(memory), 0);
	hand_over(memory, 1);
	assert_int_equal(read_by_process(memory), 5);
}

static void a_process_that_does_not_publish_is_not_heard(void **state)
{
	uint8_t *memory = alloc(64);
	struct nproc *process;
	(void)state;
	skip_unless_strict();

	must(nproc_spawn(HERE, "write_at", NULL, &process, memory, 0, 5));
	assert_int_equal(exit_code_of(process), 0);
	refresh(memory, 1);
	assert_int_equal(*memory, 0);
	take_back(memory, 1);
	assert_int_equal(*memory, 5);
}

static void a_host_that_does_not_refresh_sees_what_was(void **state)
{
	uint8_t *memory = alloc(64);
	struct nproc *process;
	(void)state;
	skip_unless_strict();

	must(nproc_spawn(HERE, "fill", NULL, &process, memory, (uint64_t)64, 5));
	assert_int_equal(exit_code_of(process), 0);
	assert_int_equal(*memory, 0);
	refresh(memory, 1);
	assert_int_equal(*memory, 5);
}

static void of_two_sides_that_write_one_line_one_loses(void **state)
{
	uint8_t *memory = alloc(64);
	struct nproc *process;
	(void)state;
	skip_unless_strict();

	memory[0] = 5;
	must(nproc_spawn(HERE, "fill", NULL, &process, memory + 1, (uint64_t)1, 6));
	assert_int_equal(exit_code_of(process), 0);
	publish(memory, 1);
	refresh(memory, 64);
	assert_int_equal(memory[0], 5);
	assert_int_equal(memory[1], 0);
}

int run_coherence(void)
{
	const struct CMUnitTest tests[] = {
		CLAIM(publish_and_refresh_are_for_far_memory),
		CLAIM(no_bytes_are_published_and_refreshed),
		CLAIM(a_process_refreshes_what_it_may_read_and_publishes_what_it_may_write),
		CLAIM(what_goes_to_and_fro_is_always_whole),
		CLAIM(lines_side_by_side_have_each_their_writer),
		CLAIM(what_a_process_stored_before_it_faulted_is_in_memory),
		CLAIM(stores_of_a_process_do_not_come_back_over_the_next_owner),
		CLAIM(calls_are_refused_where_memory_is_not_coherent),
		CLAIM(a_host_that_does_not_publish_is_not_heard),
		CLAIM(a_process_that_does_not_refresh_sees_what_was),
		CLAIM(a_process_that_does_not_publish_is_not_heard),
		CLAIM(a_host_that_does_not_refresh_sees_what_was),
		CLAIM(of_two_sides_that_write_one_line_one_loses),
	};

	return cmocka_run_group_tests_name("coherence", tests, NULL, NULL);
}
