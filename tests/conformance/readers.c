/*
 * One pipe that is read in several places: its home stays the host, which lends lines to cores that
 * wait (channels/lend.c). Each word is read once, whoever reads it, and nothing is lost with a
 * reader that is killed. Here the host is inside the library whenever a process waits.
 */
#include "tests/conformance/suite.h"

enum {
	READERS = 5,
	WORDS = 400,
};

static struct npipe *copy_of(struct npipe *end)
{
	struct npipe *copy;

	must(npipe_dup(end, &copy));
	return copy;
}

static struct nproc *start_reader(const char *kernel, struct npipe *end, unsigned number)
{
	struct nproc *process;

	must(nproc_spawn(
		HERE, kernel, ENDS_ON((int)(number % suite.info.core_count), end), &process));
	return process;
}

static struct nproc *start_read_once(struct npipe *end, unsigned number, uint32_t nbytes)
{
	struct nproc *process;

	must(nproc_spawn(HERE, "read_once", ENDS_ON((int)(number % suite.info.core_count), end),
		&process, nbytes));
	return process;
}

/* Lets the cores run until they have nothing to do but wait. */
static void let_them_wait(void)
{
	struct nproc *process;

	for (int core = 0; core < (int)suite.info.core_count; core++) {
		must(nproc_spawn(HERE, "exit_with", ON_CORE(core), &process, 0));
		assert_int_equal(exit_code_of(process), 0);
	}
}

static void each_word_is_read_once_by_processes_of_all_cores(void **state)
{
	struct ends pipe = make_pipe();
	struct nproc *process[READERS];
	int64_t got = 0;
	(void)state;
	for (unsigned i = 0; i < READERS; i++)
		process[i] = start_reader(
			"count_words", i + 1 < READERS ? copy_of(pipe.read) : pipe.read, i);

	for (uint64_t i = 0; i < WORDS; i++)
		assert_int_equal(must(npipe_write(pipe.write, &i, sizeof i)), sizeof i);
	npipe_close(pipe.write);

	for (unsigned i = 0; i < READERS; i++) {
		int64_t count = exit_code_of(process[i]);

		assert_true(count >= 0);
		got += count;
	}
	assert_int_equal(got, WORDS);
}

static void writers_of_all_cores_have_readers_on_all_cores(void **state)
{
	struct ends pipe = make_pipe();
	struct nproc *reader[READERS], *writer[READERS];
	int64_t got = 0;
	(void)state;
	for (unsigned i = 0; i < READERS; i++) {
		struct npipe *end = copy_of(pipe.write);

		reader[i] = start_reader("count_words", copy_of(pipe.read), i);
		must(nproc_spawn(HERE, "write_words",
			ENDS_ON((int)((i + 1) % suite.info.core_count), end), &writer[i], i,
			WORDS));
	}
	npipe_close(pipe.read);
	npipe_close(pipe.write);

	for (unsigned i = 0; i < READERS; i++)
		assert_int_equal(exit_code_of(writer[i]), 0);
	for (unsigned i = 0; i < READERS; i++)
		got += exit_code_of(reader[i]);
	assert_int_equal(got, READERS * WORDS);
}

static void the_host_reads_beside_a_process(void **state)
{
	struct ends pipe = make_pipe();
	struct nproc *process = start_reader("count_words", copy_of(pipe.read), 0);
	int64_t got = 0;
	(void)state;
	for (uint64_t i = 0; i < WORDS; i++) {
		assert_int_equal(must(npipe_write(pipe.write, &i, sizeof i)), sizeof i);
		if (i % 2) {
			uint64_t word;
			int64_t result;

			must(npipe_set_timeout(pipe.read, 0));
			result = npipe_read(pipe.read, &word, sizeof word);
			assert_true(result == sizeof word || result == -EAGAIN);
			got += result > 0;
		}
	}
	npipe_close(pipe.read);
	npipe_close(pipe.write);
	assert_int_equal(exit_code_of(process) + got, WORDS);
}

/* A word that the process was given goes with it; one on its way is the first for the next. */
static void a_killed_reader_takes_no_more_than_its_own(void **state)
{
	struct ends pipe = make_pipe();
	(void)state;
	for (uint32_t i = 0; i < 60; i++) {
		const uint32_t words[2] = {2 * i, 2 * i + 1};
		struct nproc *process = start_read_once(copy_of(pipe.read), i, sizeof words[0]);
		uint32_t got = 0;

		if (i % 2)
			let_them_wait();
		if (i % 3)
			must(nproc_kill(process));
		must(npipe_write(pipe.write, &words[0], sizeof words[0]));
		must(nproc_kill(process));
		ending_of(process);
		must(npipe_write(pipe.write, &words[1], sizeof words[1]));
		assert_int_equal(must(npipe_read(pipe.read, &got, sizeof got)), sizeof got);
		if (got == words[0])
			assert_int_equal(must(npipe_read(pipe.read, &got, sizeof got)), sizeof got);
		assert_int_equal(got, words[1]);
	}
}

static void a_part_of_a_message_is_left_to_a_reader_elsewhere(void **state)
{
	struct ends pipe = make_pipe();
	struct nproc *first = start_read_once(copy_of(pipe.read), 0, 3);
	char rest[10];
	(void)state;
	let_them_wait();
	must(npipe_write(pipe.write, "abcdefgh", 8));

	assert_int_equal(exit_code_of(first), 3);
	assert_int_equal(must(npipe_read(pipe.read, rest, sizeof rest)), 5);
	assert_memory_equal(rest, "defgh", 5);
}

static void every_reader_sees_the_end(void **state)
{
	struct ends pipe = make_pipe();
	struct nproc *process[READERS];
	char byte;
	(void)state;
	for (unsigned i = 0; i < READERS; i++)
		process[i] = start_read_once(copy_of(pipe.read), i, 1);
	npipe_close(pipe.write);

	for (unsigned i = 0; i < READERS; i++)
		assert_int_equal(exit_code_of(process[i]), 0);
	assert_int_equal(must(npipe_read(pipe.read, &byte, 1)), 0);
}

static void a_pipe_breaks_when_nobody_reads_anywhere(void **state)
{
	struct ends pipe = make_pipe();
	struct nproc *process[READERS];
	(void)state;
	for (unsigned i = 0; i < READERS; i++)
		process[i] =
			start_read_once(i + 1 < READERS ? copy_of(pipe.read) : pipe.read, i, 1);
	for (unsigned i = 0; i < READERS; i++) {
		assert_int_equal(must(npipe_write(pipe.write, "x", 1)), 1);
		let_them_wait();
	}
	for (unsigned i = 0; i < READERS; i++)
		assert_int_equal(exit_code_of(process[i]), 1);

	let_them_wait();
	assert_int_equal(npipe_write(pipe.write, "x", 1), -EPIPE);
}

static void a_large_read_borrows_many_lines(void **state)
{
	enum {
		NBYTES = 20 * NPIPE_BUF
	};
	struct ends pipe = make_pipe();
	struct npipe *copy = copy_of(pipe.read);
	struct nproc *process;
	(void)state;
	must(nproc_spawn(HERE, "sink", ENDS_ON(0, copy), &process, ECHO_MAX));

	for (uint64_t i = 0; i < NBYTES; i++) {
		uint8_t byte = stream_byte(i);

		assert_int_equal(must(npipe_write(pipe.write, &byte, 1)), 1);
	}
	npipe_close(pipe.write);
	assert_int_equal(exit_code_of(process), NBYTES);
}

static void messages_stay_whole_on_their_way_to_several_cores(void **state)
{
	struct npipe *ends[2];
	struct nproc *process[READERS];
	uint8_t record[RECORD_BYTES];
	int64_t got = 0;
	(void)state;
	must(npipe_create_with(suite.device, ends, &(struct npipe_attr){.flags = NPIPE_PACKET}));
	for (unsigned i = 0; i < READERS; i++)
		process[i] = start_reader("count_records", copy_of(ends[0]), i);
	npipe_close(ends[0]);

	for (unsigned i = 0; i < WORDS; i++) {
		memset(record, (int)i, sizeof record);
		assert_int_equal(must(npipe_write(ends[1], record, sizeof record)), sizeof record);
	}
	npipe_close(ends[1]);
	for (unsigned i = 0; i < READERS; i++)
		got += exit_code_of(process[i]);
	assert_int_equal(got, WORDS);
}

static void a_message_too_large_for_a_borrower_stays_for_it(void **state)
{
	struct npipe *ends[2];
	struct nproc *process;
	(void)state;
	must(npipe_create_with(suite.device, ends, &(struct npipe_attr){.flags = NPIPE_PACKET}));
	must(nproc_spawn(HERE, "read_again_with_room", ENDS(copy_of(ends[0])), &process, 7));
	let_them_wait();

	assert_int_equal(must(npipe_write(ends[1], "eight by", 8)), 8);
	assert_int_equal(exit_code_of(process), 8);
}

static void ids_of_pipes_that_were_lent_come_back(void **state)
{
	struct nproc *process;
	struct npipe *ends[2];
	struct nproc_device *device;
	struct nproc_image *image;
	(void)state;
	open_another("pipes=2,cores=1", &device);
	must(nproc_image_open(device, TEST_KERNELS_PATH, &image));
	for (unsigned i = 0; i < 50; i++) {
		struct npipe *copy;

		must(npipe_create(device, ends));
		must(npipe_dup(ends[0], &copy));
		must(nproc_spawn(device, image, "read_once", ENDS(copy), &process, 1));
		if (i % 2)
			must(npipe_write(ends[1], "x", 1));
		npipe_close(ends[i % 3 == 0]);
		npipe_close(ends[i % 3 != 0]);
		assert_in_range(exit_code_of(process), 0, 1);
	}
	nproc_device_close(device);
}

int run_readers(void)
{
	const struct CMUnitTest tests[] = {
		CLAIM(each_word_is_read_once_by_processes_of_all_cores),
		CLAIM(writers_of_all_cores_have_readers_on_all_cores),
		CLAIM(the_host_reads_beside_a_process),
		CLAIM(a_killed_reader_takes_no_more_than_its_own),
		CLAIM(a_part_of_a_message_is_left_to_a_reader_elsewhere),
		CLAIM(every_reader_sees_the_end),
		CLAIM(a_pipe_breaks_when_nobody_reads_anywhere),
		CLAIM(a_large_read_borrows_many_lines),
		CLAIM(messages_stay_whole_on_their_way_to_several_cores),
		CLAIM(a_message_too_large_for_a_borrower_stays_for_it),
		CLAIM(ids_of_pipes_that_were_lent_come_back),
	};

	return cmocka_run_group_tests_name("readers", tests, NULL, NULL);
}
