/* Close means delivered: what was written before an end was closed is read before end of file. */
#include "tests/conformance/suite.h"

static unsigned other_core(unsigned core)
{
	return (core + 1) % suite.info.core_count;
}

static void fill_stream(uint8_t *bytes, size_t nbytes)
{
	for (size_t i = 0; i < nbytes; i++)
		bytes[i] = stream_byte(i);
}

/* The writer has long gone when the reader comes: the pipe moves with its bytes. */
static void case_83_bytes_of_a_process_that_has_gone_wait_for_their_reader(void **state)
{
	(void)state;
	for (uint32_t nbytes = 1; nbytes <= 400; nbytes += 19) {
		struct ends pipe = make_pipe();
		struct nproc *process;

		must(nproc_spawn(HERE, "source", ENDS_ON(0, pipe.write), &process, nbytes, 400));
		assert_int_equal(exit_code_of(process), 0);
		must(nproc_spawn(
			HERE, "sink", ENDS_ON((int)other_core(0), pipe.read), &process, 100));
		assert_int_equal(exit_code_of(process), nbytes);
	}
}

static void case_83_bytes_of_the_host_move_with_the_reading_end(void **state)
{
	uint8_t bytes[400];
	(void)state;
	fill_stream(bytes, sizeof bytes);

	for (uint32_t nbytes = 1; nbytes <= sizeof bytes; nbytes += 19) {
		struct ends pipe = make_pipe();
		struct nproc *process;

		must(npipe_write(pipe.write, bytes, nbytes));
		npipe_close(pipe.write);
		must(nproc_spawn(HERE, "sink", ENDS(pipe.read), &process, 100));
		assert_int_equal(exit_code_of(process), nbytes);
	}
}

/* More than fits into a pipe, on one core and between two; writers exit with their last byte. */
static void case_83_processes_deliver_to_processes(void **state)
{
	(void)state;
	for (unsigned core = 0; core < suite.info.core_count && core < 2; core++) {
		for (uint32_t nbytes = 1; nbytes < 30000; nbytes = nbytes * 2 + 7) {
			struct ends pipe = make_pipe();
			struct nproc *reader, *writer;

			must(nproc_spawn(HERE, "sink", ENDS_ON((int)core, pipe.read), &reader, 64));
			must(nproc_spawn(
				HERE, "source", ENDS_ON(0, pipe.write), &writer, nbytes, 111));
			assert_int_equal(exit_code_of(reader), nbytes);
			assert_int_equal(exit_code_of(writer), 0);
		}
	}
}

/* All of several writers, whichever closes last. */
static void case_83_the_last_of_several_writers_loses_nothing(void **state)
{
	enum {
		WRITERS = 4,
		RECORDS = 30
	};
	struct ends pipe = make_pipe();
	struct nproc *process[WRITERS];
	uint64_t records = 0;
	uint8_t record[RECORD_BYTES];
	(void)state;
	for (int i = 0; i < WRITERS; i++) {
		struct npipe *copy;

		must(npipe_dup(pipe.write, &copy));
		must(nproc_spawn(HERE, "write_records",
			ENDS_ON(i % (int)suite.info.core_count, copy), &process[i], i, RECORDS));
	}
	npipe_close(pipe.write);

	while (must(npipe_read_full(pipe.read, record, sizeof record)) == sizeof record)
		records++;

	assert_int_equal(records, WRITERS * RECORDS);
	for (int i = 0; i < WRITERS; i++)
		assert_int_equal(exit_code_of(process[i]), 0);
}

/* Ended in the middle of writing: what its writes had given is read in order, then the end. */
static void what_a_killed_process_had_written_is_read(void **state)
{
	struct ends pipe = make_pipe();
	struct nproc *process;
	uint64_t word, count = 0;
	int64_t nbytes;
	(void)state;
	must(nproc_spawn(HERE, "write_until_error", ENDS(pipe.write), &process));
	for (; count < 100; count++) {
		must(npipe_read_full(pipe.read, &word, sizeof word));
		assert_int_equal(word, count);
	}

	must(nproc_kill(process));
	assert_int_equal(ending_of(process).state, NPROC_KILLED);

	while ((nbytes = must(npipe_read_full(pipe.read, &word, sizeof word)))) {
		assert_int_equal(nbytes, sizeof word);
		assert_int_equal(word, count++);
	}
}

int run_delivered(void)
{
	const struct CMUnitTest tests[] = {
		CLAIM(case_83_bytes_of_a_process_that_has_gone_wait_for_their_reader),
		CLAIM(case_83_bytes_of_the_host_move_with_the_reading_end),
		CLAIM(case_83_processes_deliver_to_processes),
		CLAIM(case_83_the_last_of_several_writers_loses_nothing),
		CLAIM(what_a_killed_process_had_written_is_read),
	};

	return cmocka_run_group_tests_name("delivered", tests, NULL, NULL);
}
