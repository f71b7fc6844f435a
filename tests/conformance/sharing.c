/*
 * Several readers and several writers of one stream: each word is read once, by one of them; what a
 * reader gets of a writer is in order; the end reaches every reader. (packets.c has the same about
 * messages.)
 */
#include "tests/conformance/thread_readers.h"

enum {
	WRITERS = 4,
	WORDS = 300,
};

static void *read_words(void *argument)
{
	struct reader *reader = argument;
	uint64_t word;
	int64_t nbytes;

	while ((nbytes = npipe_read(reader->end, &word, sizeof word)) > 0) {
		uint64_t *next = &reader->next[word >> 32 & (WRITERS_MAX - 1)];

		reader->wrong += nbytes != sizeof word || (uint32_t)word < *next;
		*next = (uint32_t)word + 1;
		reader->got++;
	}
	reader->wrong += nbytes != 0;
	return NULL;
}

/* As many on each core; the host writes, too. */
static void start_writers(const struct ends *pipe, struct nproc **process)
{
	for (unsigned i = 0; i < WRITERS; i++) {
		struct npipe *copy;

		must(npipe_dup(pipe->write, &copy));
		must(nproc_spawn(HERE, "write_words",
			ENDS_ON((int)(i % suite.info.core_count), copy), &process[i], i, WORDS));
	}
	for (uint64_t i = 0; i < WORDS; i++) {
		uint64_t word = (uint64_t)WRITERS << 32 | i;

		assert_int_equal(must(npipe_write(pipe->write, &word, sizeof word)), sizeof word);
	}
	npipe_close(pipe->write);
}

static void assert_all_wrote(struct nproc **process)
{
	for (unsigned i = 0; i < WRITERS; i++)
		assert_int_equal(exit_code_of(process[i]), 0);
}

static void threads_of_the_host_share_a_stream(void **state)
{
	struct ends pipe = make_pipe();
	struct nproc *process[WRITERS];
	struct reader reader[READERS];
	(void)state;
	skip_unless(!is_simulation(), "several threads read");
	start_readers(reader, pipe.read, read_words);
	start_writers(&pipe, process);

	assert_int_equal(join_readers(reader), (WRITERS + 1) * WORDS);
	assert_all_wrote(process);
}

static void processes_of_a_core_share_a_stream(void **state)
{
	(void)state;
	for (int core = 0; core < (int)suite.info.core_count; core++) {
		struct ends pipe = make_pipe();
		struct nproc *process[WRITERS], *reader;

		must(nproc_spawn(
			HERE, "share_reading", ENDS_ON(core, pipe.read), &reader, READERS, true));
		start_writers(&pipe, process);
		assert_int_equal(exit_code_of(reader), (WRITERS + 1) * WORDS);
		assert_all_wrote(process);
	}
}

static void the_last_reader_breaks_the_pipe(void **state)
{
	struct ends pipe = make_pipe();
	struct nproc *reader;
	struct npipe *copy;
	int64_t result;
	(void)state;
	must(npipe_dup(pipe.read, &copy));
	must(nproc_spawn(HERE, "close_one_then_read", ENDS(pipe.read, copy), &reader));

	must(npipe_write(pipe.write, "x", 1));
	assert_int_equal(exit_code_of(reader), 1);
	while ((result = npipe_write(pipe.write, "x", 1)) == 1)
		;
	assert_int_equal(result, -EPIPE);
}

int run_sharing(void)
{
	const struct CMUnitTest tests[] = {
		CLAIM(threads_of_the_host_share_a_stream),
		CLAIM(processes_of_a_core_share_a_stream),
		CLAIM(the_last_reader_breaks_the_pipe),
	};

	return cmocka_run_group_tests_name("sharing", tests, NULL, NULL);
}
