/*
 * Processes give reading ends, and ends of pipes that they have made, to processes on other cores.
 * With one core, that core is the other one, too.
 */
#include "tests/conformance/suite.h"

static int last_core(void)
{
	return (int)suite.info.core_count - 1;
}

static void write_words(struct npipe *end, uint64_t count)
{
	for (uint64_t i = 0; i < count; i++)
		assert_int_equal(must(npipe_write(end, &i, sizeof i)), sizeof i);
	npipe_close(end);
}

static void a_reading_end_goes_from_core_to_core_and_loses_nothing(void **state)
{
	const uint32_t cores = suite.info.core_count, words = 500;
	(void)state;

	for (uint32_t hops = 0; hops <= 2 * cores + 1; hops++) {
		struct ends pipe = make_pipe();
		struct nproc *process;

		must(nproc_spawn(
			HERE, "count_by_hops", ENDS_ON(0, pipe.read), &process, 0, hops, 0, cores));
		write_words(pipe.write, words);
		assert_int_equal(exit_code_of(process), words);
		npipe_close(pipe.read);
	}
}

/* The host, too, keeps an end, so that it is the home and lends. */
static void an_end_that_is_lent_goes_from_core_to_core(void **state)
{
	const uint32_t cores = suite.info.core_count, words = 500;
	(void)state;

	for (uint32_t hops = 0; hops <= cores + 1; hops++) {
		struct ends pipe = make_pipe();
		struct nproc *process;
		struct npipe *kept;

		must(npipe_dup(pipe.read, &kept));
		must(nproc_spawn(
			HERE, "count_by_hops", ENDS_ON(0, pipe.read), &process, 0, hops, 0, cores));
		write_words(pipe.write, words);
		assert_int_equal(exit_code_of(process), words);
		npipe_close(pipe.read);
		npipe_close(kept);
	}
}

static void ends_go_on_when_who_gave_them_is_gone(void **state)
{
	const uint32_t cores = suite.info.core_count, words = 100;
	(void)state;

	for (uint32_t hops = 1; hops <= 2 * cores; hops++) {
		struct ends pipe = make_pipe(), answer = make_pipe();
		struct nproc *process;
		uint64_t count;

		must(nproc_spawn(HERE, "pass_on_and_leave", ENDS_ON(0, pipe.read, answer.write),
			&process, hops, 0, cores));
		write_words(pipe.write, words);
		assert_int_equal(must(npipe_read(answer.read, &count, sizeof count)), sizeof count);
		assert_int_equal(count, words);
		assert_int_equal(must(npipe_read(answer.read, &count, sizeof count)), 0);
		exit_code_of(process);
		npipe_close(pipe.read);
		npipe_close(answer.read);
		npipe_close(answer.write);
	}
}

static void share(unsigned flags, bool are_words)
{
	struct npipe_attr attr = {.flags = flags};
	const uint32_t readers = 5, count = 600;
	struct nproc *process;
	struct npipe *end[2];
	uint64_t sum = 0;

	must(npipe_create_with(suite.device, end, &attr));
	must(nproc_spawn(HERE, "share_reading_everywhere", ENDS_ON(last_core(), end[0]), &process,
		readers, suite.info.core_count, are_words));
	for (uint64_t i = 0; i < count; i++) {
		uint8_t record[RECORD_BYTES];

		memset(record, (int)(i % 7), sizeof record);
		sum++;
		if (are_words)
			must(npipe_write(end[1], &(uint64_t[1]){i}, sizeof i));
		else
			must(npipe_write(end[1], record, sizeof record));
	}
	npipe_close(end[1]);
	assert_int_equal(exit_code_of(process), sum);
	npipe_close(end[0]);
}

static void processes_on_all_cores_share_what_comes(void **state)
{
	(void)state;
	share(0, true);
	share(NPIPE_PACKET, false);
}

static void a_pipe_of_a_process_joins_any_two_cores(void **state)
{
	struct nproc *process;
	(void)state;

	for (int writer = 0; writer <= last_core(); writer++)
		for (int reader = 0; reader <= last_core(); reader++) {
			must(nproc_spawn(HERE, "join_two_abroad", ON_CORE(0), &process, 20000,
				writer, reader));
			assert_int_equal(exit_code_of(process), 20000);
		}
}

static void both_ends_of_a_pipe_of_a_process_leave_with_what_waits_there(void **state)
{
	struct nproc *process;
	(void)state;

	must(nproc_spawn(HERE, "move_both_ends", ON_CORE(0), &process, last_core()));
	assert_int_equal(exit_code_of(process), 6);
}

static void what_a_killed_reader_abroad_left_is_read_by_another(void **state)
{
	struct nproc *process;
	(void)state;

	must(nproc_spawn(HERE, "kill_reader_abroad", ON_CORE(0), &process, last_core(), 60));
	assert_int_equal(exit_code_of(process), 60);
}

static void a_pipe_breaks_when_its_reader_abroad_is_killed(void **state)
{
	struct nproc *process;
	(void)state;

	for (int writer = 0; writer <= last_core(); writer++) {
		must(nproc_spawn(
			HERE, "break_from_abroad", ON_CORE(0), &process, writer, last_core()));
		assert_int_equal(exit_code_of(process), -EPIPE);
	}
}

/* Another device, which holds so many pipes. */
static struct nproc_image *open_with_pipes(const char *options, struct nproc_device **device)
{
	struct nproc_image *image;

	skip_if_only_one();
	open_another(options, device);
	must(nproc_image_open(*device, TEST_KERNELS_PATH, &image));
	return image;
}

static void ids_of_pipes_of_processes_come_back(void **state)
{
	struct nproc_device *device;
	struct nproc_image *image = open_with_pipes("cores=2,pipes=2", &device);
	struct nproc *process;
	(void)state;

	must(nproc_spawn(device, image, "make_and_give_often", ON_CORE(0), &process, 100, 1));
	assert_int_equal(exit_code_of(process), 100);
	nproc_device_close(device);
}

static void a_pipe_for_which_there_is_no_id_stays_where_it_is(void **state)
{
	struct nproc_device *device;
	struct nproc_image *image = open_with_pipes("cores=2,pipes=1", &device);
	struct nproc *process;
	struct npipe *end[2];
	(void)state;

	must(npipe_create(device, end));
	must(nproc_spawn(device, image, "give_without_id", ON_CORE(0), &process, 1));
	assert_int_equal(exit_code_of(process), 'x');
	nproc_device_close(device);
}

int run_ends_abroad(void)
{
	const struct CMUnitTest tests[] = {
		CLAIM(a_reading_end_goes_from_core_to_core_and_loses_nothing),
		CLAIM(an_end_that_is_lent_goes_from_core_to_core),
		CLAIM(ends_go_on_when_who_gave_them_is_gone),
		CLAIM(processes_on_all_cores_share_what_comes),
		CLAIM(a_pipe_of_a_process_joins_any_two_cores),
		CLAIM(both_ends_of_a_pipe_of_a_process_leave_with_what_waits_there),
		CLAIM(what_a_killed_reader_abroad_left_is_read_by_another),
		CLAIM(a_pipe_breaks_when_its_reader_abroad_is_killed),
		CLAIM(ids_of_pipes_of_processes_come_back),
		CLAIM(a_pipe_for_which_there_is_no_id_stays_where_it_is),
	};

	return cmocka_run_group_tests_name("ends_abroad", tests, NULL, NULL);
}
