/* What programs do to themselves: threads that are cancelled, programs that are killed. */
#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/conformance/suite.h"

/* ---- cancelled threads ----------------------------------------------------------------------- */

static struct {
	struct ends pipe;
	struct nproc *process;
	struct nproc_device *other;
	struct npipe *far_away[2]; /* of the other device */
	FILE *out;                 /* without a buffer */
} scene;

static void poll_one(void)
{
	npipe_poll(&(struct npoll){.end = scene.pipe.read}, 1, 1000);
}

static void poll_two_devices(void)
{
	struct npoll entries[] = {{.end = scene.pipe.read}, {.end = scene.far_away[0]}};

	npipe_poll(entries, 2, 1000);
}

static void write_and_read(void)
{
	char byte;

	npipe_write(scene.pipe.write, "x", 1);
	npipe_read(scene.pipe.read, &byte, 1);
}

static void read_in_vain(void)
{
	char byte;

	npipe_read(scene.pipe.read, &byte, 1);
}

static void wait_in_vain(void)
{
	nproc_wait(scene.process, NULL, 1000);
}

static void dispatch(void)
{
	nproc_device_dispatch(suite.device);
}

static void make_and_close_an_end_with_a_descriptor(void)
{
	struct npipe *copy;

	npipe_dup(scene.pipe.read, &copy);
	npipe_fd(copy);
	npipe_close(copy);
}

static void load_an_image(void)
{
	struct nproc_image *image;

	if (!nproc_image_open(suite.device, TEST_KERNELS_PATH, &image))
		nproc_image_close(image);
}

static void open_and_close_a_device(void)
{
	struct nproc_device *device;

	nproc_device_open(suite.device_name, &device);
	nproc_device_close(device);
}

static void explain(void)
{
	nproc_explain_blocked(suite.device, scene.out, 1000 * 1000);
}

static void relay_to_the_other(unsigned flags)
{
	struct npipe *from, *to;
	struct npipe_relay *relay;

	npipe_dup(scene.pipe.read, &from);
	npipe_dup(scene.far_away[1], &to);
	if (npipe_relay(from, to, flags, &relay))
		return;
	if (!flags)
		npipe_relay_run(relay, 1000);
	npipe_relay_close(relay);
}

static void relay_in_this_thread(void)
{
	relay_to_the_other(0);
}

static void relay_in_another_thread(void)
{
	relay_to_the_other(NPIPE_RELAY_THREAD);
}

struct cancelled {
	void (*call)(void);
	bool has_returned;
};

/* Cancelled before it calls: the first point of cancellation would end it. */
static void *call_when_cancelled(void *argument)
{
	struct cancelled *cancelled = argument;

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
	pthread_cancel(pthread_self());
	pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, NULL);
	cancelled->call();
	cancelled->has_returned = true;
	pthread_testcancel();
	return NULL;
}

static void assert_survives(void (*call)(void))
{
	struct cancelled cancelled = {call, false};
	pthread_t thread;
	void *result;
	char byte;

	assert_int_equal(pthread_create(&thread, NULL, call_when_cancelled, &cancelled), 0);
	assert_int_equal(pthread_join(thread, &result), 0);
	assert_ptr_equal(result, PTHREAD_CANCELED);
	assert_true(cancelled.has_returned);
	/* Nothing is left locked. */
	must(npipe_write(scene.pipe.write, "y", 1));
	must(npipe_read(scene.pipe.read, &byte, 1));
	assert_int_equal(byte, 'y');
}

/* Case 68: a thread that is cancelled ends after its call, not in it with a lock held. */
static void case_68_a_cancelled_thread_leaves_nothing_locked(void **state)
{
	static void (*const calls[])(void) = {write_and_read, poll_one, poll_two_devices,
		read_in_vain, wait_in_vain, dispatch, make_and_close_an_end_with_a_descriptor,
		load_an_image, open_and_close_a_device, explain, relay_in_this_thread,
		relay_in_another_thread};
	(void)state;
	skip_unless(!is_simulation(), "both ends are one thread");
	scene.pipe = make_pipe();
	must(nproc_spawn(HERE, "wait_for_end", ENDS(make_pipe().read), &scene.process));
	must(npipe_set_timeout(scene.pipe.read, 1000));
	open_another("far=1M", &scene.other);
	must(npipe_create(scene.other, scene.far_away));
	must(nproc_device_fd(suite.device));
	must(npipe_fd(scene.pipe.read));
	scene.out = fopen("/dev/null", "w");
	assert_non_null(scene.out);
	setvbuf(scene.out, NULL, _IONBF, 0);

	for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++) {
		must(nproc_device_dispatch(suite.device)); /* so that the next line rings */
		assert_survives(calls[i]);
	}
	fclose(scene.out);
	nproc_device_close(scene.other);
}

/* ---- killed programs ------------------------------------------------------------------------- */

/* Each step is told to who kills. */
static void live_on(const char *name, int steps)
{
	struct nproc_device *device;
	struct nproc_image *image;
	struct nproc *process;
	struct npipe *ends[2];
	void *memory;
	bool well = true;

#define STEP(call) (well = well && (call) >= 0 && write(steps, "", 1) == 1)
	while (well) {
		STEP(nproc_device_open(name, &device));
		STEP(nproc_image_open(device, TEST_KERNELS_PATH, &image));
		STEP(nmem_alloc(device, 100000, &memory));
		STEP(npipe_create(device, ends));
		STEP(nproc_device_fd(device));
		STEP(npipe_fd(ends[0]));
		STEP(nproc_spawn(device, image, "write_until_error", ENDS(ends[1]), &process));
		STEP(npipe_read(ends[0], memory, 1000));
		nproc_device_close(device);
	}
#undef STEP
	_exit(1); /* only a signal should end it */
}

/* A child in an empty folder of its own, killed at its step number `step`. */
static void kill_at_step(const char *name, const char *folder, unsigned step)
{
	int steps[2], status;
	pid_t child;
	char byte;

	assert_int_equal(pipe(steps), 0);
	child = fork();
	if (!child) {
		close(steps[0]);
		setenv("TMPDIR", folder, 1);
		if (!chdir(folder))
			live_on(name, steps[1]);
		_exit(2);
	}
	assert_true(child > 0);
	close(steps[1]);
	for (unsigned i = 0; i < step; i++)
		assert_int_equal(read(steps[0], &byte, 1), 1);
	assert_int_equal(kill(child, SIGKILL), 0);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFSIGNALED(status));
	close(steps[0]);
}

/* Of entries of the folder, those that this library may have made. */
static unsigned count_left(const char *path, const char *name)
{
	DIR *folder = opendir(path);
	const struct dirent *entry;
	unsigned count = 0;

	if (!folder) /* not every system has it */
		return 0;
	while ((entry = readdir(folder)))
		count += entry->d_name[0] != '.' && strstr(entry->d_name, name);
	closedir(folder);
	return count;
}

/* Cases 71 and 74: nothing is left that could fill a disk, or be in the next program's way. */
static void case_71_case_74_a_program_killed_anywhere_leaves_nothing(void **state)
{
	enum {
		TIMES = HAS_ADDRESS_SANITIZER ? 10 : 60,
		STEPS = 20 /* more than two lives */
	};
	char folder[] = "/tmp/nearside-killed-XXXXXX";
	const char *name = name_of_another();
	struct nproc *process;
	(void)state;
	skip_if_only_one();
	skip_unless(
		!HAS_THREAD_SANITIZER, "the thread sanitizer allows no threads in a child of fork");
	assert_non_null(mkdtemp(folder));

	for (unsigned i = 0; i < TIMES; i++) {
		kill_at_step(name, folder, 1 + i * 7 % STEPS);
		assert_int_equal(count_left(folder, ""), 0);
		must(nproc_spawn(HERE, "exit_with", NULL, &process, (int)i));
		assert_int_equal(exit_code_of(process), i);
	}
	assert_int_equal(count_left("/dev/shm", "nearside"), 0);
	assert_int_equal(rmdir(folder), 0);
}

/* ---- several at once ------------------------------------------------------------------------- */

enum {
	THREADS = 4,
	ROUNDS = HAS_ADDRESS_SANITIZER ? 10 : 50
};

static void *open_use_and_close(void *argument)
{
	uint64_t *wrong = argument;

	for (int64_t i = 0; i < ROUNDS; i++) {
		struct nproc_status status = {.exit_code = -1};
		struct nproc_device *device;
		struct nproc_image *image;
		struct nproc *process;

		if (nproc_device_open(suite.device_name, &device) ||
			nproc_image_open(device, TEST_KERNELS_PATH, &image) ||
			nproc_spawn(device, image, "exit_with", NULL, &process, i) ||
			nproc_wait(process, &status, NPROC_FOREVER) || status.exit_code != i)
			++*wrong;
		nproc_device_close(device);
	}
	return NULL;
}

/* Case 73: one that is closed is never in the way of one that is opened. */
static void case_73_devices_open_while_others_close(void **state)
{
	pthread_t thread[THREADS];
	uint64_t wrong[THREADS] = {0};
	(void)state;
	skip_if_only_one();
	/* The dynamic loader's mappings are hidden from it. */
	skip_unless(!suite.served, "one program at a time has the device");
	skip_unless(!HAS_THREAD_SANITIZER,
		"the thread sanitizer takes an address that is used again for shared memory");

	for (int i = 0; i < THREADS; i++)
		assert_int_equal(
			pthread_create(&thread[i], NULL, open_use_and_close, &wrong[i]), 0);

	for (int i = 0; i < THREADS; i++) {
		assert_int_equal(pthread_join(thread[i], NULL), 0);
		assert_int_equal(wrong[i], 0);
	}
}

/* ---- silence --------------------------------------------------------------------------------- */

static void fail_in_many_ways(void)
{
	struct nproc_device *device;
	struct nproc_image *image;
	struct nproc *process;
	struct ends pipe = make_pipe();
	char byte;

	nproc_device_open("nothing", &device);
	nproc_device_close(device);
	nproc_image_open(suite.device, "/former", &image);
	nproc_spawn(HERE, "no_such", NULL, &process);
	npipe_read(pipe.write, &byte, 1);
	npipe_set_timeout(pipe.read, 1000);
	npipe_read(pipe.read, &byte, 1);
	must(nproc_spawn(HERE, "log_numbers", NULL, &process, 5));
	nproc_wait(process, NULL, NPROC_FOREVER);
	must(nproc_spawn(HERE, "divide", NULL, &process, 1, 0));
	nproc_wait(process, NULL, NPROC_FOREVER);
	must(nproc_spawn(HERE, "yield_for_ever", NULL, &process));
	nproc_kill(process);
	nproc_wait(process, NULL, NPROC_FOREVER);
}

/* Case 76: whatever goes wrong, and however often, is told to the caller and printed nowhere. */
static void case_76_the_library_prints_nothing(void **state)
{
	int file = memfd_create("output", MFD_CLOEXEC);
	int before[2] = {dup(1), dup(2)};
	struct stat status;
	(void)state;
	fflush(NULL);
	assert_true(file >= 0 && before[0] >= 0 && before[1] >= 0);
	dup2(file, 1);
	dup2(file, 2);

	for (int i = 0; i < 10; i++)
		fail_in_many_ways();

	fflush(NULL);
	dup2(before[0], 1);
	dup2(before[1], 2);
	close(before[0]);
	close(before[1]);
	assert_int_equal(fstat(file, &status), 0);
	close(file);
	assert_int_equal(status.st_size, 0);
}

/* ---- a writer that is ahead ------------------------------------------------------------------ */

enum {
	STREAM_NBYTES = 56 * 2000
};

static uint64_t lines_so_far(void)
{
	struct nproc_stats stats;

	must(nproc_stats(suite.device, &stats));
	return stats.lines_down + stats.lines_up;
}

/* One line for 56 bytes, at worst as many reports before sleep, and few credits. */
static void assert_no_polling(uint64_t lines_before)
{
	assert_in_range(lines_so_far() - lines_before, 2000, 5000);
}

/* Case 89: who is too fast waits: no error, and no line says again and again that it waits. */
static void case_89_a_host_that_is_ahead_of_its_reader_waits(void **state)
{
	static uint8_t bytes[STREAM_NBYTES];
	struct ends pipe = make_pipe();
	struct nproc *process;
	uint64_t before;
	(void)state;
	for (size_t i = 0; i < sizeof bytes; i++)
		bytes[i] = stream_byte(i);
	must(nproc_spawn(HERE, "sink", ENDS(pipe.read), &process, 3));
	before = lines_so_far();

	assert_int_equal(must(npipe_write(pipe.write, bytes, sizeof bytes)), sizeof bytes);
	npipe_close(pipe.write);

	assert_int_equal(exit_code_of(process), sizeof bytes);
	assert_no_polling(before);
}

static void case_89_a_process_that_is_ahead_of_its_reader_waits(void **state)
{
	struct ends pipe = make_pipe();
	struct nproc *process;
	uint8_t bytes[3];
	uint64_t before = lines_so_far(), done = 0;
	int64_t nbytes;
	(void)state;
	must(nproc_spawn(HERE, "source", ENDS(pipe.write), &process, STREAM_NBYTES, NPIPE_BUF));

	while ((nbytes = must(npipe_read(pipe.read, bytes, sizeof bytes))))
		for (int64_t i = 0; i < nbytes; i++)
			if (bytes[i] != stream_byte(done++))
				fail_msg("byte %" PRIu64 " is wrong", done - 1);

	assert_int_equal(done, STREAM_NBYTES);
	assert_int_equal(exit_code_of(process), 0);
	assert_no_polling(before);
}

int run_mishaps(void)
{
	const struct CMUnitTest tests[] = {
		CLAIM(case_68_a_cancelled_thread_leaves_nothing_locked),
		CLAIM(case_71_case_74_a_program_killed_anywhere_leaves_nothing),
		CLAIM(case_73_devices_open_while_others_close),
		CLAIM(case_76_the_library_prints_nothing),
		CLAIM(case_89_a_host_that_is_ahead_of_its_reader_waits),
		CLAIM(case_89_a_process_that_is_ahead_of_its_reader_waits),
	};

	return cmocka_run_group_tests_name("mishaps", tests, NULL, NULL);
}
