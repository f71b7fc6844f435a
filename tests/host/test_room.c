/* How much memory may still be taken, as made-up files of control groups say. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "host/room.h"

#define MIB (1024ull * 1024)

static char root[64];

/* With the folders on its way. */
static void put(const char *path, const char *text)
{
	char whole[512];
	FILE *file;

	snprintf(whole, sizeof whole, "%s%s", root, path);
	for (char *at = whole + strlen(root) + 1; (at = strchr(at, '/')) != NULL; at++) {
		*at = '\0';
		mkdir(whole, 0755);
		*at = '/';
	}
	file = fopen(whole, "w");
	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

static int set_up(void **state)
{
	(void)state;
	strcpy(root, "/tmp/nearside-room-XXXXXX");
	return mkdtemp(root) ? 0 : -1;
}

static int tear_down(void **state)
{
	char command[128];

	(void)state;
	snprintf(command, sizeof command, "rm -rf '%s'", root);
	return system(command);
}

static struct nhost_room find(void)
{
	struct nhost_room room;

	nhost_room_find(root, &room);
	return room;
}

static void without_files_there_is_no_limit(void **state)
{
	(void)state;
	assert_true(find().nbytes == UINT64_MAX);
}

static void the_machine_s_memory_is_a_limit(void **state)
{
	(void)state;
	put("/proc/meminfo", "MemTotal: 100 kB\nMemAvailable:     50 kB\nSwapFree:  7 kB\n");
	assert_int_equal(find().nbytes, 57 * 1024);
	assert_non_null(strstr(find().limit, "MemAvailable"));
}

static void put_second(const char *group, const char *most, const char *used)
{
	char path[256];

	snprintf(path, sizeof path, "/sys/fs/cgroup%s/memory.max", group);
	put(path, most);
	snprintf(path, sizeof path, "/sys/fs/cgroup%s/memory.current", group);
	put(path, used);
}

static void each_group_on_the_way_up_is_a_limit(void **state)
{
	(void)state;
	put("/proc/self/cgroup", "1:name=systemd:/else\n0::/a/b\n");
	put("/proc/self/mountinfo",
		"22 1 0:20 / /proc rw - proc proc rw\n"
		"30 22 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n");
	put_second("/a/b", "max\n", "1048576\n");
	put_second("/a", "10485760\n", "4194304\n");
	assert_int_equal(find().nbytes, 6 * MIB);
	assert_non_null(strstr(find().limit, "10485760 bytes (/sys/fs/cgroup/a/memory.max)"));
	assert_non_null(strstr(find().remedy, "docker run --memory"));
	/* What files have in memory is given up for it. */
	put("/sys/fs/cgroup/a/memory.stat", "anon 5\ninactive_file 1048576\nactive_file 1048576\n");
	assert_int_equal(find().nbytes, 8 * MIB);
	put_second("/a/b", "2097152\n", "3145728\n");
	assert_int_equal(find().nbytes, 0);
}

/* A container sees its own group as the outermost one, under the path that the host knows. */
static void a_group_of_the_first_version_is_found_in_a_container(void **state)
{
	(void)state;
	put("/proc/self/cgroup", "5:cpu,memory:/docker/x\n0::/docker/x\n");
	put("/proc/self/mountinfo",
		"31 22 0:27 /docker/x /sys/fs/cgroup/cpu ro - cgroup cgroup rw,cpuset\n"
		"30 22 0:26 /docker/x /groups/memory ro - cgroup cgroup rw,cpu,memory\n");
	put("/groups/memory/memory.limit_in_bytes", "3145728\n");
	put("/groups/memory/memory.usage_in_bytes", "1048576\n");
	put("/groups/memory/memory.stat", "inactive_file 7\ntotal_inactive_file 524288\n");
	assert_int_equal(find().nbytes, 2 * MIB + MIB / 2);
	assert_non_null(strstr(find().limit, "/groups/memory/memory.limit_in_bytes"));
}

static void a_mount_whose_root_only_begins_alike_is_looked_at_from_there(void **state)
{
	(void)state;
	put("/proc/self/cgroup", "0::/docker/xy\n");
	put("/proc/self/mountinfo",
		"30 22 0:26 /docker/x /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n");
	put_second("", "3145728\n", "1048576\n");
	assert_int_equal(find().nbytes, 2 * MIB);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(without_files_there_is_no_limit),
		TEST(the_machine_s_memory_is_a_limit),
		TEST(each_group_on_the_way_up_is_a_limit),
		TEST(a_group_of_the_first_version_is_found_in_a_container),
		TEST(a_mount_whose_root_only_begins_alike_is_looked_at_from_there),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
