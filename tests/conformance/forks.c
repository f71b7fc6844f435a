/* fork(): a child has nothing of its parent's devices, and the parent keeps all of them. */
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/conformance/suite.h"

static struct {
	struct ends in, out;
	struct nproc *process;
	struct nmem_arena *arena;
	struct npipe_relay *relay;
	void *memory;
} parents;

/* The number of the first call that does not give -EBADF; 0: all do. */
static int first_call_that_works(void)
{
	static const unsigned char kernel_bytes = 'x';
	struct nproc_device_info info;
	struct nproc_stats stats;
	struct nproc_image *image;
	struct nproc_status status;
	struct npipe *ends[2];
	struct npipe_relay *relay;
	struct nproc *process;
	void *memory;
	char byte;
	const int results[] = {
		nproc_device_info(suite.device, &info),
		nproc_stats(suite.device, &stats),
		nproc_set_log(suite.device, NULL, NULL),
		nproc_image_open(suite.device, TEST_KERNELS_PATH, &image),
		nproc_image_close(suite.image),
		nproc_spawn(HERE, "exit_with", NULL, &process, 1),
		nproc_wait(parents.process, &status, NPROC_FOREVER),
		nproc_wait_any(&parents.process, 1, &(size_t){0}, &status, NPROC_FOREVER),
		nproc_status(parents.process, &status),
		nproc_kill(parents.process),
		nproc_kill_group(suite.device, 1),
		nproc_wait_group(suite.device, 1, NPROC_FOREVER),
		nproc_image_open_memory(suite.device, "x", 1, &image),
		nproc_image_open_embedded(suite.device, &kernel_bytes, &kernel_bytes + 1, &image),
		npipe_create(suite.device, ends),
		npipe_dup(parents.in.write, ends),
		npipe_set_timeout(parents.in.write, 0),
		(int)npipe_write(parents.in.write, "x", 1),
		(int)npipe_read(parents.out.read, &byte, 1),
		(int)npipe_read_full(parents.out.read, &byte, 1),
		(int)npipe_writev(parents.in.write, &(struct iovec){&byte, 1}, 1),
		(int)npipe_readv(parents.out.read, &(struct iovec){&byte, 1}, 1),
		npipe_fd(parents.out.read),
		(int)npipe_poll(&(struct npoll){.end = parents.out.read}, 1, NPROC_FOREVER),
		(int)npipe_poll(&(struct npoll){.process = parents.process}, 1, NPROC_FOREVER),
		nproc_device_fd(suite.device),
		nproc_device_dispatch(suite.device),
		nproc_explain_blocked(suite.device, stderr, NPROC_FOREVER),
		npipe_relay(parents.out.read, parents.in.write, 0, &relay),
		npipe_relay_run(parents.relay, NPROC_FOREVER),
		npipe_relay_wait(parents.relay, NPROC_FOREVER, NULL),
		nmem_alloc(suite.device, 1, &memory),
		nmem_copy(suite.device, parents.memory, &byte, 1),
		nmem_free(suite.device, parents.memory),
		nmem_arena_create(suite.device, 1, &(struct nmem_arena *){NULL}),
		nmem_arena_alloc(parents.arena, 1, 0, &memory),
		nmem_arena_destroy(parents.arena),
	};

	for (size_t i = 0; i < sizeof results / sizeof results[0]; i++)
		if (results[i] != -EBADF)
			return (int)i + 1;
	npipe_relay_close(parents.relay);
	nproc_close(parents.process);
	npipe_close(parents.in.write);
	nproc_device_close(suite.device);
	return 0;
}

static void make_parents_things(void)
{
	struct ends one = make_pipe(), two = make_pipe();

	parents.in = make_pipe();
	parents.out = make_pipe();
	must(nmem_alloc(suite.device, 64, &parents.memory));
	must(nmem_arena_create(suite.device, 64, &parents.arena));
	must(npipe_relay(one.read, two.write, 0, &parents.relay));
	must(nproc_spawn(
		HERE, "add_one", ENDS(parents.in.read, parents.out.write), &parents.process));
}

/* Case 85: in a child all handles answer -EBADF, in the parent they go on working. */
static void case_85_a_child_of_fork_gets_ebadf_and_the_parent_goes_on(void **state)
{
	uint64_t word = 1;
	int child_status;
	pid_t child;
	(void)state;
	make_parents_things();

	child = fork();
	if (!child)
		_exit(first_call_that_works());

	assert_true(child > 0);
	assert_int_equal(waitpid(child, &child_status, 0), child);
	assert_true(WIFEXITED(child_status));
	assert_int_equal(WEXITSTATUS(child_status), 0);
	must(npipe_write(parents.in.write, &word, sizeof word));
	assert_int_equal(must(npipe_read_full(parents.out.read, &word, sizeof word)), sizeof word);
	assert_int_equal(word, 2);
	npipe_close(parents.in.write);
	assert_int_equal(exit_code_of(parents.process), 0);
	npipe_relay_close(parents.relay);
}

static int use_its_own_device(const char *name)
{
	struct nproc_device *device;
	struct nproc_image *image;
	struct nproc_status status;
	struct nproc *process;

	if (nproc_device_open(name, &device) ||
		nproc_image_open(device, TEST_KERNELS_PATH, &image) ||
		nproc_spawn(device, image, "exit_with", NULL, &process, 7) ||
		nproc_wait(process, &status, NPROC_FOREVER))
		return 1;
	nproc_device_close(device);
	return status.exit_code != 7;
}

static void a_child_of_fork_opens_its_own_device(void **state)
{
	const char *name = name_of_another();
	int child_status;
	pid_t child;
	(void)state;
	skip_if_only_one();
	skip_unless(
		!HAS_THREAD_SANITIZER, "the thread sanitizer allows no threads in a child of fork");

	child = fork();
	if (!child)
		_exit(use_its_own_device(name));

	assert_true(child > 0);
	assert_int_equal(waitpid(child, &child_status, 0), child);
	assert_true(WIFEXITED(child_status));
	assert_int_equal(WEXITSTATUS(child_status), 0);
}

static void assert_child_gives_0(pid_t child)
{
	int child_status;

	assert_true(child > 0);
	assert_int_equal(waitpid(child, &child_status, 0), child);
	assert_true(WIFEXITED(child_status));
	assert_int_equal(WEXITSTATUS(child_status), 0);
}

/* What destructors of a program may do, who know nothing of the fork. */
static void close_all(void)
{
	npipe_relay_close(parents.relay);
	npipe_close(parents.in.write);
	npipe_close(parents.out.read);
	nproc_close(parents.process);
	nproc_image_close(suite.image);
	nproc_device_close(suite.device);
}

static void a_child_that_exits_runs_its_destructors(void **state)
{
	uint64_t word = 1;
	pid_t child;
	(void)state;
	skip_unless(!HAS_ADDRESS_SANITIZER,
		"leaks are what a child leaves to its parent, to the address sanitizer");
	make_parents_things();
	must(npipe_fd(parents.out.read));
	must(nproc_device_fd(suite.device));
	fflush(NULL);

	child = fork();
	if (!child) {
		atexit(close_all);
		exit(0);
	}

	assert_child_gives_0(child);
	must(npipe_write(parents.in.write, &word, sizeof word));
	assert_int_equal(must(npipe_read_full(parents.out.read, &word, sizeof word)), sizeof word);
	assert_int_equal(word, 2);
	close_all();
	must(nproc_device_open(suite.device_name, &suite.device));
}

static void *talk(void *is_over)
{
	uint64_t word = 0, rounds = 0;

	while (!__atomic_load_n((bool *)is_over, __ATOMIC_RELAXED)) {
		if (npipe_write(parents.in.write, &word, sizeof word) != sizeof word ||
			npipe_read_full(parents.out.read, &word, sizeof word) != sizeof word)
			return (void *)1;
		rounds++;
	}
	return (void *)(intptr_t)(word != rounds);
}

/* Whatever locks another thread holds at that moment. */
static void a_fork_in_the_middle_of_calls_harms_nobody(void **state)
{
	bool is_over = false;
	pthread_t thread;
	void *wrong;
	(void)state;
	skip_unless(!is_simulation(), "both ends are one thread");
	make_parents_things();
	assert_int_equal(pthread_create(&thread, NULL, talk, &is_over), 0);

	for (int i = 0; i < 30; i++) {
		pid_t child = fork();

		if (!child)
			_exit(first_call_that_works());
		assert_child_gives_0(child);
	}

	__atomic_store_n(&is_over, true, __ATOMIC_RELAXED);
	assert_int_equal(pthread_join(thread, &wrong), 0);
	assert_null(wrong);
	npipe_relay_close(parents.relay);
}

int run_forks(void)
{
	const struct CMUnitTest tests[] = {
		CLAIM(case_85_a_child_of_fork_gets_ebadf_and_the_parent_goes_on),
		CLAIM(a_child_of_fork_opens_its_own_device),
		CLAIM(a_child_that_exits_runs_its_destructors),
		CLAIM(a_fork_in_the_middle_of_calls_harms_nobody),
	};

	return cmocka_run_group_tests_name("forks", tests, NULL, NULL);
}
