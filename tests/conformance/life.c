/* Devices: opening, closing, names. */
#include <unistd.h>

#include "tests/conformance/suite.h"
#include "tests/owned.h"

static void open_use_and_close(const char *name)
{
	struct nproc_device *device;
	struct nproc_image *image;
	struct npipe *ends[2];
	struct nproc *process;
	void *memory;

	must(nproc_device_open(name, &device));
	must(nproc_image_open(device, TEST_KERNELS_PATH, &image));
	must(nmem_alloc(device, 1000, &memory));
	must(npipe_create(device, ends));
	must(nproc_spawn(device, image, "exit_with", NULL, &process, 1));
	assert_int_equal(exit_code_of(process), 1);
	nproc_device_close(device);
}

/* Case 52: opened and closed again and again, nothing is left and nothing remembered. */
static void case_52_a_device_opens_and_closes_without_leaks(void **state)
{
	enum {
		HAS_SANITIZER = HAS_ADDRESS_SANITIZER || HAS_THREAD_SANITIZER,
		TIMES = HAS_SANITIZER ? 100 : 1000,
		/* Allocators keep some, and a sanitizer what was freed; not one for each time. */
		MAPS_MORE = HAS_SANITIZER ? TIMES / 2 : TIMES / 10
	};
	const char *name = name_of_another();
	unsigned fds, threads, maps;
	(void)state;
	skip_if_only_one();
	for (int i = 0; i < 3; i++)
		open_use_and_close(name);
	fds = count_entries("/proc/self/fd");
	threads = count_entries("/proc/self/task");
	maps = count_maps();

	for (int i = 0; i < TIMES; i++)
		open_use_and_close(name);

	assert_int_equal(count_entries("/proc/self/fd"), fds);
	assert_int_equal(count_entries("/proc/self/task"), threads);
	assert_in_range(count_maps(), 0, maps + MAPS_MORE);
}

static void a_device_opens_and_closes_unused(void **state)
{
	const char *name = name_of_another();
	struct nproc_device *device;
	(void)state;
	skip_if_only_one();

	for (int i = 0; i < 200; i++) {
		must(nproc_device_open(name, &device));
		nproc_device_close(device);
	}
}

static void several_devices_at_once(void **state)
{
	struct nproc_device *device[3];
	struct nproc_image *image;
	struct nproc *process;
	(void)state;

	for (int i = 0; i < 3; i++)
		open_another("far=4M", &device[i]);
	for (int i = 0; i < 3; i++) {
		must(nproc_image_open(device[i], TEST_KERNELS_PATH, &image));
		must(nproc_spawn(device[i], image, "exit_with", NULL, &process, i));
		assert_int_equal(exit_code_of(process), i);
	}
	for (int i = 0; i < 3; i++)
		nproc_device_close(device[i]);
}

static void closing_ends_what_runs(void **state)
{
	struct nproc *process;
	struct ends pipe[50];
	(void)state;
	for (int i = 0; i < 50; i++) {
		pipe[i] = make_pipe();
		must(nproc_spawn(HERE, "write_until_error", ENDS(pipe[i].write), &process));
		must(nproc_spawn(HERE, "wait_for_end", ENDS(make_pipe().read), &process));
		must(nproc_spawn(HERE, "yield_for_ever", NULL, &process));
	}
	/* suite_close() */
}

static void closing_ends_endless_kernels(void **state)
{
	struct nproc *process;
	(void)state;
	skip_unless(suite.info.can_preempt, "an endless kernel cannot be interrupted");

	for (unsigned core = 0; core < suite.info.core_count; core++)
		for (int i = 0; i < 3; i++)
			must(nproc_spawn(HERE, "spin", ON_CORE((int)core), &process));
	/* suite_close() */
}

static void null_may_be_closed(void **state)
{
	(void)state;
	nproc_device_close(NULL);
	nproc_close(NULL);
	npipe_close(NULL);
	assert_int_equal(nproc_image_close(NULL), 0);
	assert_int_equal(nmem_free(suite.device, NULL), 0);
	assert_int_equal(nmem_arena_destroy(NULL), 0);
}

static void assert_open_fails(const char *name, int error, const char *text)
{
	struct nproc_device *device;
	char detail[512];

	assert_int_equal(nproc_device_open(name, &device), error);
	nproc_detail(device, detail, sizeof detail);
	if (!strstr(detail, text))
		print_error("'%s' is not in '%s'\n", text, detail);
	assert_non_null(strstr(detail, text));
	nproc_device_close(device);
}

static void wrong_names_give_einval_and_say_what_is_there(void **state)
{
	(void)state;
	assert_open_fails("nothing", -EINVAL, "there are inproc");
	assert_open_fails("inproc:colour=7", -EINVAL, "no option of a device is called 'colour'");
	assert_open_fails("inproc:cores=0", -EINVAL, "1 to 64");
	assert_open_fails("inproc:cores=65", -EINVAL, "1 to 64");
	assert_open_fails("inproc:cores=two", -EINVAL, "cores=NUMBER");
	assert_open_fails("inproc:far=1X", -EINVAL, "far=SIZE");
	assert_open_fails("inproc:far=99999999999999999999G", -EINVAL, "far=SIZE");
}

static void the_name_says_what_was_chosen(void **state)
{
	struct nproc_device *device;
	struct nproc_device_info info;
	(void)state;
	skip_unless(!suite.served, "the name is the file's");
	open_another("far=3M", &device);

	must(nproc_device_info(device, &info));

	assert_int_equal(info.far_nbytes, 3 * 1024 * 1024);
	assert_int_equal(info.far_free_nbytes, info.far_nbytes);
	assert_non_null(strstr(info.name, "far=3145728"));
	nproc_device_close(device);
}

static void no_name_means_the_environments_choice(void **state)
{
	struct nproc_device *device;
	struct nproc_device_info info;
	(void)state;
	setenv("NEARSIDE_DEVICE", "inproc:cores=3", 1);

	must(nproc_device_open(NULL, &device));
	must(nproc_device_info(device, &info));

	assert_int_equal(info.core_count, 3);
	nproc_device_close(device);
	unsetenv("NEARSIDE_DEVICE");
	must(nproc_device_open(NULL, &device));
	must(nproc_device_info(device, &info));
	assert_int_equal(info.core_count, 1);
	nproc_device_close(device);
}

static void detail_is_empty_until_something_fails(void **state)
{
	char detail[64];
	struct nproc *process;
	(void)state;
	assert_string_equal(nproc_detail(suite.device, detail, sizeof detail), "");

	nproc_spawn(HERE, "no_such", NULL, &process);

	nproc_detail(suite.device, detail, 8);
	assert_string_equal(detail, "the ima");
}

/* Fails for a reason that the next failure must not be mistaken for. */
static void fail_before(void)
{
	struct nproc_image *image;

	assert_int_equal(nproc_image_open(suite.device, "/former", &image), -ENOENT);
}

/* The call gives this errno, and the detail speaks of it. */
static void speaks(int64_t result, int number, const char *text)
{
	assert_int_equal(result, -number);
	assert_detail(text);
	fail_before();
}

static void every_failure_of_a_pipe_replaces_the_detail(void **state)
{
	struct ends pipe = make_pipe();
	struct npipe *copy;
	struct nproc *process;
	char byte = 0;
	const struct iovec part = {&byte, 1};
	(void)state;
	fail_before();
	must(npipe_set_timeout(pipe.read, 0));
	speaks(npipe_read(pipe.read, &byte, 1), EAGAIN, "no time to wait");
	speaks(npipe_read_full(pipe.read, &byte, 1), EAGAIN, "no time to wait");
	speaks(npipe_readv(pipe.read, &part, 1), EAGAIN, "no time to wait");
	speaks(npipe_readv(pipe.write, &part, 1), EBADF, "the pipe's other end");
	speaks(npipe_writev(pipe.read, &part, 1), EBADF, "the pipe's other end");
	must(npipe_set_timeout(pipe.read, 1000));
	speaks(npipe_read(pipe.read, &byte, 1), ETIMEDOUT, "the time has passed");
	speaks(npipe_read(pipe.write, &byte, 1), EBADF, "the pipe's other end");
	speaks(npipe_write(pipe.read, &byte, 1), EBADF, "the pipe's other end");

	must(nproc_spawn(HERE, "wait_for_end", ENDS(pipe.read), &process));
	fail_before();
	speaks(npipe_read(pipe.read, &byte, 1), EBADF, "was given to a process");
	speaks(npipe_dup(pipe.read, &copy), EBADF, "was given to a process");
	speaks(npipe_fd(pipe.read), EBADF, "was given to a process");
	speaks(nproc_spawn(HERE, "echo", ENDS(pipe.read), &process, 1), EBADF, "given away before");
	nproc_close(process);
	npipe_close(pipe.write);

	pipe = make_pipe();
	npipe_close(pipe.read);
	speaks(npipe_write(pipe.write, &byte, 1), EPIPE, "every reading end");
}

static void every_failure_of_waiting_replaces_the_detail(void **state)
{
	struct ends pipe = make_pipe();
	struct nproc *process;
	size_t index;
	(void)state;
	must(nproc_spawn(HERE, "wait_for_end", ENDS(pipe.read), &process));
	fail_before();

	speaks(nproc_wait(process, NULL, 0), EAGAIN, "no time to wait");
	speaks(nproc_wait(process, NULL, 1000), ETIMEDOUT, "the time has passed");
	speaks(nproc_wait_any(&process, 1, &index, NULL, 0), EAGAIN, "no time to wait");
	speaks(nproc_wait_any(&process, 1, &index, NULL, 1000), ETIMEDOUT, "the time has passed");
	speaks(nproc_image_close(suite.image), EBUSY, "1 processes of the image");
	npipe_close(pipe.write);
	must(nproc_wait(process, NULL, NPROC_FOREVER));
	nproc_close(process);
	assert_detail("/former"); /* what succeeds leaves it */
}

static void every_other_failure_replaces_the_detail(void **state)
{
	struct nmem_arena *arena;
	struct nproc_image *image;
	struct nproc *process;
	void *pointer;
	(void)state;
	must(nmem_arena_create(suite.device, 64, &arena));
	fail_before();

	speaks(nmem_alloc(suite.device, 0, &pointer), EINVAL, "0 bytes");
	speaks(nmem_alloc(suite.device, SIZE_MAX, &pointer), ENOMEM, "far memory");
	speaks(nmem_free(suite.device, &pointer), EINVAL, "not the start");
	speaks(nmem_arena_create(suite.device, 0, &arena), EINVAL, "0 bytes");
	must(nmem_arena_create(suite.device, 64, &arena));
	speaks(nmem_arena_alloc(arena, 1, 3, &pointer), EINVAL, "a power of two");
	speaks(nmem_arena_alloc(arena, 65, 0, &pointer), ENOMEM, "the arena of 64");
	speaks(nproc_image_open_memory(suite.device, NULL, 0, &image), EINVAL, "NULL");
	speaks(nproc_image_open_embedded(suite.device, NULL, NULL, &image), ENOENT, "no kernels");
	speaks(nproc_spawn(suite.device, NULL, "echo", NULL, &process), EBADF, "the image is NULL");
	speaks(nproc_spawn(HERE, "exit_with", NULL, &process), EINVAL, "0 arguments");
}

/* ---- counts ---------------------------------------------------------------------------------- */

/* Case 101: what went in came out, and the counts agree. */
static void case_101_counts_are_conserved(void **state)
{
	enum {
		TIMES = 1000
	};
	struct ends in = make_pipe(), out = make_pipe();
	struct nproc_stats stats;
	struct nproc *process;
	uint64_t word = 0;
	(void)state;
	must(nproc_spawn(HERE, "add_one", ENDS(in.read, out.write), &process));

	for (int i = 0; i < TIMES; i++) {
		must(npipe_write(in.write, &word, sizeof word));
		must(npipe_read_full(out.read, &word, sizeof word));
	}
	npipe_close(in.write);
	assert_int_equal(exit_code_of(process), 0);

	must(nproc_stats(suite.device, &stats));
	assert_int_equal(stats.bytes_down, TIMES * sizeof word);
	assert_int_equal(stats.bytes_up, TIMES * sizeof word);
	assert_true(stats.lines_down >= TIMES && stats.lines_down < 3 * TIMES);
	assert_true(stats.lines_up >= TIMES && stats.lines_up < 3 * TIMES);
	assert_int_equal(stats.spawns, 1);
	assert_int_equal(stats.exits, 1);
	assert_true(stats.switches >= 1);
	assert_int_equal(stats.log_dropped, 0);
	assert_int_equal(stats.far_bytes_granted, 0);
}

static void where_a_result_is_to_go_must_not_be_null(void **state)
{
	struct ends pipe = make_pipe();
	struct nmem_arena *arena;
	struct nproc *process;
	struct nproc_stats stats;
	(void)state;

	must(nmem_arena_create(suite.device, 64, &arena));
	must(nproc_spawn(HERE, "exit_with", NULL, &process, 3));
	assert_int_equal(nproc_device_open(suite.device_name, NULL), -EINVAL);
	assert_int_equal(nproc_device_info(suite.device, NULL), -EINVAL);
	assert_detail("NULL");
	assert_int_equal(nproc_stats(suite.device, NULL), -EINVAL);
	assert_int_equal(nproc_image_open(suite.device, TEST_KERNELS_PATH, NULL), -EINVAL);
	assert_int_equal(nproc_image_open_memory(suite.device, "", 1, NULL), -EINVAL);
	assert_int_equal(nproc_spawn(HERE, "exit_with", NULL, NULL, 4), -EINVAL);
	assert_int_equal(nproc_wait_any(&process, 1, NULL, NULL, NPROC_FOREVER), -EINVAL);
	assert_int_equal(nproc_status(process, NULL), -EINVAL);
	assert_int_equal(npipe_create_with(suite.device, NULL, NULL), -EINVAL);
	assert_int_equal(npipe_dup(pipe.read, NULL), -EINVAL);
	assert_int_equal(npipe_relay(pipe.read, pipe.write, 0, NULL), -EINVAL);
	assert_int_equal(nmem_alloc(suite.device, 64, NULL), -EINVAL);
	assert_int_equal(nmem_alloc_near(suite.device, 0, 64, NULL), -EINVAL);
	assert_int_equal(nmem_arena_create(suite.device, 64, NULL), -EINVAL);
	assert_int_equal(nmem_arena_alloc(arena, 8, 8, NULL), -EINVAL);
	assert_int_equal(exit_code_of(process), 3);
	must(nproc_stats(suite.device, &stats));
	assert_int_equal(stats.spawns, 1);
}

int run_life(void)
{
	const struct CMUnitTest tests[] = {
		CLAIM(case_52_a_device_opens_and_closes_without_leaks),
		CLAIM(a_device_opens_and_closes_unused),
		CLAIM(several_devices_at_once),
		CLAIM(closing_ends_what_runs),
		CLAIM(closing_ends_endless_kernels),
		CLAIM(null_may_be_closed),
		CLAIM(wrong_names_give_einval_and_say_what_is_there),
		CLAIM(the_name_says_what_was_chosen),
		CLAIM(no_name_means_the_environments_choice),
		CLAIM(detail_is_empty_until_something_fails),
		CLAIM(every_failure_of_a_pipe_replaces_the_detail),
		CLAIM(every_failure_of_waiting_replaces_the_detail),
		CLAIM(every_other_failure_replaces_the_detail),
		CLAIM(case_101_counts_are_conserved),
		CLAIM(where_a_result_is_to_go_must_not_be_null),
	};

	return cmocka_run_group_tests_name("life", tests, NULL, NULL);
}
