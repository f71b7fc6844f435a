/* Pipe ends that are passed to processes, in every order. */
#include "tests/conformance/suite.h"

enum {
	STREAM = 20000
};

static void write_stream(struct npipe *end, uint64_t from, uint64_t to)
{
	for (uint64_t i = from; i < to; i++) {
		uint8_t byte = stream_byte(i);

		assert_int_equal(must(npipe_write(end, &byte, 1)), 1);
	}
}

static void a_passed_end_gives_ebadf(void **state)
{
	struct ends in = make_pipe(), out = make_pipe();
	struct nproc *process;
	struct npipe *copy;
	char byte;
	(void)state;
	must(nproc_spawn(HERE, "echo", ENDS(in.read, out.write), &process, 10));

	assert_int_equal(npipe_read(in.read, &byte, 1), -EBADF);
	assert_int_equal(npipe_write(out.write, "x", 1), -EBADF);
	assert_int_equal(npipe_dup(in.read, &copy), -EBADF);
	assert_null(copy);
	assert_int_equal(nproc_spawn(HERE, "echo", ENDS(in.read), &process, 10), -EBADF);
	assert_detail("given away before");
	npipe_close(in.read);
	npipe_close(out.write);
	npipe_close(in.write);
	assert_int_equal(must(npipe_read(out.read, &byte, 1)), 0);
}

static void an_end_passed_twice_gives_ebadf_and_is_kept(void **state)
{
	struct ends pipe = make_pipe();
	struct nproc *process;
	(void)state;

	assert_int_equal(
		nproc_spawn(HERE, "exit_with", ENDS(pipe.write, pipe.write), &process, 0), -EBADF);
	assert_detail("passed twice");
	assert_int_equal(must(npipe_write(pipe.write, "x", 1)), 1);
}

static void an_end_of_another_device_gives_ebadf(void **state)
{
	struct nproc_device *other;
	struct npipe *ends[2];
	struct nproc *process;
	(void)state;
	open_another("cores=1", &other);
	must(npipe_create(other, ends));

	assert_int_equal(nproc_spawn(HERE, "exit_with", ENDS(ends[0]), &process, 0), -EBADF);
	assert_detail("another device");
	nproc_device_close(other);
}

static void two_reading_ends_go_together(void **state)
{
	struct ends pipe = make_pipe();
	struct npipe *copy;
	struct nproc *process;
	(void)state;
	must(npipe_dup(pipe.read, &copy));
	must(npipe_write(pipe.write, "x", 1));

	must(nproc_spawn(HERE, "read_fd", ENDS(pipe.read, copy), &process, 1));

	assert_int_equal(exit_code_of(process), 1);
}

static void what_was_written_before_the_spawn_comes_first(void **state)
{
	struct ends pipe = make_pipe();
	struct nproc *process;
	uint64_t early = 16; /* as many bytes as first fit into a pipe, a line each */
	(void)state;
	write_stream(pipe.write, 0, early);

	must(nproc_spawn(HERE, "sink", ENDS(pipe.read), &process, 7));
	write_stream(pipe.write, early, STREAM / 10);
	npipe_close(pipe.write);

	assert_int_equal(exit_code_of(process), STREAM / 10);
}

static void what_was_written_before_the_spawn_is_read_when_the_writer_has_closed(void **state)
{
	struct ends pipe = make_pipe();
	struct nproc *process;
	(void)state;
	write_stream(pipe.write, 0, 9);
	npipe_close(pipe.write);

	must(nproc_spawn(HERE, "sink", ENDS(pipe.read), &process, 100));

	assert_int_equal(exit_code_of(process), 9);
}

static void a_half_read_line_goes_on_at_the_process(void **state)
{
	struct ends pipe = make_pipe();
	struct nproc *process;
	uint8_t bytes[56];
	(void)state;
	/* The kernel's stream begins anew at the first byte that it reads. */
	for (unsigned i = 0; i < 56; i++)
		bytes[i] = stream_byte(i - 20);
	must(npipe_write(pipe.write, bytes, 56));
	assert_int_equal(must(npipe_read(pipe.read, bytes, 20)), 20);

	must(nproc_spawn(HERE, "sink", ENDS(pipe.read), &process, 100));
	npipe_close(pipe.write);

	assert_int_equal(exit_code_of(process), 36);
}

static void writer_spawned_first(void **state)
{
	struct ends pipe = make_pipe();
	struct nproc *writer, *reader;
	(void)state;

	must(nproc_spawn(HERE, "source", ENDS(pipe.write), &writer, STREAM, 100));
	must(nproc_spawn(HERE, "sink", ENDS(pipe.read), &reader, 77));

	assert_int_equal(exit_code_of(reader), STREAM);
	assert_int_equal(exit_code_of(writer), 0);
}

static void reader_spawned_first(void **state)
{
	struct ends pipe = make_pipe();
	struct nproc *writer, *reader;
	(void)state;

	must(nproc_spawn(HERE, "sink", ENDS(pipe.read), &reader, 77));
	must(nproc_spawn(HERE, "source", ENDS(pipe.write), &writer, STREAM, 100));

	assert_int_equal(exit_code_of(reader), STREAM);
	assert_int_equal(exit_code_of(writer), 0);
}

/* A writer that ended before the reader was spawned. */
static void reader_spawned_after_the_writer_has_ended(void **state)
{
	struct ends pipe = make_pipe();
	struct nproc *writer, *reader;
	(void)state;
	must(nproc_spawn(HERE, "source", ENDS(pipe.write), &writer, 300, 30));
	assert_int_equal(exit_code_of(writer), 0);

	must(nproc_spawn(HERE, "sink", ENDS(pipe.read), &reader, 77));

	assert_int_equal(exit_code_of(reader), 300);
}

/* The host reads some of it, then gives the rest away: the stream repeats every 65536 bytes. */
static void a_stream_goes_on_when_its_reader_moves(void **state)
{
	enum {
		PERIOD = 65536
	};
	struct ends pipe = make_pipe();
	struct nproc *writer, *reader;
	uint8_t bytes[64];
	uint64_t done = 0;
	(void)state;
	must(nproc_spawn(HERE, "source", ENDS(pipe.write), &writer, PERIOD + STREAM, 64));
	while (done < PERIOD) {
		uint64_t left = PERIOD - done;
		int64_t now = must(npipe_read(pipe.read, bytes, left < 64 ? left : 64));

		for (int64_t i = 0; i < now; i++)
			assert_int_equal(bytes[i], stream_byte(done + (uint64_t)i));
		done += (uint64_t)now;
	}
	assert_int_equal(done, PERIOD);

	must(nproc_spawn(HERE, "sink", ENDS(pipe.read), &reader, 100));

	assert_int_equal(exit_code_of(reader), STREAM);
	assert_int_equal(exit_code_of(writer), 0);
}

static void one_process_may_hold_both_ends(void **state)
{
	struct ends pipe = make_pipe();
	struct nproc *process;
	(void)state;

	must(nproc_spawn(HERE, "talk_to_itself", ENDS(pipe.read, pipe.write), &process, 1000));

	assert_int_equal(exit_code_of(process), 0);
}

/* source | echo | echo | sink, on as many cores as there are. */
static void a_pipeline_over_the_cores(void **state)
{
	struct ends pipe[3] = {make_pipe(), make_pipe(), make_pipe()};
	int cores = (int)suite.info.core_count;
	struct nproc *process[4];
	(void)state;

	must(nproc_spawn(HERE, "source", ENDS_ON(0, pipe[0].write), &process[0], STREAM, 90));
	must(nproc_spawn(
		HERE, "echo", ENDS_ON(1 % cores, pipe[0].read, pipe[1].write), &process[1], 50));
	must(nproc_spawn(
		HERE, "echo", ENDS_ON(2 % cores, pipe[1].read, pipe[2].write), &process[2], 120));
	must(nproc_spawn(HERE, "sink", ENDS_ON(3 % cores, pipe[2].read), &process[3], 33));

	assert_int_equal(exit_code_of(process[3]), STREAM);
	assert_int_equal(exit_code_of(process[2]), STREAM);
	assert_int_equal(exit_code_of(process[1]), STREAM);
	assert_int_equal(exit_code_of(process[0]), 0);
}

/* A ring in which two processes and the host pass a number around. */
static void a_ring_through_two_processes_and_the_host(void **state)
{
	struct ends a = make_pipe(), b = make_pipe(), c = make_pipe();
	int last = (int)suite.info.core_count - 1;
	struct nproc *process[2];
	uint64_t word = 0;
	(void)state;
	must(nproc_spawn(HERE, "add_one", ENDS_ON(0, a.read, b.write), &process[0]));
	must(nproc_spawn(HERE, "add_one", ENDS_ON(last, b.read, c.write), &process[1]));

	for (int i = 0; i < 500; i++) {
		must(npipe_write(a.write, &word, sizeof word));
		assert_int_equal(must(npipe_read_full(c.read, &word, sizeof word)), sizeof word);
	}

	assert_int_equal(word, 1000);
	npipe_close(a.write);
	assert_int_equal(exit_code_of(process[0]) | exit_code_of(process[1]), 0);
	assert_int_equal(must(npipe_read(c.read, &word, 8)), 0);
}

/*
 * Records of eight processes and the host arrive whole, and the end comes after the last of them.
 */
static void records_of_many_writers_stay_whole(void **state)
{
	enum {
		WRITERS = 8,
		RECORDS = 200
	};
	struct ends pipe = make_pipe();
	struct nproc *process[WRITERS];
	unsigned seen[WRITERS + 1] = {0};
	uint8_t record[RECORD_BYTES];
	(void)state;
	for (unsigned i = 0; i < WRITERS; i++) {
		struct npipe *copy;

		must(npipe_dup(pipe.write, &copy));
		must(nproc_spawn(HERE, "write_records",
			ENDS_ON((int)(i % suite.info.core_count), copy), &process[i], i, RECORDS));
		npipe_close(copy);
	}
	memset(record, WRITERS, sizeof record);
	for (unsigned i = 0; i < 10; i++)
		must(npipe_write(pipe.write, record, sizeof record));
	npipe_close(pipe.write);

	while (must(npipe_read_full(pipe.read, record, sizeof record)) == sizeof record) {
		for (unsigned i = 1; i < sizeof record; i++)
			assert_int_equal(record[i], record[0]);
		assert_true(record[0] <= WRITERS);
		seen[record[0]]++;
	}

	for (unsigned i = 0; i < WRITERS; i++) {
		assert_int_equal(seen[i], RECORDS);
		assert_int_equal(exit_code_of(process[i]), 0);
	}
	assert_int_equal(seen[WRITERS], 10);
}

/* Likewise into a process. */
static void records_of_many_writers_reach_a_process(void **state)
{
	enum {
		WRITERS = 6
	};
	struct ends pipe = make_pipe();
	struct nproc *process[WRITERS], *reader;
	struct ends out = make_pipe();
	uint8_t record[RECORD_BYTES];
	unsigned total = 0;
	(void)state;
	for (unsigned i = 0; i < WRITERS; i++) {
		struct npipe *copy;

		if (i == WRITERS / 2)
			must(nproc_spawn(
				HERE, "echo", ENDS_ON(0, pipe.read, out.write), &reader, 56));
		must(npipe_dup(pipe.write, &copy));
		must(nproc_spawn(HERE, "write_records",
			ENDS_ON((int)(i % suite.info.core_count), copy), &process[i], i, 100));
		npipe_close(copy);
	}
	npipe_close(pipe.write);

	while (must(npipe_read_full(out.read, record, sizeof record)) == sizeof record) {
		for (unsigned i = 1; i < sizeof record; i++)
			assert_int_equal(record[i], record[0]);
		total++;
	}

	assert_int_equal(total, WRITERS * 100);
	for (unsigned i = 0; i < WRITERS; i++)
		assert_int_equal(exit_code_of(process[i]), 0);
	assert_int_equal(exit_code_of(reader), WRITERS * 100 * RECORD_BYTES);
}

static void a_reader_that_exits_gives_epipe_to_host_and_process(void **state)
{
	struct ends pipe = make_pipe();
	struct nproc *reader, *writer;
	struct npipe *copy;
	int64_t result;
	(void)state;
	must(npipe_dup(pipe.write, &copy));
	must(nproc_spawn(HERE, "write_until_error", ENDS(copy), &writer));
	must(nproc_spawn(HERE, "read_once", ENDS(pipe.read), &reader, 1));

	assert_int_equal(exit_code_of(reader), 1);
	assert_int_equal(exit_code_of(writer), -EPIPE);
	while ((result = npipe_write(pipe.write, "x", 1)) == 1)
		;
	assert_int_equal(result, -EPIPE);
}

static void ends_of_a_process_that_exits_are_closed(void **state)
{
	struct ends in = make_pipe(), out = make_pipe();
	struct nproc *process;
	char byte;
	int64_t result;
	(void)state;
	must(nproc_spawn(HERE, "number_ends", ENDS(out.write, in.read), &process, 0));

	assert_int_equal(must(npipe_read(out.read, &byte, 1)), 0);
	assert_int_equal(exit_code_of(process), 0);
	while ((result = npipe_write(in.write, "x", 1)) == 1)
		;
	assert_int_equal(result, -EPIPE);
}

static void a_closed_end_is_seen_while_the_process_lives(void **state)
{
	struct ends in = make_pipe(), out = make_pipe();
	struct nproc *process;
	char byte;
	(void)state;
	must(nproc_spawn(HERE, "close_then_wait", ENDS(in.read, out.write), &process));

	assert_int_equal(must(npipe_read(out.read, &byte, 1)), 0);
	npipe_close(in.write);
	assert_int_equal(exit_code_of(process), 0);
}

static void kernels_get_ebadf_for_ends_that_are_not_theirs(void **state)
{
	static const int64_t wrong[] = {1, 2, 15, 16, -1, INT32_MAX};
	struct nproc *process;
	(void)state;

	for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
		struct ends pipe = make_pipe();

		must(nproc_spawn(HERE, "read_fd", ENDS(pipe.read), &process, wrong[i]));
		assert_int_equal(exit_code_of(process), -EBADF);
		must(nproc_spawn(HERE, "close_fd_twice", ENDS(pipe.write), &process, wrong[i]));
		assert_int_equal(exit_code_of(process), -EBADF);
	}
}

static void kernels_get_ebadf_for_the_wrong_direction(void **state)
{
	struct ends pipe = make_pipe();
	struct nproc *process;
	(void)state;

	must(nproc_spawn(HERE, "read_fd", ENDS(pipe.write), &process, 0));
	assert_int_equal(exit_code_of(process), -EBADF);
	must(nproc_spawn(HERE, "write_fd", ENDS(pipe.read), &process, 0));
	assert_int_equal(exit_code_of(process), -EBADF);
}

static void closing_twice_gives_a_kernel_ebadf(void **state)
{
	struct ends pipe = make_pipe();
	struct nproc *process;
	(void)state;

	must(nproc_spawn(HERE, "close_fd_twice", ENDS(pipe.write), &process, 0));

	assert_int_equal(exit_code_of(process), -EBADF);
}

int run_ends(void)
{
	const struct CMUnitTest tests[] = {
		CLAIM(a_passed_end_gives_ebadf),
		CLAIM(an_end_passed_twice_gives_ebadf_and_is_kept),
		CLAIM(an_end_of_another_device_gives_ebadf),
		CLAIM(two_reading_ends_go_together),
		CLAIM(what_was_written_before_the_spawn_comes_first),
		CLAIM(what_was_written_before_the_spawn_is_read_when_the_writer_has_closed),
		CLAIM(a_half_read_line_goes_on_at_the_process),
		CLAIM(writer_spawned_first),
		CLAIM(reader_spawned_first),
		CLAIM(reader_spawned_after_the_writer_has_ended),
		CLAIM(a_stream_goes_on_when_its_reader_moves),
		CLAIM(one_process_may_hold_both_ends),
		CLAIM(a_pipeline_over_the_cores),
		CLAIM(a_ring_through_two_processes_and_the_host),
		CLAIM(records_of_many_writers_stay_whole),
		CLAIM(records_of_many_writers_reach_a_process),
		CLAIM(a_reader_that_exits_gives_epipe_to_host_and_process),
		CLAIM(ends_of_a_process_that_exits_are_closed),
		CLAIM(a_closed_end_is_seen_while_the_process_lives),
		CLAIM(kernels_get_ebadf_for_ends_that_are_not_theirs),
		CLAIM(kernels_get_ebadf_for_the_wrong_direction),
		CLAIM(closing_twice_gives_a_kernel_ebadf),
	};

	return cmocka_run_group_tests_name("ends", tests, NULL, NULL);
}
