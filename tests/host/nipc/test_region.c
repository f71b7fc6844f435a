/* The memory of an end: where it lies, and what happens where the system refuses it. */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "host/nipc/region.h"
#include "host/room.h"
#include "tests/host/nipc/ends.h"
#include "tests/owned.h"

#define MIB ((size_t)1 << 20)

static void create(struct ipc_region *region, const struct ipc_region_wish *wish)
{
	struct nhost_error error;
	int fd = ipc_region_create(region, wish, &error);

	if (fd < 0)
		fail_msg("%s", error.text);
	close(fd);
}

/* ---- where it lies --------------------------------------------------------------------------- */

static void case_26_all_pages_are_taken_by_the_thread_that_makes_a_region(void **state)
{
	const struct ipc_region_wish wish = {4 * MIB, false, false};
	struct ipc_region region;
	unsigned long nodes = 0;
	size_t pages;
	void **page;
	int *node;

	(void)state;
	create(&region, &wish);
	pages = (region.header_nbytes + region.capacity) / 4096;
	page = calloc(pages, sizeof *page);
	node = calloc(pages, sizeof *node);
	for (size_t i = 0; i < pages; i++)
		page[i] = region.base + i * 4096;
	if (syscall(SYS_get_mempolicy, NULL, &nodes, 8 * sizeof nodes, NULL, 4 /* allowed */) ||
		syscall(SYS_move_pages, 0, pages, page, NULL, node, 0)) {
		print_message("skipped: this system does not tell where a page lies\n");
		skip();
	}
	for (size_t i = 0; i < pages; i++)
		if (node[i] < 0 || !(nodes >> node[i] & 1))
			fail_msg("page %zu of %zu: %d", i, pages, node[i]);
	free(page);
	free(node);
	ipc_region_destroy(&region);
}

/* There is a pool of huge pages almost nowhere, and a wish is no demand. */
static void a_region_is_had_where_huge_pages_are_refused(void **state)
{
	const struct ipc_region_wish wish = {4 * MIB, true, false};
	const struct ipc_region_wish more = {(size_t)256 * MIB, true, false};
	struct ipc_region region;

	(void)state;
	create(&region, &wish);
	memset(ipc_region_data(&region), 1, region.capacity);
	ipc_region_destroy(&region);
	create(&region, &more);
	ipc_region_data(&region)[region.capacity - 1] = 1;
	ipc_region_destroy(&region);
}

/* ---- what the system refuses ----------------------------------------------------------------- */

static void case_77_a_region_larger_than_the_machine_is_refused(void **state)
{
	const struct ipc_region_wish wish = {(size_t)1 << 40, false, false};
	struct ipc_region region;
	struct nhost_error error;
	struct nhost_room room;

	(void)state;
	nhost_room_find("", &room);
	if (room.nbytes > wish.capacity) {
		print_message("skipped: this machine has a terabyte\n");
		skip();
	}
	assert_int_equal(ipc_region_create(&region, &wish, &error), -ENOMEM);
	assert_non_null(strstr(error.text, "smaller capacity"));
	assert_null(region.base);
}

static void case_77_a_small_dev_shm_is_no_limit(void **state)
{
	const struct ipc_region_wish wish = {4 * MIB, false, false};
	struct ipc_region region;
	pid_t child = fork();
	int status;

	(void)state;
	if (!child) {
		struct nhost_error error;

		if (unshare(CLONE_NEWUSER | CLONE_NEWNS) ||
			mount("tmpfs", "/dev/shm", "tmpfs", 0, "size=4096"))
			_exit(77);
		_exit(ipc_region_create(&region, &wish, &error) < 0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 77) {
		print_message("skipped: no namespace of mounts can be had\n");
		skip();
	}
	assert_int_equal(status, 0);
}

/* ---- a control group ------------------------------------------------------------------------- */

static bool write_text(const char *folder, const char *name, const char *text)
{
	char path[512];
	bool is_written;
	int fd;

	snprintf(path, sizeof path, "%s/%s", folder, name);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	is_written = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);
	if (fd >= 0)
		close(fd);
	return is_written;
}

/* One of 32 MiB below the one where this program is; false: none can be had. */
static bool make_group(char *folder, size_t nbytes)
{
	static const char *const places[] = {
		"/sys/fs/cgroup/memory", "memory", "/sys/fs/cgroup", ""};
	char line[256], own[256];
	FILE *file = fopen("/proc/self/cgroup", "r");

	for (unsigned i = 0; file && i < 4; i += 2) {
		rewind(file);
		while (fgets(line, sizeof line, file)) {
			snprintf(own, sizeof own, ":%s:/", places[i + 1]);
			if (!strstr(line, own))
				continue;
			line[strcspn(line, "\n")] = '\0';
			snprintf(folder, nbytes, "%s%s/nearside-test-%d", places[i],
				strstr(line, own) + strlen(own) - 1, (int)getpid());
			fclose(file);
			return !mkdir(folder, 0755) &&
			       (write_text(folder, "memory.max", "33554432") ||
				       write_text(folder, "memory.limit_in_bytes", "33554432"));
		}
	}
	if (file)
		fclose(file);
	return false;
}

/* In the child: 0, or the number of the step that failed. */
static int try_in_group(const char *folder)
{
	const struct nipc_attr large = {.capacity = 64 * MIB}, small = {.capacity = MIB};
	struct nipc *channel;
	char detail[512];
	int sockets[2];

	if (!write_text(folder, "cgroup.procs", "0"))
		return 77;
	if (nipc_pair(sockets))
		return 1;
	if (nipc_adopt(sockets[0], &large, 0, &channel) != -ENOMEM)
		return 2;
	nipc_detail(channel, detail, sizeof detail);
	if (!strstr(detail, "control group allows 33554432 bytes") || !strstr(detail, folder))
		return 3;
	nipc_close(channel);
	if (nipc_pair(sockets))
		return 4;
	return nipc_adopt(sockets[0], &small, 0, &channel) == -EAGAIN ? 0 : 5;
}

/* Whoever takes the page that is too many is killed by the system. */
static void case_77_a_region_beyond_the_control_group_is_refused_and_nobody_is_killed(void **state)
{
	char folder[512] = "";
	int status = 77 << 8;
	pid_t child;

	(void)state;
	if (make_group(folder, sizeof folder)) {
		child = fork();
		if (!child)
			_exit(try_in_group(folder));
		assert_int_equal(waitpid(child, &status, 0), child);
	}
	if (*folder)
		rmdir(folder);
	if (status == 77 << 8) {
		print_message("skipped: no control group with a limit of memory can be had\n");
		skip();
	}
	assert_int_equal(status, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(case_26_all_pages_are_taken_by_the_thread_that_makes_a_region),
		cmocka_unit_test(a_region_is_had_where_huge_pages_are_refused),
		cmocka_unit_test(case_77_a_region_larger_than_the_machine_is_refused),
		cmocka_unit_test(case_77_a_small_dev_shm_is_no_limit),
		cmocka_unit_test(
			case_77_a_region_beyond_the_control_group_is_refused_and_nobody_is_killed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
