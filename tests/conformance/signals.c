/* Signals: no call ends because a handler ran, whatever it waits for. */
#include <signal.h>
#include <sys/time.h>

#include "tests/conformance/suite.h"

enum {
	STORM_US = 100
};

static volatile sig_atomic_t signals;

static void count(int number)
{
	(void)number;
	signals++;
}

static void set_storm(int interval_us)
{
	const struct itimerval timer = {{0, interval_us}, {0, interval_us}};

	assert_int_equal(setitimer(ITIMER_REAL, &timer, NULL), 0);
}

/* Interrupted system calls of this thread give EINTR: the handler does not restart them. */
static int open_in_storm(void **state)
{
	const struct sigaction action = {.sa_handler = count};

	if (suite_open(state) || sigaction(SIGALRM, &action, NULL))
		return -1;
	signals = 0;
	set_storm(STORM_US);
	return 0;
}

static int close_after_storm(void **state)
{
	set_storm(0);
	return suite_close(state);
}

static void questions_are_answered_in_a_storm(void **state)
{
	struct ends in = make_pipe(), out = make_pipe();
	struct nproc *process;
	uint64_t word = 0, rounds = 0;
	(void)state;
	must(nproc_spawn(HERE, "add_one", ENDS(in.read, out.write), &process));

	for (; signals < 200; rounds++) {
		assert_int_equal(must(npipe_write(in.write, &word, sizeof word)), sizeof word);
		assert_int_equal(must(npipe_read_full(out.read, &word, sizeof word)), sizeof word);
	}

	assert_int_equal(word, rounds);
	npipe_close(in.write);
	assert_int_equal(exit_code_of(process), 0);
}

static void large_writes_are_whole_in_a_storm(void **state)
{
	static uint8_t bytes[200 * 1000];
	(void)state;
	for (size_t i = 0; i < sizeof bytes; i++)
		bytes[i] = stream_byte(i);

	do {
		struct ends pipe = make_pipe();
		struct nproc *process;

		must(nproc_spawn(HERE, "sink", ENDS(pipe.read), &process, 100));
		assert_int_equal(must(npipe_write(pipe.write, bytes, sizeof bytes)), sizeof bytes);
		npipe_close(pipe.write);
		assert_int_equal(exit_code_of(process), sizeof bytes);
	} while (signals < 100);
}

/* Each wait lasts until many signals have come. */
static void waits_and_polls_go_on_in_a_storm(void **state)
{
	enum {
		WAIT_NS = 5 * 1000 * 1000
	};
	struct ends pipe = make_pipe();
	struct npoll entry;
	struct nproc *process;
	char byte;
	(void)state;
	must(nproc_spawn(HERE, "wait_for_end", ENDS(pipe.read), &process));
	entry = (struct npoll){.process = process};

	do {
		struct ends empty = make_pipe();

		must(npipe_set_timeout(empty.read, WAIT_NS));
		assert_int_equal(npipe_read(empty.read, &byte, 1), -ETIMEDOUT);
		npipe_close(empty.read);
		npipe_close(empty.write);
		assert_int_equal(nproc_wait(process, NULL, WAIT_NS), -ETIMEDOUT);
		assert_int_equal(
			nproc_wait_any(&process, 1, &(size_t){0}, NULL, WAIT_NS), -ETIMEDOUT);
		assert_int_equal(npipe_poll(&entry, 1, WAIT_NS), -ETIMEDOUT);
	} while (signals < 20);
	npipe_close(pipe.write);
	assert_int_equal(exit_code_of(process), 0);
}

static void a_poll_at_several_devices_goes_on_in_a_storm(void **state)
{
	struct npoll entries[2] = {{.events = NPOLL_READ}, {.events = NPOLL_READ}};
	struct nproc_device *device;
	struct npipe *end[2];
	(void)state;
	open_another("far=1M", &device);
	must(npipe_create(device, end));
	entries[0].end = end[0];
	entries[1].end = make_pipe().read;

	do
		assert_int_equal(npipe_poll(entries, 2, 5 * 1000 * 1000), -ETIMEDOUT);
	while (signals < 20);
	nproc_device_close(device);
}

static void images_are_loaded_and_devices_opened_in_a_storm(void **state)
{
	(void)state;
	do {
		struct nproc_device *device;
		struct nproc_image *image;
		struct nproc *process;

		open_another("far=1M", &device);
		must(nproc_image_open(device, TEST_KERNELS_PATH, &image));
		must(nproc_spawn(device, image, "exit_with", NULL, &process, 3));
		assert_int_equal(exit_code_of(process), 3);
		nproc_device_close(device);
	} while (signals < 50);
}

#define STORM(function) cmocka_unit_test_setup_teardown(function, open_in_storm, close_after_storm)

int run_signals(void)
{
	const struct CMUnitTest tests[] = {
		STORM(questions_are_answered_in_a_storm),
		STORM(large_writes_are_whole_in_a_storm),
		STORM(waits_and_polls_go_on_in_a_storm),
		STORM(a_poll_at_several_devices_goes_on_in_a_storm),
		STORM(images_are_loaded_and_devices_opened_in_a_storm),
	};

	return cmocka_run_group_tests_name("signals", tests, NULL, NULL);
}
