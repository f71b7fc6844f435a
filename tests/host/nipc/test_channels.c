/* Making channels: names, peers, limits; and what ends them. Two threads, one process. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cmocka.h>

#include "host/nipc/region.h"
#include "host/nipc/socket.h"
#include "tests/host/nipc/ends.h"
#include "tests/owned.h"

#define SECOND 1000000000ll

static const struct nipc_attr small = {.capacity = NIPC_CAPACITY_MIN};

/* A name that no other test has. */
static const char *own_name(void)
{
	static char name[64];

	snprintf(name, sizeof name, "test-%d", (int)getpid());
	return name;
}

static struct nipc_listener *listen_at(const char *name)
{
	struct nipc_listener *listener;
	char detail[512];

	if (nipc_listen(name, &small, &listener))
		fail_msg("%s", nipc_listener_detail(listener, detail, sizeof detail));
	return listener;
}

/* ---- names ----------------------------------------------------------------------------------- */

struct connecting {
	const char *name;
	struct nipc *channel;
	int result;
};

static void *connect_to(void *context)
{
	struct connecting *connecting = context;

	connecting->result =
		nipc_connect(connecting->name, &small, 20 * SECOND, &connecting->channel);
	return NULL;
}

static void try_name(const char *name)
{
	struct connecting connecting = {.name = name};
	struct nipc_listener *listener;
	struct nipc *channel;
	pthread_t thread;
	uint64_t word = 7;

	/* The client is there first, and waits. */
	assert_int_equal(pthread_create(&thread, NULL, connect_to, &connecting), 0);
	listener = listen_at(name);
	assert_int_equal(nipc_accept(listener, 20 * SECOND, &channel), 0);
	pthread_join(thread, NULL);
	expect_result(connecting.channel, connecting.result, 0);
	expect_result(channel, nipc_send(channel, &word, sizeof word), 8);
	expect_result(connecting.channel, nipc_recv(connecting.channel, &word, 8), 8);
	nipc_close(channel);
	expect_result(connecting.channel, nipc_recv(connecting.channel, &word, 8), 0);
	nipc_close(connecting.channel);
	nipc_listener_close(listener);
}

static void ends_meet_at_a_name_without_a_file(void **state)
{
	(void)state;
	try_name(own_name());
}

static void case_71_case_73_ends_meet_at_a_file_even_a_stale_one(void **state)
{
	char folder[] = "/tmp/nearside-nipc-XXXXXX", path[64];
	struct nipc_listener *listener, *second;
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int stale;

	(void)state;
	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof path, "%s/socket", folder);
	strcpy(address.sun_path, path);
	stale = socket(AF_UNIX, SOCK_SEQPACKET, 0);
	assert_int_equal(bind(stale, (const void *)&address, sizeof address), 0);
	close(stale);
	try_name(path);
	listener = listen_at(path);
	assert_int_equal(nipc_listen(path, &small, &second), -EADDRINUSE);
	nipc_listener_close(second);
	nipc_listener_close(listener);
	assert_int_equal(rmdir(folder), 0);
}

static void expect_to_be_left(const char *path)
{
	struct nipc_listener *listener;
	char detail[512];
	struct stat status;

	assert_int_equal(nipc_listen(path, &small, &listener), -EEXIST);
	nipc_listener_detail(listener, detail, sizeof detail);
	assert_non_null(strstr(detail, "something else than a socket"));
	nipc_listener_close(listener);
	assert_int_equal(lstat(path, &status), 0);
}

static void what_is_there_and_is_no_socket_is_left_where_it_is(void **state)
{
	char folder[] = "/tmp/nearside-nipc-XXXXXX", file[64], link[64];
	int fd;

	(void)state;
	assert_non_null(mkdtemp(folder));
	snprintf(file, sizeof file, "%s/file", folder);
	snprintf(link, sizeof link, "%s/link", folder);
	fd = open(file, O_CREAT | O_WRONLY, 0600);
	assert_true(fd >= 0);
	close(fd);
	assert_int_equal(symlink("nowhere", link), 0);
	expect_to_be_left(file);
	expect_to_be_left(link);
	expect_to_be_left(folder);
	assert_int_equal(unlink(file), 0);
	assert_int_equal(unlink(link), 0);
	assert_int_equal(rmdir(folder), 0);
}

static void a_name_that_is_taken_is_refused_in_words(void **state)
{
	struct nipc_listener *listener = listen_at(own_name()), *second;
	char detail[512], long_name[200];

	(void)state;
	assert_int_equal(nipc_listen(own_name(), NULL, &second), -EADDRINUSE);
	nipc_listener_detail(second, detail, sizeof detail);
	assert_non_null(strstr(detail, "take another name"));
	nipc_listener_close(second);
	nipc_listener_close(listener);
	memset(long_name, 'x', sizeof long_name);
	long_name[199] = '\0';
	assert_int_equal(nipc_listen(long_name, NULL, &second), -ENAMETOOLONG);
	nipc_listener_close(second);
}

static void connecting_to_nobody_says_so(void **state)
{
	struct nipc *channel;
	char detail[512];

	(void)state;
	assert_int_equal(nipc_connect(own_name(), NULL, 0, &channel), -ECONNREFUSED);
	assert_non_null(strstr(nipc_detail(channel, detail, sizeof detail), "start its server"));
	assert_int_equal(nipc_recv(channel, detail, 1), -EBADF);
	nipc_close(channel);
	nipc_close(NULL);
}

static void accepting_nobody_ends_with_its_time(void **state)
{
	struct nipc_listener *listener = listen_at(own_name());
	struct pollfd wanted = {.fd = nipc_listener_fd(listener), .events = POLLIN};
	struct nipc *channel;

	(void)state;
	assert_int_equal(nipc_accept(listener, 0, &channel), -EAGAIN);
	assert_int_equal(nipc_accept(listener, 1000 * 1000, &channel), -ETIMEDOUT);
	assert_null(channel);
	assert_int_equal(poll(&wanted, 1, 0), 0);
	nipc_listener_close(listener);
}

/* ---- peers that are none --------------------------------------------------------------------- */

static int raw_connect(const char *name)
{
	struct nhost_error error;
	int socket = ipc_socket_connect(name, 0, &error);

	assert_true(socket >= 0);
	return socket;
}

static void one_that_says_nothing_holds_up_nobody(void **state)
{
	struct nipc_listener *listener = listen_at(own_name());
	struct connecting connecting = {.name = own_name()};
	struct nipc *channel;
	pthread_t thread;
	int silent[40];

	(void)state;
	for (unsigned i = 0; i < 40; i++)
		silent[i] = raw_connect(own_name());
	assert_int_equal(pthread_create(&thread, NULL, connect_to, &connecting), 0);
	assert_int_equal(nipc_accept(listener, 20 * SECOND, &channel), 0);
	pthread_join(thread, NULL);
	expect_result(connecting.channel, connecting.result, 0);
	for (unsigned i = 0; i < 40; i++)
		close(silent[i]);
	nipc_close(channel);
	nipc_close(connecting.channel);
	nipc_listener_close(listener);
}

/* A hello as it should be, but for what a test changes. */
struct forged {
	struct ipc_hello hello;
	int fds[IPC_HELLO_FDS];
};

static void forge(struct forged *forged, struct ipc_region *region)
{
	const struct ipc_region_wish wish = {NIPC_CAPACITY_MIN, false, false};
	struct nhost_error error;

	forged->fds[0] = ipc_region_create(region, &wish, &error);
	forged->fds[1] = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	assert_true(forged->fds[0] >= 0 && forged->fds[1] >= 0);
	forged->hello = (struct ipc_hello){.magic = IPC_MAGIC,
		.version = IPC_VERSION,
		.slots = region->slots,
		.header_nbytes = region->header_nbytes,
		.capacity = region->capacity};
}

/* What an end makes of it: its result; the words must have `expected` in them. */
static void expect_refusal(const struct forged *forged, int expected, const char *words)
{
	struct nipc *channel;
	struct nhost_error error;
	char detail[512];
	int sockets[2], result;

	assert_int_equal(nipc_pair(sockets), 0);
	assert_int_equal(ipc_socket_greet(sockets[0], &forged->hello, forged->fds, &error), 0);
	result = nipc_adopt(sockets[1], &small, 0, &channel);
	nipc_detail(channel, detail, sizeof detail);
	if (result != expected || (words && !strstr(detail, words)))
		fail_msg("%d, not %d: %s", result, expected, detail);
	nipc_close(channel);
	close(sockets[0]);
}

static int make_file(size_t nbytes, int seals)
{
	int fd = memfd_create("forged", MFD_CLOEXEC | MFD_ALLOW_SEALING);

	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, (off_t)nbytes), 0);
	if (seals)
		assert_int_equal(fcntl(fd, F_ADD_SEALS, seals), 0);
	return fd;
}

static void case_77_a_region_that_could_end_the_reader_is_refused(void **state)
{
	const int seals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_FUTURE_WRITE | F_SEAL_SEAL;
	struct ipc_region region;
	struct forged forged, changed;
	size_t nbytes;

	(void)state;
	forge(&forged, &region);
	expect_refusal(&forged, 0, NULL);
	nbytes = forged.hello.header_nbytes + forged.hello.capacity;
	changed = forged;
	changed.fds[0] = make_file(nbytes, 0);
	expect_refusal(&changed, -EPROTO, "not sealed");
	close(changed.fds[0]);
	changed.fds[0] = make_file(nbytes, seals);
	expect_refusal(&changed, -EPROTO, "holes");
	close(changed.fds[0]);
	changed.fds[0] = make_file(nbytes / 2, seals);
	expect_refusal(&changed, -EPROTO, "another size");
	close(changed.fds[0]);
	changed.fds[0] = open("/dev/zero", O_RDWR | O_CLOEXEC);
	expect_refusal(&changed, -EPROTO, "not a memory file");
	close(changed.fds[0]);
	close(forged.fds[0]);
	close(forged.fds[1]);
	ipc_region_destroy(&region);
}

static void a_hello_that_makes_no_sense_is_refused(void **state)
{
	struct ipc_region region;
	struct forged forged, changed;

	(void)state;
	forge(&forged, &region);
	changed = forged;
	changed.hello.magic++;
	expect_refusal(&changed, -EPROTO, "no end of a channel");
	changed = forged;
	changed.hello.version++;
	expect_refusal(&changed, -EPROTO, "same release");
	changed = forged;
	changed.hello.slots--;
	expect_refusal(&changed, -EPROTO, "number of lines");
	changed = forged;
	changed.hello.slots *= 2;
	expect_refusal(&changed, -EPROTO, "sizes make no sense");
	changed = forged;
	changed.hello.capacity = UINT64_MAX - changed.hello.header_nbytes + 1;
	expect_refusal(&changed, -EPROTO, "sizes make no sense");
	changed = forged;
	changed.hello.header_nbytes -= 64;
	changed.hello.capacity += 64;
	expect_refusal(&changed, -EPROTO, NULL);
	close(forged.fds[0]);
	close(forged.fds[1]);
	ipc_region_destroy(&region);
}

static void attributes_that_make_no_sense_are_refused(void **state)
{
	struct nipc_attr attr = NIPC_ATTR_INIT;
	struct nipc_listener *listener;

	(void)state;
	attr.flags = 1u << 31;
	assert_int_equal(nipc_listen(own_name(), &attr, &listener), -EINVAL);
	nipc_listener_close(listener);
	attr = (struct nipc_attr){.capacity = 1};
	assert_int_equal(nipc_listen(own_name(), &attr, &listener), -EINVAL);
	nipc_listener_close(listener);
}

static void what_a_call_gives_needs_a_place(void **state)
{
	struct nipc_listener *listener;
	struct ends ends;
	struct nipc *channel;
	int sockets[2];

	(void)state;
	assert_int_equal(nipc_listen(own_name(), NULL, NULL), -EINVAL);
	assert_int_equal(nipc_listen(NULL, &small, &listener), -EINVAL);
	nipc_listener_close(listener);
	assert_int_equal(nipc_connect(own_name(), &small, 0, NULL), -EINVAL);
	assert_int_equal(nipc_connect(NULL, &small, 0, &channel), -EINVAL);
	nipc_close(channel);
	assert_int_equal(nipc_pair(NULL), -EINVAL);
	assert_int_equal(nipc_pair(sockets), 0);
	assert_int_equal(nipc_adopt(sockets[0], &small, 0, NULL), -EINVAL);
	assert_int_equal(nipc_adopt(sockets[1], &small, -1, &channel), -ECONNRESET);
	nipc_close(channel);
	listener = listen_at(own_name());
	assert_int_equal(nipc_accept(listener, -1, NULL), -EINVAL);
	nipc_listener_close(listener);
	ends_open(&ends, NULL, NULL);
	assert_int_equal(nipc_reserve(ends.a, 10, NULL), -EINVAL);
	assert_int_equal(nipc_borrow(ends.b, NULL), -EINVAL);
	assert_int_equal(nipc_borrow_part(ends.b, NULL), -EINVAL);
	assert_int_equal(nipc_release(ends.b, NULL), -EINVAL);
	assert_int_equal(nipc_info(ends.a, NULL), -EINVAL);
	ends_close(&ends);
}

/* ---- ends ------------------------------------------------------------------------------------ */

static void case_83_what_was_sent_before_a_close_is_received(void **state)
{
	unsigned char bytes[20000], in[20000];
	struct ends ends;

	(void)state;
	ends_open(&ends, &small, &small);
	fill_bytes(bytes, sizeof bytes, 1);
	expect_result(ends.a, nipc_send(ends.a, bytes, sizeof bytes), sizeof bytes);
	expect_result(ends.a, nipc_send(ends.a, bytes, 10), 10);
	nipc_close(ends.a);
	expect_result(ends.b, nipc_send(ends.b, bytes, 10), -EPIPE);
	expect_result(ends.b, nipc_recv(ends.b, in, sizeof in), sizeof bytes);
	expect_bytes(in, sizeof in, 1, 0);
	expect_result(ends.b, nipc_recv(ends.b, in, sizeof in), 10);
	expect_result(ends.b, nipc_recv(ends.b, in, sizeof in), 0);
	expect_result(ends.b, nipc_recv(ends.b, in, sizeof in), 0);
	nipc_close(ends.b);
}

static void a_shut_down_half_leaves_the_other(void **state)
{
	unsigned char byte = 1;
	struct ends ends;

	(void)state;
	ends_open(&ends, &small, &small);
	assert_int_equal(nipc_shutdown(ends.a), 0);
	expect_result(ends.b, nipc_recv(ends.b, &byte, 1), 0);
	expect_result(ends.b, nipc_send(ends.b, &byte, 1), 1);
	expect_result(ends.a, nipc_recv(ends.a, &byte, 1), 1);
	ends_close(&ends);
}

static void a_message_that_is_cut_by_a_close_is_epipe(void **state)
{
	unsigned char *bytes = calloc(1, 3 * NIPC_CAPACITY_MIN);
	struct ends ends;

	(void)state;
	ends_open(&ends, &small, &small);
	nipc_set_timeout(ends.a, 0);
	expect_result(ends.a, nipc_send(ends.a, bytes, 3 * NIPC_CAPACITY_MIN), -EAGAIN);
	nipc_close(ends.a);
	expect_result(ends.b, nipc_recv(ends.b, bytes, 3 * NIPC_CAPACITY_MIN), -EPIPE);
	nipc_close(ends.b);
	free(bytes);
}

static void a_channel_leaves_nothing_behind(void **state)
{
	struct ends ends;
	unsigned files, maps;

	(void)state;
	ends_open(&ends, &small, NULL);
	ends_close(&ends);
	files = count_entries("/proc/self/fd");
	maps = count_maps();
	for (unsigned i = 0; i < 50; i++) {
		ends_open(&ends, &small, NULL);
		ends_close(&ends);
	}
	assert_int_equal(count_entries("/proc/self/fd"), files);
	assert_true(count_maps() <= maps + 10);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ends_meet_at_a_name_without_a_file),
		cmocka_unit_test(case_71_case_73_ends_meet_at_a_file_even_a_stale_one),
		cmocka_unit_test(what_is_there_and_is_no_socket_is_left_where_it_is),
		cmocka_unit_test(a_name_that_is_taken_is_refused_in_words),
		cmocka_unit_test(connecting_to_nobody_says_so),
		cmocka_unit_test(accepting_nobody_ends_with_its_time),
		cmocka_unit_test(one_that_says_nothing_holds_up_nobody),
		cmocka_unit_test(case_77_a_region_that_could_end_the_reader_is_refused),
		cmocka_unit_test(a_hello_that_makes_no_sense_is_refused),
		cmocka_unit_test(attributes_that_make_no_sense_are_refused),
		cmocka_unit_test(what_a_call_gives_needs_a_place),
		cmocka_unit_test(case_83_what_was_sent_before_a_close_is_received),
		cmocka_unit_test(a_shut_down_half_leaves_the_other),
		cmocka_unit_test(a_message_that_is_cut_by_a_close_is_epipe),
		cmocka_unit_test(a_channel_leaves_nothing_behind),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
