/* How processes end, and what nproc_wait() and nproc_status() say. */
#include "tests/conformance/suite.h"

static struct nproc *spawn_waiting(struct ends *pipe)
{
	struct nproc *process;

	*pipe = make_pipe();
	must(nproc_spawn(HERE, "wait_for_end", ENDS(pipe->read), &process));
	return process;
}

static void exit_in_a_helper_ends_the_process(void **state)
{
	struct nproc *process;
	(void)state;

	must(nproc_spawn(HERE, "exit_in_helper", NULL, &process, 41));

	assert_int_equal(exit_code_of(process), 42);
}

static void status_says_running_until_the_process_ends(void **state)
{
	struct nproc_status status;
	struct ends pipe;
	struct nproc *process = spawn_waiting(&pipe);
	(void)state;

	must(nproc_status(process, &status));
	assert_int_equal(status.state, NPROC_RUNNING);
	npipe_close(pipe.write);
	must(nproc_wait(process, NULL, NPROC_FOREVER));
	must(nproc_status(process, &status));
	assert_int_equal(status.state, NPROC_EXITED);
}

static void wait_may_be_called_again(void **state)
{
	struct nproc_status status;
	struct nproc *process;
	(void)state;
	must(nproc_spawn(HERE, "exit_with", NULL, &process, 5));

	for (int i = 0; i < 3; i++) {
		must(nproc_wait(process, &status, NPROC_FOREVER));
		assert_int_equal(status.state, NPROC_EXITED);
		assert_int_equal(status.exit_code, 5);
	}
	nproc_close(process);
}

static void wait_without_time_gives_eagain(void **state)
{
	struct nproc_status status;
	struct ends pipe;
	struct nproc *process = spawn_waiting(&pipe);
	(void)state;

	assert_int_equal(nproc_wait(process, &status, 0), -EAGAIN);
	npipe_close(pipe.write);
	assert_int_equal(exit_code_of(process), 0);
}

static void wait_gives_etimedout_when_the_time_has_passed(void **state)
{
	struct nproc_status status;
	struct ends pipe;
	struct nproc *process = spawn_waiting(&pipe);
	(void)state;

	assert_int_equal(nproc_wait(process, &status, 1000 * 1000), -ETIMEDOUT);
	assert_int_equal(status.state, NPROC_RUNNING);
	npipe_close(pipe.write);
	assert_int_equal(exit_code_of(process), 0);
}

static void closing_a_handle_lets_the_process_go_on(void **state)
{
	struct ends pipe = make_pipe();
	struct nproc *process;
	uint8_t byte;
	uint64_t i = 0;
	(void)state;
	must(nproc_spawn(HERE, "source", ENDS(pipe.write), &process, 10000, 100));

	nproc_close(process);

	while (must(npipe_read(pipe.read, &byte, 1)) == 1)
		assert_int_equal(byte, stream_byte(i++));
	assert_int_equal(i, 10000);
}

static void a_thousand_processes_one_after_another(void **state)
{
	struct nproc *process;
	(void)state;

	for (int64_t i = 0; i < 1000; i++) {
		must(nproc_spawn(HERE, "exit_with", NULL, &process, i));
		assert_int_equal(exit_code_of(process), i);
	}
}

/* Case 52: what is used anew must not remember its former use. */
static void case_52_reused_ids_belong_to_the_new_process(void **state)
{
	struct nproc_device *device;
	struct nproc_image *image;
	struct nproc *old, *new;
	struct nproc_status status;
	(void)state;
	open_another("processes=1", &device);
	must(nproc_image_open(device, TEST_KERNELS_PATH, &image));

	for (int i = 0; i < 100; i++) {
		must(nproc_spawn(device, image, "exit_with", NULL, &old, 1));
		must(nproc_wait(old, NULL, NPROC_FOREVER));
		must(nproc_spawn(device, image, "exit_with", NULL, &new, 2));
		must(nproc_kill(old));
		must(nproc_wait(new, &status, NPROC_FOREVER));
		assert_int_equal(status.state, NPROC_EXITED);
		assert_int_equal(status.exit_code, 2);
		must(nproc_status(old, &status));
		assert_int_equal(status.exit_code, 1);
		nproc_close(old);
		nproc_close(new);
	}
	nproc_device_close(device);
}

static void a_full_device_gives_eagain_until_a_process_ends(void **state)
{
	enum {
		MOST = 10
	};
	struct nproc_device *device;
	struct nproc_image *image;
	struct nproc *process[MOST], *more;
	struct npipe *pipe[MOST][2];
	char detail[512];
	(void)state;
	open_another("processes=10", &device);
	must(nproc_image_open(device, TEST_KERNELS_PATH, &image));
	for (int i = 0; i < MOST; i++) {
		must(npipe_create(device, pipe[i]));
		must(nproc_spawn(device, image, "wait_for_end", ENDS(pipe[i][0]), &process[i]));
	}

	assert_int_equal(nproc_spawn(device, image, "exit_with", NULL, &more, 0), -EAGAIN);
	assert_non_null(strstr(nproc_detail(device, detail, sizeof detail), "holds 10 processes"));
	npipe_close(pipe[3][1]);
	must(nproc_wait(process[3], NULL, NPROC_FOREVER));
	must(nproc_spawn(device, image, "exit_with", NULL, &more, 9));
	assert_int_equal(exit_code_of(more), 9);
	nproc_device_close(device);
}

int run_endings(void)
{
	const struct CMUnitTest tests[] = {
		CLAIM(exit_in_a_helper_ends_the_process),
		CLAIM(status_says_running_until_the_process_ends),
		CLAIM(wait_may_be_called_again),
		CLAIM(wait_without_time_gives_eagain),
		CLAIM(wait_gives_etimedout_when_the_time_has_passed),
		CLAIM(closing_a_handle_lets_the_process_go_on),
		CLAIM(a_thousand_processes_one_after_another),
		CLAIM(case_52_reused_ids_belong_to_the_new_process),
		CLAIM(a_full_device_gives_eagain_until_a_process_ends),
	};

	return cmocka_run_group_tests_name("endings", tests, NULL, NULL);
}
