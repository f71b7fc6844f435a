/* Ends in processes of their own: fork, exec, namespaces, other users, kill -9. */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <setjmp.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/host/nipc/ends.h"
#include "tests/host/nipc/kills.h"
#include "tests/owned.h"

#define SECOND 1000000000ll

static const struct nipc_attr small = {.capacity = NIPC_CAPACITY_MIN};
static const struct nipc_attr any_user = {.capacity = NIPC_CAPACITY_MIN, .flags = NIPC_ANY_USER};
static const char *own_path;

/* What a child says: the number of the step that failed, 0: none. */
#define CHILD_EXPECT(step, is_right) \
	do {                         \
		if (!(is_right))     \
			_exit(step); \
	} while (0)

static void expect_exit(pid_t child, int code)
{
	int status;

	assert_int_equal(waitpid(child, &status, 0), child);
	if (!WIFEXITED(status) || WEXITSTATUS(status) != code)
		fail_msg("the child ended with status 0x%x", status);
}

/* Gives back every message until the end. */
static _Noreturn void echo_until_end(int socket, const struct nipc_attr *attr)
{
	static unsigned char bytes[1 << 20];
	struct nipc *channel;
	int64_t nbytes;

	CHILD_EXPECT(10, nipc_adopt(socket, attr, 20 * SECOND, &channel) == 0);
	while ((nbytes = nipc_recv(channel, bytes, sizeof bytes)) > 0)
		CHILD_EXPECT(11, nipc_send(channel, bytes, (size_t)nbytes) == nbytes);
	CHILD_EXPECT(12, nbytes == 0);
	nipc_close(channel);
	_exit(0);
}

static void converse(struct nipc *channel)
{
	static unsigned char out[200000], in[200000];

	for (size_t nbytes = 1; nbytes <= sizeof out; nbytes = nbytes * 5 + 3) {
		fill_bytes(out, nbytes, nbytes);
		expect_result(channel, nipc_send(channel, out, nbytes), (int64_t)nbytes);
		expect_result(channel, nipc_recv(channel, in, sizeof in), (int64_t)nbytes);
		expect_bytes(in, nbytes, nbytes, 0);
	}
}

static struct nipc *adopt(int socket, const struct nipc_attr *attr)
{
	struct nipc *channel;
	int result = nipc_adopt(socket, attr, 20 * SECOND, &channel);

	expect_result(channel, result, 0);
	return channel;
}

/* ---- fork, exec ------------------------------------------------------------------------------ */

static void ends_inherited_by_fork_converse(void **state)
{
	struct nipc *channel;
	int sockets[2];
	pid_t child;

	(void)state;
	assert_int_equal(nipc_pair(sockets), 0);
	child = fork();
	if (!child) {
		close(sockets[0]);
		echo_until_end(sockets[1], &small);
	}
	close(sockets[1]);
	channel = adopt(sockets[0], &small);
	converse(channel);
	nipc_close(channel);
	expect_exit(child, 0);
}

static void ends_inherited_by_exec_converse(void **state)
{
	char *arguments[] = {(char *)(uintptr_t)own_path, (char *)(uintptr_t)"--echo", NULL};
	char *environment[] = {NULL};
	posix_spawn_file_actions_t actions;
	struct nipc *channel;
	int sockets[2];
	pid_t child;

	(void)state;
	assert_int_equal(nipc_pair(sockets), 0);
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, sockets[1], 3);
	assert_int_equal(posix_spawn(&child, own_path, &actions, NULL, arguments, environment), 0);
	posix_spawn_file_actions_destroy(&actions);
	close(sockets[1]);
	channel = adopt(sockets[0], &small);
	converse(channel);
	nipc_close(channel);
	expect_exit(child, 0);
}

static void case_85_a_child_of_fork_gets_ebadf_and_the_parent_goes_on(void **state)
{
	unsigned char byte = 1;
	char detail[256];
	struct nipc_view view;
	struct ends ends;
	void *bytes;
	pid_t child;

	(void)state;
	ends_open(&ends, NULL, NULL);
	child = fork();
	if (!child) {
		CHILD_EXPECT(1, nipc_send(ends.a, &byte, 1) == -EBADF);
		CHILD_EXPECT(2, nipc_recv(ends.b, &byte, 1) == -EBADF);
		CHILD_EXPECT(3, nipc_reserve(ends.a, 1, &bytes) == -EBADF);
		CHILD_EXPECT(4, nipc_borrow(ends.b, &view) == -EBADF);
		CHILD_EXPECT(5, nipc_fd(ends.b, NIPC_RECEIVING) == -EBADF);
		CHILD_EXPECT(6, strstr(nipc_detail(ends.a, detail, sizeof detail), "fork"));
		nipc_close(ends.a);
		_exit(0);
	}
	expect_exit(child, 0);
	expect_result(ends.a, nipc_send(ends.a, &byte, 1), 1);
	expect_result(ends.b, nipc_recv(ends.b, &byte, 1), 1);
	ends_close(&ends);
}

/* The child of a fork has the peer's descriptors, too: a socket alone would not hang up. */
static void case_82_a_peer_that_dies_is_noticed_although_its_child_lives(void **state)
{
	int sockets[2], alive[2];
	struct nipc *channel;
	unsigned char byte;
	pid_t child;

	(void)state;
	assert_int_equal(nipc_pair(sockets), 0);
	assert_int_equal(pipe(alive), 0);
	child = fork();
	if (!child) {
		CHILD_EXPECT(1, nipc_adopt(sockets[1], &small, 20 * SECOND, &channel) == 0);
		close(alive[1]);
		if (!fork()) /* lives until the test closes the pipe */
			_exit(read(alive[0], &byte, 1) != 0);
		_exit(0);
	}
	close(sockets[1]);
	close(alive[0]);
	channel = adopt(sockets[0], &small);
	expect_result(channel, nipc_recv(channel, &byte, 1), 0);
	expect_exit(child, 0);
	nipc_close(channel);
	close(alive[1]);
}

/* ---- users, namespaces ----------------------------------------------------------------------- */

static const char *own_name(void)
{
	static char name[64];

	if (!name[0])
		snprintf(name, sizeof name, "test-processes-%d", (int)getpid());
	return name;
}

/* A client of another user, and what it and the server get. */
static void try_other_user(const struct nipc_attr *attr, int client, int server)
{
	struct nipc_listener *listener;
	struct nipc *channel;
	pid_t child;

	assert_int_equal(nipc_listen(own_name(), attr, &listener), 0);
	child = fork();
	if (!child) {
		CHILD_EXPECT(1, !setuid(65534));
		CHILD_EXPECT(2, nipc_connect(own_name(), attr, 20 * SECOND, &channel) == client);
		_exit(0);
	}
	assert_int_equal(
		nipc_accept(listener, server ? SECOND / 2 : 20 * SECOND, &channel), server);
	expect_exit(child, 0);
	nipc_close(channel);
	nipc_listener_close(listener);
}

static void another_user_is_turned_away_unless_any_may_come(void **state)
{
	(void)state;
	if (geteuid()) {
		print_message("skipped: only root can become another user\n");
		skip();
	}
	try_other_user(&small, -EPERM, -ETIMEDOUT);
	try_other_user(&any_user, 0, 0);
}

static void case_79_a_limit_of_locked_memory_is_named(void **state)
{
	const struct nipc_attr locked = {.capacity = NIPC_CAPACITY_MIN, .flags = NIPC_LOCKED};
	const struct rlimit low = {4096, 4096};
	struct nipc *channel;
	char detail[512];
	int sockets[2];
	pid_t child;

	(void)state;
	assert_int_equal(nipc_pair(sockets), 0);
	child = fork();
	if (!child) {
		/* Root may lock what it likes. */
		CHILD_EXPECT(1, geteuid() || !setuid(65534));
		CHILD_EXPECT(2, !setrlimit(RLIMIT_MEMLOCK, &low));
		CHILD_EXPECT(3, nipc_adopt(sockets[0], &locked, 0, &channel) == -ENOMEM);
		CHILD_EXPECT(4, strstr(nipc_detail(channel, detail, sizeof detail), "ulimit -l"));
		_exit(0);
	}
	expect_exit(child, 0);
	close(sockets[0]);
	close(sockets[1]);
}

static bool write_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	bool is_written = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);

	if (fd >= 0)
		close(fd);
	return is_written;
}

static bool can_unshare(int flags)
{
	pid_t child = fork();
	int status;

	if (!child)
		_exit(unshare(flags) ? 1 : 0);
	return waitpid(child, &status, 0) == child && status == 0;
}

static void an_end_in_namespaces_of_its_own_converses(void **state)
{
	const int flags = CLONE_NEWUSER | CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS;
	char map[64];
	struct nipc *channel;
	int sockets[2];
	pid_t child;

	(void)state;
	if (!can_unshare(flags)) {
		print_message("skipped: this system makes no such namespaces for this user\n");
		skip();
	}
	snprintf(map, sizeof map, "%u %u 1", geteuid(), geteuid());
	assert_int_equal(nipc_pair(sockets), 0);
	child = fork();
	if (!child) {
		close(sockets[0]);
		CHILD_EXPECT(1, !unshare(flags));
		CHILD_EXPECT(2, write_file("/proc/self/uid_map", map));
		echo_until_end(sockets[1], &small);
	}
	close(sockets[1]);
	channel = adopt(sockets[0], &small);
	converse(channel);
	nipc_close(channel);
	expect_exit(child, 0);
}

static void a_user_that_a_namespace_does_not_know_is_not_believed(void **state)
{
	struct nipc *channel;
	int sockets[2];
	char detail[512];
	pid_t child;

	(void)state;
	if (!can_unshare(CLONE_NEWUSER)) {
		print_message("skipped: this system makes no such namespaces for this user\n");
		skip();
	}
	assert_int_equal(nipc_pair(sockets), 0);
	child = fork();
	if (!child) {
		close(sockets[0]);
		CHILD_EXPECT(1, !unshare(CLONE_NEWUSER));
		CHILD_EXPECT(2, nipc_adopt(sockets[1], &small, 20 * SECOND, &channel) == -EPERM);
		CHILD_EXPECT(3, strstr(nipc_detail(channel, detail, sizeof detail), "uid_map"));
		_exit(0);
	}
	close(sockets[1]);
	if (nipc_adopt(sockets[0], &small, 20 * SECOND, &channel) == 0)
		expect_result(channel, nipc_recv(channel, detail, 1), 0);
	nipc_close(channel);
	expect_exit(child, 0);
}

/* ---- kill -9 --------------------------------------------------------------------------------- */

enum {
	KILLS = 25, /* more: soak_nipc */
};

static void case_71_case_74_case_82_a_peer_killed_anywhere_is_noticed(void **state)
{
	uint64_t random = new_seed();
	unsigned files = count_entries("/proc/self/fd"), maps = count_maps();
	unsigned shared = count_entries("/dev/shm");

	(void)state;
	for (unsigned i = 0; i < KILLS; i++)
		assert_null(kills_run(&random));
	assert_int_equal(count_entries("/proc/self/fd"), files);
	assert_int_equal(count_entries("/dev/shm"), shared);
	assert_true(count_maps() <= maps + 10);
}

int main(int count, char **arguments)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ends_inherited_by_fork_converse),
		cmocka_unit_test(ends_inherited_by_exec_converse),
		cmocka_unit_test(case_85_a_child_of_fork_gets_ebadf_and_the_parent_goes_on),
		cmocka_unit_test(case_82_a_peer_that_dies_is_noticed_although_its_child_lives),
		cmocka_unit_test(another_user_is_turned_away_unless_any_may_come),
		cmocka_unit_test(case_79_a_limit_of_locked_memory_is_named),
		cmocka_unit_test(an_end_in_namespaces_of_its_own_converses),
		cmocka_unit_test(a_user_that_a_namespace_does_not_know_is_not_believed),
		cmocka_unit_test(case_71_case_74_case_82_a_peer_killed_anywhere_is_noticed),
	};

	own_path = "/proc/self/exe";
	if (count == 2 && !strcmp(arguments[1], "--echo"))
		echo_until_end(3, &small);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
