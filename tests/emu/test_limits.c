/*
 * The in-process device where the system gives less than usual: each claim is tried in a child
 * process in which some system calls fail.
 */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/emu/world.h"

/* From now on this system call of the process fails with that error. */
static int refuse(unsigned call, unsigned error)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | error),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	const struct sock_fprog program = {sizeof code / sizeof code[0], code};

	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	       prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

/* What a child that runs try() ends with; 0 is well. */
static int in_child(int (*try)(void))
{
	pid_t child = fork();
	int status;

	assert_true(child >= 0);
	if (!child)
		_exit(try());
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static int open_device(struct nhost_error *error)
{
	struct nhost_device device;

	return nhost_device_open("inproc:cores=2,far=1M", &device, error);
}

static int converse_without_membarrier(void)
{
	struct world *world;

	if (refuse(SYS_membarrier, ENOSYS))
		return 1;
	world = world_with_kernels("inproc:cores=2,far=1M");
	for (unsigned core = 0; core < 2; core++)
		world_spawn_echo(world, core, core + 1, 2 * core + 1, 2 * core + 2);
	for (uint64_t i = 0; i < 500; i++)
		if (world_round_trip(world, 2 * (i % 2) + 1, 2 * (i % 2) + 2, i) != 8)
			return 2;
	world_close(world);
	return 0;
}

static uint64_t address_space(void)
{
	FILE *file = fopen("/proc/self/statm", "r");
	unsigned long pages = 0;

	if (!file || fscanf(file, "%lu", &pages) != 1)
		return 0;
	fclose(file);
	return (uint64_t)pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

/* Room for the region, not for the memory of its two cores. */
static int open_without_address_space(void)
{
	struct nhost_error error = {{0}};
	struct rlimit limit = {address_space() + (64 << 20), RLIM_INFINITY};

	if (setrlimit(RLIMIT_AS, &limit))
		return 1;
	return open_device(&error) == -ENOMEM && strstr(error.text, "for 2 cores") &&
			       strstr(error.text, "cores=N") && strstr(error.text, "ulimit -v")
		       ? 0
		       : 2;
}

static int open_without_threads(void)
{
	struct nhost_error error = {{0}};

	if (refuse(SYS_clone3, ENOSYS) || refuse(SYS_clone, EAGAIN))
		return 1;
	return open_device(&error) == -EAGAIN && strstr(error.text, "core 0 of 2") &&
			       strstr(error.text, "ulimit -u")
		       ? 0
		       : 2;
}

static int open_where_memory_files_are_refused(void)
{
	struct nhost_error error = {{0}};

	if (refuse(SYS_memfd_create, EPERM))
		return 1;
	return open_device(&error) == -EPERM && strstr(error.text, "memfd_create()") ? 0 : 2;
}

static int open_without_descriptors(void)
{
	const struct rlimit limit = {0, 0};
	struct nhost_error error = {{0}};

	if (setrlimit(RLIMIT_NOFILE, &limit))
		return 1;
	return open_device(&error) == -EMFILE && strstr(error.text, "ulimit -n") ? 0 : 2;
}

static int open_without_address_space_for_the_region(void)
{
	const struct rlimit limit = {address_space() + (1 << 20), RLIM_INFINITY};
	struct nhost_error error = {{0}};

	if (setrlimit(RLIMIT_AS, &limit))
		return 1;
	return open_device(&error) == -ENOMEM && strstr(error.text, "far=SIZE") &&
			       strstr(error.text, "ulimit -v")
		       ? 0
		       : 2;
}

/* ---- claims ---------------------------------------------------------------------------------- */

static void device_answers_without_membarrier(void **state)
{
	(void)state;
	assert_int_equal(in_child(converse_without_membarrier), 0);
}

/* Case 79: whatever limit is met, the words name it. */
static void case_79_no_threads_names_the_limit_of_threads(void **state)
{
	(void)state;
	assert_int_equal(in_child(open_without_threads), 0);
}

static void case_79_a_refused_system_call_is_named(void **state)
{
	(void)state;
	assert_int_equal(in_child(open_where_memory_files_are_refused), 0);
}

static void case_79_no_descriptors_names_the_limit_of_files(void **state)
{
	(void)state;
	assert_int_equal(in_child(open_without_descriptors), 0);
}

static void case_79_no_address_space_names_the_limit_of_memory(void **state)
{
	(void)state;
	assert_int_equal(in_child(open_without_address_space_for_the_region), 0);
	assert_int_equal(in_child(open_without_address_space), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(device_answers_without_membarrier),
		cmocka_unit_test(case_79_no_threads_names_the_limit_of_threads),
		cmocka_unit_test(case_79_a_refused_system_call_is_named),
		cmocka_unit_test(case_79_no_descriptors_names_the_limit_of_files),
		cmocka_unit_test(case_79_no_address_space_names_the_limit_of_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
