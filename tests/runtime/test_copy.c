/* nmem_copy() by each copy engine, from one thread and from several. */
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <nearside/nmem.h>
#include <nearside/nproc.h>

enum {
	NBYTES = 100000,
	THREADS = 4,
	ROUNDS = 20,
};

static struct nproc_device *device;
static char detail[512];

static int open_device(void **state)
{
	(void)state;
	return nproc_device_open("inproc", &device);
}

static int close_device(void **state)
{
	(void)state;
	nproc_device_close(device);
	return 0;
}

static void fill(uint8_t *bytes, size_t seed)
{
	for (size_t i = 0; i < NBYTES; i++)
		bytes[i] = (uint8_t)(i * 7 + seed + (i >> 8));
}

/* Where no DSA can be used its engine says so in words, and the one before goes on. */
static void every_engine_copies(void **state)
{
	static const char *const names[] = {"thread", "auto", "dsa", "cpu", NULL};
	static uint8_t local[NBYTES];
	void *memory;
	(void)state;

	assert_int_equal(nmem_alloc(device, NBYTES, &memory), 0);
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
		int result = nmem_copy_engine(device, names[i]);

		if (result == -ENODEV)
			assert_non_null(strstr(nproc_detail(device, detail, sizeof detail), "DSA"));
		else
			assert_int_equal(result, 0);
		fill(local, i);
		assert_int_equal(nmem_copy(device, memory, local, NBYTES), 0);
		assert_memory_equal(memory, local, NBYTES);
	}
	assert_int_equal(nmem_free(device, memory), 0);
}

static void an_engine_that_is_unknown_is_refused_with_those_there_are(void **state)
{
	(void)state;
	assert_int_equal(nmem_copy_engine(device, "steam"), -EINVAL);
	assert_non_null(
		strstr(nproc_detail(device, detail, sizeof detail), "cpu, auto, thread, dsa"));
	assert_int_equal(nmem_copy_engine(NULL, "cpu"), -EBADF);
}

static void *copy_to_and_fro(void *seed)
{
	static _Thread_local uint8_t there[NBYTES], back[NBYTES];
	void *memory;
	void *failed = seed;

	if (nmem_alloc(device, NBYTES, &memory))
		return failed;
	for (size_t i = 0; i < ROUNDS; i++) {
		fill(there, (uintptr_t)seed + i);
		if (nmem_copy(device, memory, there, NBYTES) ||
			nmem_copy(device, back, memory, NBYTES) || memcmp(there, back, NBYTES) != 0)
			return failed;
	}
	return nmem_free(device, memory) ? failed : NULL;
}

static void threads_copy_while_another_changes_the_engine(void **state)
{
	static const char *const names[] = {"thread", "cpu", "auto"};
	pthread_t threads[THREADS];
	(void)state;

	for (size_t i = 0; i < THREADS; i++)
		assert_int_equal(
			pthread_create(&threads[i], NULL, copy_to_and_fro, (void *)(i + 1)), 0);
	for (size_t i = 0; i < ROUNDS; i++)
		assert_int_equal(nmem_copy_engine(device, names[i % 3]), 0);
	for (size_t i = 0; i < THREADS; i++) {
		void *failed;

		assert_int_equal(pthread_join(threads[i], &failed), 0);
		assert_null(failed);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_engine_copies),
		cmocka_unit_test(an_engine_that_is_unknown_is_refused_with_those_there_are),
		cmocka_unit_test(threads_copy_while_another_changes_the_engine),
	};

	return cmocka_run_group_tests(tests, open_device, close_device);
}
