/* Pipes between the host and processes, and at the host. */
#include <signal.h>

#include "tests/conformance/suite.h"

static void fill_stream(uint8_t *bytes, size_t nbytes)
{
	for (size_t i = 0; i < nbytes; i++)
		bytes[i] = stream_byte(i);
}

/* Reads `nbytes` in pieces of at most `piece`. */
static void assert_stream_in_pieces(struct npipe *end, size_t nbytes, size_t piece)
{
	uint8_t bytes[512];
	size_t done = 0;

	while (done < nbytes) {
		int64_t now = must(npipe_read(end, bytes, piece));

		assert_in_range(now, 1, piece);
		for (int64_t i = 0; i < now; i++)
			assert_int_equal(bytes[i], stream_byte(done + (size_t)i));
		done += (size_t)now;
	}
	assert_int_equal(done, nbytes);
}

/* Both ends at the host: every size that lines make interesting, read in pieces of every size. */
static void case_103_sizes_0_to_300_through_a_pipe_of_the_host(void **state)
{
	struct ends pipe = make_pipe();
	uint8_t bytes[300];
	(void)state;
	fill_stream(bytes, sizeof bytes);

	for (size_t nbytes = 0; nbytes <= sizeof bytes; nbytes++) {
		for (size_t piece = 1; piece <= sizeof bytes; piece += piece < 60 ? 1 : 37) {
			assert_int_equal(must(npipe_write(pipe.write, bytes, nbytes)), nbytes);
			assert_stream_in_pieces(pipe.read, nbytes, piece);
		}
	}
	npipe_close(pipe.write);
	assert_int_equal(must(npipe_read(pipe.read, bytes, 1)), 0);
}

/*
 * Through a process that reads in pieces of one size, into a host that reads in pieces of another.
 */
static void case_103_sizes_0_to_300_through_a_process(void **state)
{
	static const uint32_t pieces[] = {1, 7, 55, 56, 57, 112, 400};
	uint8_t bytes[300];
	(void)state;
	fill_stream(bytes, sizeof bytes);

	for (size_t p = 0; p < sizeof pieces / sizeof pieces[0]; p++) {
		struct ends in = make_pipe(), out = make_pipe();
		struct nproc *process;
		size_t total = 0;

		must(nproc_spawn(HERE, "echo", ENDS(in.read, out.write), &process, pieces[p]));
		for (size_t nbytes = 0; nbytes <= sizeof bytes; nbytes += nbytes < 120 ? 1 : 23) {
			assert_int_equal(must(npipe_write(in.write, bytes, nbytes)), nbytes);
			assert_stream_in_pieces(out.read, nbytes, 1 + (nbytes * 7 + p) % 300);
			total += nbytes;
		}
		npipe_close(in.write);
		assert_int_equal(exit_code_of(process), total);
	}
}

/* Case 80: nothing is too large, nothing is dropped. */
static void case_80_a_large_write_arrives_whole(void **state)
{
	enum {
		NBYTES = 1 << 20
	};
	struct ends pipe = make_pipe();
	uint8_t *bytes = malloc(NBYTES);
	struct nproc *process;
	(void)state;
	fill_stream(bytes, NBYTES);
	must(nproc_spawn(HERE, "sink", ENDS(pipe.read), &process, 333));

	assert_int_equal(must(npipe_write(pipe.write, bytes, NBYTES)), NBYTES);
	npipe_close(pipe.write);

	assert_int_equal(exit_code_of(process), NBYTES);
	free(bytes);
}

static void a_large_read_takes_what_a_process_sends(void **state)
{
	enum {
		NBYTES = 1 << 20
	};
	struct ends pipe = make_pipe();
	uint8_t *bytes = malloc(NBYTES + 1);
	struct nproc *process;
	(void)state;
	must(nproc_spawn(HERE, "source", ENDS(pipe.write), &process, NBYTES, 400));

	assert_int_equal(must(npipe_read_full(pipe.read, bytes, NBYTES + 1)), NBYTES);

	for (size_t i = 0; i < NBYTES; i++)
		if (bytes[i] != stream_byte(i))
			fail_msg("byte %zu is wrong", i);
	assert_int_equal(exit_code_of(process), 0);
	free(bytes);
}

static void a_write_of_56_bytes_is_read_in_one(void **state)
{
	struct ends in = make_pipe(), out = make_pipe();
	struct nproc *process;
	char bytes[400];
	(void)state;
	must(nproc_spawn(HERE, "echo", ENDS(in.read, out.write), &process, 400));

	for (int64_t nbytes = 1; nbytes <= NPIPE_BUF; nbytes++) {
		must(npipe_write(in.write, bytes, (size_t)nbytes));
		assert_int_equal(must(npipe_read(out.read, bytes, sizeof bytes)), nbytes);
	}
}

static void read_takes_what_is_there(void **state)
{
	struct ends pipe = make_pipe();
	char bytes[100];
	(void)state;

	must(npipe_write(pipe.write, "abc", 3));
	must(npipe_write(pipe.write, "def", 3));

	assert_int_equal(must(npipe_read(pipe.read, bytes, 2)), 2);
	assert_int_equal(must(npipe_read(pipe.read, bytes + 2, sizeof bytes - 2)), 4);
	assert_memory_equal(bytes, "abcdef", 6);
}

static void zero_bytes_are_read_and_written_at_once(void **state)
{
	struct ends pipe = make_pipe();
	(void)state;

	assert_int_equal(npipe_read(pipe.read, NULL, 0), 0);
	assert_int_equal(npipe_read_full(pipe.read, NULL, 0), 0);
	assert_int_equal(npipe_write(pipe.write, NULL, 0), 0);
}

static void read_full_gives_less_at_the_end(void **state)
{
	struct ends pipe = make_pipe();
	char bytes[100];
	(void)state;
	must(npipe_write(pipe.write, "abcde", 5));
	npipe_close(pipe.write);

	assert_int_equal(must(npipe_read_full(pipe.read, bytes, sizeof bytes)), 5);
	assert_int_equal(must(npipe_read_full(pipe.read, bytes, sizeof bytes)), 0);
}

/* Case 83: closing means delivered. */
static void case_83_a_writer_that_exits_at_once_loses_nothing(void **state)
{
	(void)state;
	for (uint32_t i = 1; i <= 300; i++) {
		struct ends pipe = make_pipe();
		struct nproc *process;
		uint8_t bytes[400];

		must(nproc_spawn(HERE, "source", ENDS(pipe.write), &process, i, 400));
		assert_int_equal(exit_code_of(process), 0);
		assert_int_equal(must(npipe_read_full(pipe.read, bytes, sizeof bytes)), i);
		for (uint32_t k = 0; k < i; k++)
			assert_int_equal(bytes[k], stream_byte(k));
		npipe_close(pipe.read);
	}
}

static void case_83_a_host_that_closes_at_once_loses_nothing(void **state)
{
	(void)state;
	for (uint32_t i = 1; i <= 300; i += 7) {
		struct ends pipe = make_pipe();
		struct nproc *process;
		uint8_t bytes[300];

		fill_stream(bytes, i);
		must(nproc_spawn(HERE, "sink", ENDS(pipe.read), &process, 100));
		must(npipe_write(pipe.write, bytes, i));
		npipe_close(pipe.write);
		assert_int_equal(exit_code_of(process), i);
	}
}

static void end_of_file_comes_after_the_last_writer(void **state)
{
	struct ends pipe = make_pipe();
	struct npipe *copy;
	char byte;
	(void)state;
	must(npipe_dup(pipe.write, &copy));
	must(npipe_set_timeout(pipe.read, 0));

	npipe_close(pipe.write);
	assert_int_equal(npipe_read(pipe.read, &byte, 1), -EAGAIN);
	must(npipe_write(copy, "x", 1));
	npipe_close(copy);
	assert_int_equal(npipe_read(pipe.read, &byte, 1), 1);
	assert_int_equal(npipe_read(pipe.read, &byte, 1), 0);
	assert_int_equal(npipe_read(pipe.read, &byte, 1), 0);
}

static void write_to_closed_pipe_returns_epipe(void **state)
{
	struct ends pipe = make_pipe();
	struct npipe *copy;
	(void)state;
	must(npipe_dup(pipe.read, &copy));

	npipe_close(pipe.read);
	assert_int_equal(npipe_write(pipe.write, "x", 1), 1);
	npipe_close(copy);
	assert_int_equal(npipe_write(pipe.write, "x", 1), -EPIPE);
}

/* Case 86: no signal, whatever the program does with it. */
static void case_86_no_sigpipe_is_raised(void **state)
{
	struct ends pipe = make_pipe();
	(void)state;
	signal(SIGPIPE, SIG_DFL);
	npipe_close(pipe.read);

	assert_int_equal(npipe_write(pipe.write, "x", 1), -EPIPE);
}

static void ends_have_one_direction(void **state)
{
	struct ends pipe = make_pipe();
	char byte;
	(void)state;

	assert_int_equal(npipe_read(pipe.write, &byte, 1), -EBADF);
	assert_int_equal(npipe_read_full(pipe.write, &byte, 1), -EBADF);
	assert_int_equal(npipe_write(pipe.read, "x", 1), -EBADF);
	assert_int_equal(npipe_write(NULL, "x", 1), -EBADF);
	assert_int_equal(npipe_read(NULL, &byte, 1), -EBADF);
}

static void an_empty_pipe_gives_eagain_without_time(void **state)
{
	struct ends pipe = make_pipe();
	char byte;
	(void)state;
	must(npipe_set_timeout(pipe.read, 0));

	assert_int_equal(npipe_read(pipe.read, &byte, 1), -EAGAIN);
	assert_int_equal(npipe_read_full(pipe.read, &byte, 1), -EAGAIN);
}

static void a_full_pipe_takes_a_part_then_gives_eagain(void **state)
{
	struct ends pipe = make_pipe();
	static uint8_t bytes[100000];
	int64_t taken, read;
	(void)state;
	fill_stream(bytes, sizeof bytes);
	must(npipe_set_timeout(pipe.write, 0));

	taken = must(npipe_write(pipe.write, bytes, sizeof bytes));
	assert_in_range(taken, NPIPE_BUF, sizeof bytes - 1);
	assert_int_equal(npipe_write(pipe.write, "x", 1), -EAGAIN);
	npipe_close(pipe.write);
	memset(bytes, 0, sizeof bytes);
	read = must(npipe_read_full(pipe.read, bytes, sizeof bytes));

	assert_int_equal(read, taken);
	for (int64_t i = 0; i < read; i++)
		assert_int_equal(bytes[i], stream_byte((uint64_t)i));
}

/* A process that does not read. */
static void a_full_pipe_to_a_process_gives_etimedout(void **state)
{
	struct ends pipe = make_pipe(), other = make_pipe();
	struct nproc *process;
	int64_t result;
	(void)state;
	must(nproc_spawn(HERE, "wait_for_end", ENDS(other.read, pipe.read), &process));
	must(npipe_set_timeout(pipe.write, 1000 * 1000));

	while ((result = npipe_write(pipe.write, "x", 1)) == 1)
		;

	assert_int_equal(result, -ETIMEDOUT);
	npipe_close(other.write);
	assert_int_equal(exit_code_of(process), 0);
	assert_int_equal(npipe_write(pipe.write, "x", 1), -EPIPE);
}

static void a_partial_write_gives_its_count_when_time_is_up(void **state)
{
	struct ends pipe = make_pipe();
	static const uint8_t bytes[100000];
	(void)state;
	must(npipe_set_timeout(pipe.write, 1000 * 1000));

	assert_in_range(
		must(npipe_write(pipe.write, bytes, sizeof bytes)), NPIPE_BUF, sizeof bytes - 1);
}

static void a_partial_read_full_gives_its_count_when_time_is_up(void **state)
{
	struct ends pipe = make_pipe();
	char bytes[10];
	(void)state;
	must(npipe_set_timeout(pipe.read, 1000 * 1000));
	must(npipe_write(pipe.write, "abc", 3));

	assert_int_equal(must(npipe_read_full(pipe.read, bytes, sizeof bytes)), 3);
	assert_int_equal(npipe_read_full(pipe.read, bytes, sizeof bytes), -ETIMEDOUT);
	assert_int_equal(npipe_read(pipe.read, bytes, sizeof bytes), -ETIMEDOUT);
}

/* Case 20: a call without time looks once, however much goes on elsewhere. */
static void case_20_a_call_without_time_returns_in_traffic(void **state)
{
	struct ends busy = make_pipe(), empty = make_pipe();
	struct nproc *process;
	char byte;
	(void)state;
	must(nproc_spawn(HERE, "write_until_error", ENDS(busy.write), &process));
	must(npipe_set_timeout(empty.read, 0));

	for (int i = 0; i < 1000; i++) {
		assert_int_equal(npipe_read(empty.read, &byte, 1), -EAGAIN);
		must(npipe_read(busy.read, &byte, 1));
	}
	npipe_close(busy.read);
	assert_int_equal(exit_code_of(process), -EPIPE);
}

static void a_duplicate_reads_the_same_stream(void **state)
{
	struct ends pipe = make_pipe();
	struct npipe *copy;
	char bytes[4];
	(void)state;
	must(npipe_dup(pipe.read, &copy));
	must(npipe_write(pipe.write, "abcd", 4));

	assert_int_equal(must(npipe_read(copy, bytes, 1)), 1);
	assert_int_equal(must(npipe_read(pipe.read, bytes + 1, 1)), 1);
	npipe_close(pipe.read);
	assert_int_equal(must(npipe_read(copy, bytes + 2, 2)), 2);
	assert_memory_equal(bytes, "abcd", 4);
}

/* Case 52: a pipe's id is used again, and nothing of its former pipe comes. */
static void case_52_pipes_open_and_close_without_end(void **state)
{
	struct nproc_device *device;
	struct nproc_image *image;
	struct nproc *process;
	struct npipe *in[2], *out[2];
	char byte;
	(void)state;
	open_another("pipes=4", &device);
	must(nproc_image_open(device, TEST_KERNELS_PATH, &image));

	for (int i = 0; i < 1000; i++) {
		must(npipe_create(device, in)); /* also while processes still close their ends */
		must(npipe_create(device, out));
		must(nproc_spawn(device, image, "echo", ENDS(in[0], out[1]), &process, 1));
		npipe_close(in[0]);
		npipe_close(out[1]);
		must(npipe_write(in[1], &(char){(char)i}, 1));
		assert_int_equal(must(npipe_read(out[0], &byte, 1)), 1);
		assert_int_equal(byte, (char)i);
		npipe_close(in[1]);
		npipe_close(out[0]);
		nproc_close(process);
	}
	nproc_device_close(device);
}

static void pipes_that_only_processes_have_give_emfile_until_these_end(void **state)
{
	struct nproc_device *device;
	struct nproc_image *image;
	struct nproc *process;
	struct npipe *in[2], *out[2], *more[2];
	char detail[512];
	(void)state;
	open_another("pipes=2", &device);
	must(nproc_image_open(device, TEST_KERNELS_PATH, &image));
	must(npipe_create(device, in));
	must(npipe_create(device, out));
	must(nproc_spawn(device, image, "echo", ENDS(in[0], out[1]), &process, 1));
	npipe_close(in[0]);
	npipe_close(out[1]);
	npipe_close(out[0]);

	assert_int_equal(npipe_create(device, more), -EMFILE);
	assert_non_null(strstr(
		nproc_detail(device, detail, sizeof detail), "(processes alone have 1 of them)"));
	npipe_close(in[1]);
	must(npipe_create(device, more));
	must(npipe_create(device, in));
	nproc_device_close(device);
}

static void a_hundred_thousand_pipes_of_the_host(void **state)
{
	struct npipe *ends[2];
	(void)state;

	for (int i = 0; i < 100000; i++) {
		must(npipe_create(suite.device, ends));
		npipe_close(ends[i % 2]);
		npipe_close(ends[!(i % 2)]);
	}
}

static void more_pipes_than_there_are_give_emfile(void **state)
{
	struct nproc_device *device;
	struct npipe *ends[3][2], *more[2];
	char detail[512];
	(void)state;
	open_another("pipes=3", &device);
	for (int i = 0; i < 3; i++)
		must(npipe_create(device, ends[i]));

	assert_int_equal(npipe_create(device, more), -EMFILE);
	assert_null(more[0]);
	assert_null(more[1]);
	assert_non_null(strstr(nproc_detail(device, detail, sizeof detail), "has 3 pipes"));
	npipe_close(ends[1][0]);
	npipe_close(ends[1][1]);
	must(npipe_create(device, more));
	nproc_device_close(device);
}

int run_pipes(void)
{
	const struct CMUnitTest tests[] = {
		CLAIM(case_103_sizes_0_to_300_through_a_pipe_of_the_host),
		CLAIM(case_103_sizes_0_to_300_through_a_process),
		CLAIM(case_80_a_large_write_arrives_whole),
		CLAIM(a_large_read_takes_what_a_process_sends),
		CLAIM(a_write_of_56_bytes_is_read_in_one),
		CLAIM(read_takes_what_is_there),
		CLAIM(zero_bytes_are_read_and_written_at_once),
		CLAIM(read_full_gives_less_at_the_end),
		CLAIM(case_83_a_writer_that_exits_at_once_loses_nothing),
		CLAIM(case_83_a_host_that_closes_at_once_loses_nothing),
		CLAIM(end_of_file_comes_after_the_last_writer),
		CLAIM(write_to_closed_pipe_returns_epipe),
		CLAIM(case_86_no_sigpipe_is_raised),
		CLAIM(ends_have_one_direction),
		CLAIM(an_empty_pipe_gives_eagain_without_time),
		CLAIM(a_full_pipe_takes_a_part_then_gives_eagain),
		CLAIM(a_full_pipe_to_a_process_gives_etimedout),
		CLAIM(a_partial_write_gives_its_count_when_time_is_up),
		CLAIM(a_partial_read_full_gives_its_count_when_time_is_up),
		CLAIM(case_20_a_call_without_time_returns_in_traffic),
		CLAIM(a_duplicate_reads_the_same_stream),
		CLAIM(case_52_pipes_open_and_close_without_end),
		CLAIM(pipes_that_only_processes_have_give_emfile_until_these_end),
		CLAIM(a_hundred_thousand_pipes_of_the_host),
		CLAIM(more_pipes_than_there_are_give_emfile),
	};

	return cmocka_run_group_tests_name("pipes", tests, NULL, NULL);
}
