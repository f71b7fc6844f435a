/* What a call returns that cannot be done, and what is said about it. Two ends, one process. */
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "host/engine.h"
#include "host/nipc/region.h"
#include "host/nipc/socket.h"
#include "tests/host/nipc/ends.h"

#define SECOND 1000000000ll

enum {
	FIRST_FREE = 3 /* descriptor */
};

static const struct nipc_attr small = {.capacity = NIPC_CAPACITY_MIN};

/* A call's result, and words that nipc_detail() must have behind it. */
static void expect_words(struct nipc *channel, int64_t result, int64_t expected, const char *words)
{
	char detail[512];

	nipc_detail(channel, detail, sizeof detail);
	if (result != expected || !strstr(detail, words))
		fail_msg("%lld, not %lld, or '%s' lacks '%s'", (long long)result,
			(long long)expected, detail, words);
}

/* The same of making an end of a socket. */
static void expect_adopt(int socket, const struct nipc_attr *attr, int64_t timeout_ns, int expected,
	const char *words)
{
	struct nipc *channel;
	int result = nipc_adopt(socket, attr, timeout_ns, &channel);

	expect_words(channel, result, expected, words);
	nipc_close(channel);
}

static const char *own_name(void)
{
	static char name[64];

	snprintf(name, sizeof name, "test-failures-%d", (int)getpid());
	return name;
}

/* ---- words ----------------------------------------------------------------------------------- */

static void sending_to_one_that_has_gone_says_so(void **state)
{
	const struct iovec part = {(void *)(uintptr_t)"12345678", 8};
	unsigned char bytes[1000] = {1};
	struct nipc_op op = {0};
	struct ends ends;
	void *place;

	(void)state;
	ends_open(&ends, NULL, NULL);
	expect_words(ends.a, nipc_send(ends.a, bytes, 0), -EINVAL, "at least one byte");
	assert_int_equal(nipc_reserve(ends.a, 100, &place), 0);
	nipc_close(ends.b);
	expect_words(ends.a, nipc_commit(ends.a, 1000), -EINVAL, "only 100 bytes");
	expect_words(ends.a, nipc_commit(ends.a, 100), -EPIPE, "has gone");
	expect_words(ends.a, nipc_commit(ends.a, 100), -EINVAL, "nothing is reserved");
	expect_words(ends.a, nipc_send(ends.a, bytes, sizeof bytes), -EPIPE, "has gone");
	expect_words(ends.a, nipc_send(ends.a, bytes, 0), -EINVAL, "at least one byte");
	expect_words(ends.a, nipc_reserve(ends.a, 100, &place), -EPIPE, "has gone");
	assert_null(place);
	expect_words(ends.a, nipc_commit(ends.a, 100), -EINVAL, "nothing is reserved");
	expect_words(ends.a, nipc_send_begin(ends.a, &part, 1, NULL, &op), -EPIPE, "has gone");
	nipc_close(ends.a);
}

static void an_op_that_is_cut_off_says_why(void **state)
{
	const size_t nbytes = 3 * NIPC_CAPACITY_MIN;
	unsigned char *bytes = calloc(1, nbytes), *in = malloc(nbytes);
	const struct iovec from = {bytes, nbytes}, to = {in, nbytes};
	struct nipc_op sent = {0}, received = {0};
	struct ends ends;

	(void)state;
	ends_open(&ends, NULL, NULL);
	assert_int_equal(nipc_send_begin(ends.a, &from, 1, NULL, &sent), 0);
	assert_int_equal(nipc_recv_begin(ends.b, &to, 1, NULL, &received), 0);
	nipc_close(ends.a);
	expect_result(ends.b, sent.result, -ECANCELED);
	expect_words(ends.b, nipc_release(ends.b, &(struct nipc_view){0}), -EINVAL, "not out");
	expect_words(ends.b, nipc_op_wait(ends.b, &received, SECOND), -EPIPE, "in the midst of");
	nipc_close(ends.b);
	free(bytes);
	free(in);
}

/* A channel whose peer is this test, with a region that can be written. */
struct forged {
	struct ipc_region region;
	struct nipc *channel;
	int fds[IPC_HELLO_FDS], socket;
};

static int forge(struct forged *forged, const struct nipc_attr *attr)
{
	const struct ipc_region_wish wish = {NIPC_CAPACITY_MIN, false, false};
	struct ipc_hello hello = {.magic = IPC_MAGIC, .version = IPC_VERSION};
	struct nhost_error error;
	int sockets[2], result;

	forged->fds[0] = ipc_region_create(&forged->region, &wish, &error);
	forged->fds[1] = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	assert_true(forged->fds[0] >= 0 && forged->fds[1] >= 0);
	hello.slots = forged->region.slots;
	hello.header_nbytes = forged->region.header_nbytes;
	hello.capacity = forged->region.capacity;
	assert_int_equal(nipc_pair(sockets), 0);
	forged->socket = sockets[0];
	assert_int_equal(ipc_socket_greet(sockets[0], &hello, forged->fds, &error), 0);
	result = nipc_adopt(sockets[1], attr, 0, &forged->channel);
	return result;
}

static void unforge(struct forged *forged)
{
	nipc_close(forged->channel);
	close(forged->socket);
	close(forged->fds[0]);
	close(forged->fds[1]);
	ipc_region_destroy(&forged->region);
}

static void a_broken_protocol_is_told_each_time(void **state)
{
	struct forged forged;
	struct nipc *channel;
	unsigned char byte = 0;

	(void)state;
	assert_int_equal(forge(&forged, &small), 0);
	channel = forged.channel;
	ipc_region_lines(&forged.region)[0].head = ipc_head((enum ipc_kind)7, 1, 1) | 1;
	expect_words(channel, nipc_recv(channel, &byte, 1), -EPROTO, "of no kind");
	expect_words(channel, nipc_send(channel, &byte, 0), -EINVAL, "at least one byte");
	expect_words(channel, nipc_recv(channel, &byte, 1), -EPROTO, "of no kind");
	expect_words(channel, nipc_send(channel, &byte, 0), -EINVAL, "at least one byte");
	expect_words(channel, nipc_send(channel, &byte, 1), -EPROTO, "of no kind");
	unforge(&forged);
}

static void accepting_nobody_says_so_and_whom_it_turned_away(void **state)
{
	struct nipc_listener *listener;
	struct nhost_error error;
	struct nipc *channel;
	char detail[512];
	int stranger;

	(void)state;
	assert_int_equal(nipc_listen(own_name(), &small, &listener), 0);
	stranger = ipc_socket_connect(own_name(), 0, &error);
	assert_int_equal(send(stranger, "hello", 5, 0), 5);
	assert_int_equal(nipc_accept(listener, 0, &channel), -EAGAIN);
	nipc_listener_detail(listener, detail, sizeof detail);
	assert_non_null(strstr(detail, "nobody connected"));
	assert_non_null(strstr(detail, "no end of a channel"));
	assert_int_equal(nipc_accept(listener, 1000 * 1000, &channel), -ETIMEDOUT);
	nipc_listener_detail(listener, detail, sizeof detail);
	assert_non_null(strstr(detail, "nobody connected"));
	assert_null(strstr(detail, "no end of a channel"));
	nipc_listener_close(listener);
	close(stranger);
}

/* ---- arguments ------------------------------------------------------------------------------- */

static void an_unknown_way_to_move_a_message_is_refused(void **state)
{
	const struct nipc_how hows[] = {{.engine = 4}, {.mode = 3}, {.near = 3}};
	struct iovec part = {(void *)(uintptr_t)"12345678", 8};
	struct nipc_op op = {0};
	struct ends ends;

	(void)state;
	ends_open(&ends, NULL, NULL);
	for (unsigned i = 0; i < 3; i++) {
		const struct nipc_how *how = &hows[i];

		expect_words(ends.a, nipc_sendv(ends.a, &part, 1, how), -EINVAL, "nipc_how");
		expect_words(ends.a, nipc_recvv(ends.a, &part, 1, how), -EINVAL, "nipc_how");
		expect_words(
			ends.a, nipc_send_begin(ends.a, &part, 1, how, &op), -EINVAL, "nipc_how");
	}
	ends_close(&ends);
}

static void names_of_up_to_96_bytes_are_taken(void **state)
{
	struct nipc_listener *listener;
	char name[NIPC_NAME_MAX + 2], detail[512];
	struct nipc *channel;
	int result;

	(void)state;
	memset(name, 'n', sizeof name);
	snprintf(name, sizeof name, "%-*d", NIPC_NAME_MAX, (int)getpid());
	assert_int_equal(strlen(name), 96);
	assert_int_equal(nipc_listen(name, &small, &listener), 0);
	nipc_listener_close(listener);
	strcat(name, "x");
	assert_int_equal(nipc_listen(name, &small, &listener), -ENAMETOOLONG);
	assert_non_null(strstr(nipc_listener_detail(listener, detail, sizeof detail), "96 bytes"));
	nipc_listener_close(listener);
	result = nipc_connect(name, &small, 0, &channel);
	expect_words(channel, result, -ENAMETOOLONG, "96 bytes");
	nipc_close(channel);
}

static void an_engine_that_is_not_there_is_named_when_it_is_asked_for(void **state)
{
	struct nipc_attr attr = {.capacity = NIPC_CAPACITY_MIN, .engine = "warp"};
	struct nipc_listener *listener;
	struct forged forged;
	char detail[512];

	(void)state;
	assert_int_equal(nipc_listen(own_name(), &attr, &listener), -EINVAL);
	assert_non_null(strstr(nipc_listener_detail(listener, detail, sizeof detail), "warp"));
	nipc_listener_close(listener);
	assert_int_equal(forge(&forged, &attr), -EINVAL);
	expect_words(forged.channel, 0, 0, "warp");
	unforge(&forged);
}

/* The peer is not told of a channel that will be gone at once. */
static void an_engine_that_cannot_be_used_is_refused_before_the_peer_hears_of_a_channel(
	void **state)
{
	const struct nipc_attr attr = {.capacity = NIPC_CAPACITY_MIN, .engine = "dsa"};
	char detail[4096];
	int sockets[2];

	(void)state;
	if (nhost_dsa_explain(detail, sizeof detail)) {
		print_message("skipped: this machine has a DSA\n");
		skip();
	}
	assert_int_equal(nipc_pair(sockets), 0);
	expect_adopt(sockets[0], &attr, 0, -ENODEV, "DSA");
	expect_adopt(sockets[1], &small, -1, -ECONNRESET, "gone");
}

static void a_descriptor_that_is_no_socket_is_refused(void **state)
{
	int ends[2];

	(void)state;
	assert_int_equal(pipe(ends), 0);
	expect_adopt(ends[0], &small, 0, -EINVAL, "no Unix socket");
	close(ends[1]);
}

static void an_end_that_nobody_joins_is_eagain_without_time(void **state)
{
	int sockets[2];

	(void)state;
	assert_int_equal(nipc_pair(sockets), 0);
	expect_adopt(sockets[0], &small, 0, -EAGAIN, "accepted");
	close(sockets[1]);
	assert_int_equal(nipc_pair(sockets), 0);
	expect_adopt(sockets[0], &small, 1000, -ETIMEDOUT, "accepted");
	close(sockets[1]);
}

/* ---- what stands in the way ------------------------------------------------------------------ */

static void a_half_is_shut_down_when_nothing_is_under_way(void **state)
{
	struct ends ends;
	void *place;
	char byte = 1;

	(void)state;
	ends_open(&ends, NULL, NULL);
	assert_int_equal(nipc_reserve(ends.a, 100, &place), 0);
	expect_words(ends.a, nipc_shutdown(ends.a), -EBUSY, "reservation");
	assert_int_equal(nipc_commit(ends.a, 0), 0);
	assert_int_equal(nipc_shutdown(ends.a), 0);
	expect_words(ends.a, nipc_send(ends.a, &byte, 1), -EPIPE, "shut down");
	expect_words(ends.a, nipc_reserve(ends.a, 100, &place), -EPIPE, "shut down");
	expect_result(ends.b, nipc_recv(ends.b, &byte, 1), 0);
	ends_close(&ends);
}

/* Lines of a region: more views than that cannot be out. */
static void who_borrows_without_end_is_told_to_release(void **state)
{
	enum {
		LINES = 1024,
		NBYTES = 5000
	};
	struct nipc_view *views = calloc(LINES, sizeof *views), more;
	const struct nipc_attr large = {.capacity = 16 << 20};
	unsigned char bytes[NBYTES];
	struct ends ends;

	(void)state;
	ends_open(&ends, &large, NULL);
	for (unsigned i = 0; i < LINES; i++) {
		fill_bytes(bytes, NBYTES, i);
		expect_result(ends.a, nipc_send(ends.a, bytes, NBYTES), NBYTES);
		expect_result(ends.b, nipc_borrow(ends.b, &views[i]), NBYTES);
	}
	expect_words(ends.b, nipc_borrow(ends.b, &more), -ENOBUFS, "release");
	expect_words(ends.b, nipc_borrow_part(ends.b, &more), -ENOBUFS, "release");
	expect_words(ends.b, nipc_recv(ends.b, bytes, NBYTES), -ENOBUFS, "release");
	expect_words(ends.b, nipc_next(ends.b), -ENOBUFS, "release");
	for (unsigned i = 0; i < LINES; i++) {
		expect_bytes(views[i].bytes, NBYTES, i, 0);
		assert_int_equal(nipc_release(ends.b, &views[i]), 0);
	}
	expect_result(ends.a, nipc_send(ends.a, bytes, NBYTES), NBYTES);
	expect_result(ends.b, nipc_recv(ends.b, bytes, NBYTES), NBYTES);
	ends_close(&ends);
	free(views);
}

/* It would wait for what can only come when this thread releases. */
static void a_message_that_cannot_come_beside_what_is_borrowed_is_not_waited_for(void **state)
{
	const size_t nbytes = NIPC_CAPACITY_MIN * 3 / 4;
	unsigned char *bytes = malloc(nbytes);
	const struct iovec part = {bytes, nbytes};
	struct nipc_op op = {0};
	struct nipc_view view;
	struct ends ends;

	(void)state;
	ends_open(&ends, NULL, NULL);
	fill_bytes(bytes, nbytes, 5);
	expect_result(ends.a, nipc_send(ends.a, bytes, nbytes), (int64_t)nbytes);
	expect_result(ends.b, nipc_borrow(ends.b, &view), (int64_t)nbytes);
	assert_int_equal(nipc_send_begin(ends.a, &part, 1, NULL, &op), 0);
	expect_words(ends.b, nipc_recv(ends.b, bytes, nbytes), -ENOBUFS, "release");
	assert_int_equal(nipc_release(ends.b, &view), 0);
	nipc_progress(ends.a, NIPC_SENDING);
	assert_true(nipc_op_is_done(&op));
	expect_result(ends.b, nipc_recv(ends.b, bytes, nbytes), (int64_t)nbytes);
	expect_bytes(bytes, nbytes, 5, 0);
	ends_close(&ends);
	free(bytes);
}

static void who_has_borrowed_all_of_the_region_in_parts_is_told_to_release(void **state)
{
	const size_t nbytes = NIPC_CAPACITY_MIN * 2;
	unsigned char *bytes = calloc(1, nbytes);
	const struct iovec part = {bytes, nbytes};
	struct nipc_op op = {0};
	struct nipc_view views[NIPC_CAPACITY_MIN / 1024];
	int64_t out = 0;
	unsigned count = 0;
	struct ends ends;

	(void)state;
	ends_open(&ends, NULL, NULL);
	nipc_set_timeout(ends.b, SECOND);
	assert_int_equal(nipc_send_begin(ends.a, &part, 1, NULL, &op), 0);
	while (out < NIPC_CAPACITY_MIN && count < sizeof views / sizeof *views) {
		nipc_progress(ends.a, NIPC_SENDING);
		assert_true(nipc_borrow_part(ends.b, &views[count]) > 0);
		out += (int64_t)views[count++].nbytes;
	}
	expect_words(ends.b, nipc_borrow_part(ends.b, &views[count]), -ENOBUFS, "release");
	while (count)
		assert_int_equal(nipc_release(ends.b, &views[--count]), 0);
	nipc_progress(ends.a, NIPC_SENDING);
	assert_true(nipc_borrow_part(ends.b, &views[0]) > 0);
	ends_close(&ends);
	free(bytes);
}

static void a_message_that_is_there_is_received_whatever_is_borrowed(void **state)
{
	enum {
		BORROWED = 35392,
		RECEIVED = 30000 /* in two pieces; both fit exactly */
	};
	unsigned char bytes[BORROWED];
	struct nipc_view view;
	struct ends ends;

	(void)state;
	ends_open(&ends, NULL, NULL);
	fill_bytes(bytes, BORROWED, 1);
	expect_result(ends.a, nipc_send(ends.a, bytes, BORROWED), BORROWED);
	expect_result(ends.b, nipc_borrow(ends.b, &view), BORROWED);
	fill_bytes(bytes, RECEIVED, 2);
	expect_result(ends.a, nipc_send(ends.a, bytes, RECEIVED), RECEIVED);
	expect_result(ends.b, nipc_recv(ends.b, bytes, RECEIVED), RECEIVED);
	expect_bytes(bytes, RECEIVED, 2, 0);
	expect_bytes(view.bytes, BORROWED, 1, 0);
	ends_close(&ends);
}

/* ---- limits ---------------------------------------------------------------------------------- */

static void expect_limit(
	int which, rlim_t soft, const struct nipc_attr *attr, int expected, const char *words)
{
	struct rlimit before, low;
	struct nipc *channel;
	int sockets[2], result;

	assert_int_equal(getrlimit(which, &before), 0);
	low = (struct rlimit){soft, before.rlim_max};
	assert_int_equal(nipc_pair(sockets), 0);
	assert_int_equal(setrlimit(which, &low), 0);
	result = nipc_adopt(sockets[0], attr, 0, &channel);
	assert_int_equal(setrlimit(which, &before), 0);
	expect_words(channel, result, expected, words);
	nipc_close(channel);
	close(sockets[1]);
}

static void case_79_a_limit_that_is_met_is_named(void **state)
{
	const struct nipc_attr large = {.capacity = (size_t)1 << 36};

	(void)state;
	expect_limit(RLIMIT_FSIZE, 1 << 16, &small, -ENOMEM, "ulimit -f");
	expect_limit(RLIMIT_FSIZE, 1 << 20, &large, -ENOMEM, "capacity");
	/* Each descriptor that an end needs, but for the peer's two, behind the pair. */
	for (unsigned more = 0; more < 7; more++)
		expect_limit(RLIMIT_NOFILE, FIRST_FREE + 2 + more, &small, -EMFILE, "ulimit -n");
	expect_limit(RLIMIT_NOFILE, FIRST_FREE + 2 + 7, &small, -EAGAIN, "accepted");
}

static void case_79_no_descriptors_for_a_pair_or_a_listener_are_named(void **state)
{
	struct rlimit before, low;
	struct nipc_listener *listener;
	char detail[512];
	int sockets[2];

	(void)state;
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
	low = (struct rlimit){FIRST_FREE, before.rlim_max};
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &low), 0);
	assert_int_equal(nipc_pair(sockets), -EMFILE);
	assert_int_equal(sockets[0], -1);
	assert_int_equal(nipc_listen(own_name(), &small, &listener), -EMFILE);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
	assert_non_null(strstr(nipc_listener_detail(listener, detail, sizeof detail), "ulimit -n"));
	nipc_listener_close(listener);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sending_to_one_that_has_gone_says_so),
		cmocka_unit_test(an_op_that_is_cut_off_says_why),
		cmocka_unit_test(a_broken_protocol_is_told_each_time),
		cmocka_unit_test(accepting_nobody_says_so_and_whom_it_turned_away),
		cmocka_unit_test(an_unknown_way_to_move_a_message_is_refused),
		cmocka_unit_test(names_of_up_to_96_bytes_are_taken),
		cmocka_unit_test(an_engine_that_is_not_there_is_named_when_it_is_asked_for),
		cmocka_unit_test(
			an_engine_that_cannot_be_used_is_refused_before_the_peer_hears_of_a_channel),
		cmocka_unit_test(a_descriptor_that_is_no_socket_is_refused),
		cmocka_unit_test(an_end_that_nobody_joins_is_eagain_without_time),
		cmocka_unit_test(a_half_is_shut_down_when_nothing_is_under_way),
		cmocka_unit_test(who_borrows_without_end_is_told_to_release),
		cmocka_unit_test(
			a_message_that_cannot_come_beside_what_is_borrowed_is_not_waited_for),
		cmocka_unit_test(who_has_borrowed_all_of_the_region_in_parts_is_told_to_release),
		cmocka_unit_test(a_message_that_is_there_is_received_whatever_is_borrowed),
		cmocka_unit_test(case_79_a_limit_that_is_met_is_named),
		cmocka_unit_test(case_79_no_descriptors_for_a_pair_or_a_listener_are_named),
	};

	/* What whoever started this left open would take part in the limits. */
	closefrom(FIRST_FREE);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
