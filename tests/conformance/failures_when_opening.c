/*
 * Opening a device, loading kernels and starting one, where each step in turn fails: memory,
 * mappings, files, threads. The linker sends those calls here first (--wrap).
 */
#include <pthread.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/types.h>

#include "tests/conformance/suite.h"
#include "tests/owned.h"

/*
 * Of the thread that opens, which in a simulation is the cores', too: how many more calls succeed;
 * negative: all.
 */
static _Thread_local int calls_left = -1;

static bool fails(int number)
{
	if (calls_left < 0 || calls_left-- > 0)
		return false;
	errno = number;
	return true;
}

/* WRAP(type, name, (parameters), (arguments), errno, what a failure returns) */
#define WRAP(type, name, parameters, arguments, number, failure) \
	type __real_##name parameters;                           \
	type __wrap_##name parameters;                           \
	type __wrap_##name parameters                            \
	{                                                        \
		if (fails(number))                               \
			return failure;                          \
		return __real_##name arguments;                  \
	}

WRAP(void *, malloc, (size_t nbytes), (nbytes), ENOMEM, NULL)
WRAP(void *, calloc, (size_t count, size_t nbytes), (count, nbytes), ENOMEM, NULL)
WRAP(void *, realloc, (void *old, size_t nbytes), (old, nbytes), ENOMEM, NULL)
WRAP(void *, aligned_alloc, (size_t to, size_t nbytes), (to, nbytes), ENOMEM, NULL)
WRAP(void *, mmap, (void *at, size_t nbytes, int may, int flags, int fd, off_t offset),
	(at, nbytes, may, flags, fd, offset), ENOMEM, MAP_FAILED)
WRAP(int, madvise, (void *at, size_t nbytes, int advice), (at, nbytes, advice), EINVAL, -1)
WRAP(int, memfd_create, (const char *name, unsigned flags), (name, flags), EMFILE, -1)
WRAP(int, ftruncate, (int fd, off_t nbytes), (fd, nbytes), ENOSPC, -1)
WRAP(int, eventfd, (unsigned count, int flags), (count, flags), EMFILE, -1)
WRAP(int, timerfd_create, (int clock, int flags), (clock, flags), EMFILE, -1)
WRAP(int, epoll_create1, (int flags), (flags), EMFILE, -1)
WRAP(int, epoll_ctl, (int epoll, int what, int fd, struct epoll_event *event),
	(epoll, what, fd, event), ENOSPC, -1)
WRAP(void *, dlopen, (const char *path, int how), (path, how), ENOMEM, NULL)
WRAP(int, pthread_create,
	(pthread_t * thread, const pthread_attr_t *how, void *(*run)(void *), void *argument),
	(thread, how, run, argument), EAGAIN, EAGAIN)

/* Files, not events: those take and give their 8 bytes without fail. */
#define WRAP_TRANSFER(name, of, number)                          \
	ssize_t __real_##name(int fd, of bytes, size_t nbytes);  \
	ssize_t __wrap_##name(int fd, of bytes, size_t nbytes);  \
	ssize_t __wrap_##name(int fd, of bytes, size_t nbytes)   \
	{                                                        \
		if (nbytes != sizeof(uint64_t) && fails(number)) \
			return -1;                               \
		return __real_##name(fd, bytes, nbytes);         \
	}

WRAP_TRANSFER(read, void *, EIO)
WRAP_TRANSFER(write, const void *, ENOSPC)

/* Their last argument is there or not. */
#define WRAP_OPEN(name)                                                 \
	int __real_##name(const char *path, int flags, ...);            \
	int __wrap_##name(const char *path, int flags, ...);            \
	int __wrap_##name(const char *path, int flags, ...)             \
	{                                                               \
		return fails(EMFILE) ? -1 : __real_##name(path, flags); \
	}
#define WRAP_FCNTL(name)                                                      \
	int __real_##name(int fd, int what, ...);                             \
	int __wrap_##name(int fd, int what, ...);                             \
	int __wrap_##name(int fd, int what, ...)                              \
	{                                                                     \
		va_list rest;                                                 \
		int argument;                                                 \
		va_start(rest, what);                                         \
		argument = va_arg(rest, int);                                 \
		va_end(rest);                                                 \
		return fails(EPERM) ? -1 : __real_##name(fd, what, argument); \
	}

WRAP_OPEN(open)
WRAP_OPEN(open64)
WRAP_FCNTL(fcntl)
WRAP_FCNTL(fcntl64)

/* ---- what a program owns --------------------------------------------------------------------- */

/* ---- claims ---------------------------------------------------------------------------------- */

static void ignore(void *context, const struct nproc *process, const char *text)
{
	(void)context;
	(void)process;
	(void)text;
}

/* All that makes something for a device; the first failure. */
static int set_up(struct nproc_device *device)
{
	struct nproc_image *image;
	struct nproc *process;
	struct nmem_arena *arena;
	struct npipe *ends[2];
	void *memory;
	int result = npipe_create(device, ends);

	if (!result)
		result = nmem_alloc(device, 1000, &memory);
	if (!result)
		result = nmem_arena_create(device, 1000, &arena);
	if (!result)
		result = nproc_set_log(device, ignore, NULL);
	if (!result && (result = npipe_fd(ends[0])) > 0)
		result = 0;
	if (!result && (result = nproc_device_fd(device)) > 0)
		result = 0;
	if (!result)
		result = nproc_image_open(device, TEST_KERNELS_PATH, &image);
	if (!result)
		result = nproc_spawn(device, image, "exit_with", NULL, &process, 3);
	if (!result)
		result = nproc_wait(process, NULL, NPROC_FOREVER);
	return result;
}

static bool is_a_reason(int result)
{
	return result == -ENOMEM || result == -EMFILE || result == -EAGAIN || result == -ENOSYS ||
	       result == -ENOSPC || result == -EIO || result == -EPERM || result == -ENOEXEC;
}

/* False: no call has failed any more. */
static bool try_with_failure(const char *name, int at)
{
	struct nproc_device *device;
	char detail[512];
	bool has_failed;
	int result;

	calls_left = at;
	result = nproc_device_open(name, &device);
	if (!result)
		result = set_up(device);
	has_failed = calls_left < 0;
	calls_left = -1;
	if (result) {
		assert_true(has_failed);
		if (!is_a_reason(result))
			print_error("%s: failure %d gave %d\n", name, at, result);
		assert_true(is_a_reason(result));
		if (device)
			assert_string_not_equal(nproc_detail(device, detail, sizeof detail), "");
	}
	nproc_device_close(device);
	return has_failed;
}

/*
 * Every failure is told in words, and leaves nothing. (Memory that is lost or freed twice is what
 * the sanitizers look for.)
 */
static void fail_each_call(const char *name, int steps_at_least)
{
	unsigned threads, fds, maps;
	int at = 0;

	for (int i = 0; i < 3; i++)
		try_with_failure(name, 1 << 20);
	threads = count_entries("/proc/self/task");
	fds = count_entries("/proc/self/fd");
	maps = count_maps();
	while (try_with_failure(name, at)) {
		assert_int_equal(count_entries("/proc/self/task"), threads);
		assert_int_equal(count_entries("/proc/self/fd"), fds);
		at++;
	}
	print_message("%s: %d calls were made to fail\n", name, at);
	assert_in_range(at, steps_at_least, 1000);
	if (!HAS_THREAD_SANITIZER)                           /* which maps what it likes */
		assert_in_range(count_maps(), 0, maps + 10); /* allocators keep some */
}

static void case_22_each_failing_step_of_an_in_process_device_is_undone(void **state)
{
	(void)state;
	fail_each_call("inproc:cores=3,far=4M,pipes=64,processes=64", 40);
}

static void case_22_each_failing_step_of_a_device_with_events_is_undone(void **state)
{
	(void)state;
	fail_each_call("inproc:cores=2,far=4M,pipes=64,processes=64,port=event", 40);
}

static void case_22_each_failing_step_of_a_simulation_is_undone(void **state)
{
	(void)state;
	fail_each_call("sim:cores=3,far=4M,pipes=64,processes=64", 40);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(case_22_each_failing_step_of_an_in_process_device_is_undone),
		cmocka_unit_test(case_22_each_failing_step_of_a_device_with_events_is_undone),
		cmocka_unit_test(case_22_each_failing_step_of_a_simulation_is_undone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
