/* Ops that go on by themselves, event loops, and what a channel says of itself. */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/host/nipc/ends.h"

/* ---- ops ------------------------------------------------------------------------------------- */

static void count_op(struct nipc_op *op)
{
	++*(unsigned *)op->context;
}

static void ops_are_done_in_their_order(void **state)
{
	enum {
		OPS = 20,
		NBYTES = 20000
	};
	static unsigned char out[OPS][NBYTES], in[OPS][NBYTES];
	struct nipc_op sends[OPS], receives[OPS];
	struct iovec from[OPS], to[OPS];
	unsigned sent = 0, received = 0;
	struct ends ends;

	(void)state;
	ends_open(&ends, NULL, NULL);
	for (unsigned i = 0; i < OPS; i++) {
		size_t nbytes = i % 3 ? NBYTES : 1 + i * 10;

		fill_bytes(out[i], nbytes, i);
		from[i] = (struct iovec){out[i], nbytes};
		to[i] = (struct iovec){in[i], NBYTES};
		sends[i] = (struct nipc_op){.done = count_op, .context = &sent};
		receives[i] = (struct nipc_op){.done = count_op, .context = &received};
		expect_result(ends.b, nipc_recv_begin(ends.b, &to[i], 1, NULL, &receives[i]), 0);
		expect_result(ends.a, nipc_send_begin(ends.a, &from[i], 1, NULL, &sends[i]), 0);
	}
	while (received < OPS) {
		assert_true(nipc_progress(ends.a, NIPC_SENDING) >= 0);
		assert_true(nipc_progress(ends.b, NIPC_RECEIVING) >= 0);
	}
	assert_int_equal(sent, OPS);
	for (unsigned i = 0; i < OPS; i++) {
		assert_int_equal(receives[i].result, from[i].iov_len);
		expect_bytes(in[i], from[i].iov_len, i, 0);
	}
	ends_close(&ends);
}

static void an_op_that_has_not_begun_can_be_taken_back(void **state)
{
	unsigned char bytes[1000];
	const struct iovec part = {bytes, sizeof bytes};
	struct nipc_op op = {0};
	struct ends ends;

	(void)state;
	ends_open(&ends, NULL, NULL);
	expect_result(ends.b, nipc_recv_begin(ends.b, &part, 1, NULL, &op), 0);
	expect_result(ends.b, nipc_op_wait(ends.b, &op, 0), -EAGAIN);
	expect_result(ends.b, nipc_op_cancel(ends.b, &op), 0);
	expect_result(ends.b, nipc_op_cancel(ends.b, &op), -EINVAL);
	expect_result(ends.b, nipc_recv_begin(ends.b, &part, 1, NULL, &op), 0);
	nipc_close(ends.b);
	assert_true(nipc_op_is_done(&op));
	assert_int_equal(op.result, -ECANCELED);
	nipc_close(ends.a);
}

/* ---- event loops ----------------------------------------------------------------------------- */

static bool is_readable(int fd)
{
	struct pollfd wanted = {.fd = fd, .events = POLLIN};

	return poll(&wanted, 1, 0) == 1;
}

static void descriptors_say_when_a_call_would_not_wait(void **state)
{
	static unsigned char bytes[40000];
	const struct nipc_how whole = {.mode = NIPC_WHOLE};
	const struct iovec part = {bytes, sizeof bytes};
	struct ends ends;
	int to_read, to_write;

	(void)state;
	ends_open(&ends, NULL, NULL);
	nipc_set_timeout(ends.a, 0);
	to_read = nipc_fd(ends.b, NIPC_RECEIVING);
	to_write = nipc_fd(ends.a, NIPC_SENDING);
	for (unsigned round = 0; round < 3; round++) {
		assert_false(is_readable(to_read));
		assert_true(is_readable(to_write));
		expect_result(ends.a, nipc_send(ends.a, bytes, sizeof bytes), sizeof bytes);
		expect_result(ends.a, nipc_send(ends.a, bytes, 100), 100);
		expect_result(ends.a, nipc_sendv(ends.a, &part, 1, &whole), -EAGAIN);
		assert_true(is_readable(to_read));
		expect_result(ends.b, nipc_recv(ends.b, bytes, sizeof bytes), sizeof bytes);
		assert_true(is_readable(to_read));
		expect_result(ends.b, nipc_recv(ends.b, bytes, sizeof bytes), 100);
	}
	nipc_close(ends.a);
	assert_true(is_readable(to_read));
	expect_result(ends.b, nipc_recv(ends.b, bytes, sizeof bytes), 0);
	nipc_close(ends.b);
}

static void *send_one(void *channel)
{
	static const unsigned char bytes[300];

	nipc_send(channel, bytes, sizeof bytes);
	return NULL;
}

static void a_sleeping_poll_is_woken(void **state)
{
	struct ends ends;
	unsigned char bytes[300];
	struct pollfd wanted = {.events = POLLIN};
	pthread_t thread;

	(void)state;
	ends_open(&ends, NULL, NULL);
	wanted.fd = nipc_fd(ends.b, NIPC_RECEIVING);
	assert_int_equal(pthread_create(&thread, NULL, send_one, ends.a), 0);
	assert_int_equal(poll(&wanted, 1, -1), 1);
	expect_result(ends.b, nipc_recv(ends.b, bytes, sizeof bytes), 300);
	pthread_join(thread, NULL);
	ends_close(&ends);
}

static void explain_names_the_engine_and_counts_agree(void **state)
{
	unsigned char bytes[1000];
	struct nipc_info a, b;
	char text[4096];
	struct ends ends;

	(void)state;
	ends_open(&ends, NULL, NULL);
	expect_result(ends.a, nipc_send(ends.a, bytes, 1000), 1000);
	expect_result(ends.a, nipc_send(ends.a, bytes, 10), 10);
	expect_result(ends.b, nipc_recv(ends.b, bytes, 1000), 1000);
	expect_result(ends.b, nipc_recv(ends.b, bytes, 1000), 10);
	assert_int_equal(nipc_info(ends.a, &a), 0);
	assert_int_equal(nipc_info(ends.b, &b), 0);
	assert_int_equal(a.sent_bytes, 1010);
	assert_int_equal(b.received_bytes, 1010);
	assert_int_equal(a.sent_messages, b.received_messages);
	assert_int_equal(a.small_messages, 1);
	nipc_explain(ends.a, text, sizeof text);
	assert_non_null(strstr(text, "sending: engine "));
	assert_non_null(strstr(text, "receiving: engine "));
	assert_non_null(strstr(text, "region: 65536 bytes"));
	ends_close(&ends);
}

/* ---- where ends run -------------------------------------------------------------------------- */

struct bound {
	int socket, processor;
	struct nipc *channel;
	int result;
};

static bool bind_to(int processor)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(processor, &set);
	return !sched_setaffinity(0, sizeof set, &set);
}

static void *join_bound(void *context)
{
	struct bound *bound = context;

	if (bind_to(bound->processor))
		bound->result = nipc_adopt(bound->socket, NULL, -1, &bound->channel);
	return NULL;
}

/* What an end says of its waiting that is bound to `first`, and its peer to `other`. */
static void explain_bound(int first, int other, char *text, size_t nbytes)
{
	struct bound ends[2] = {
		{.processor = first, .result = -1}, {.processor = other, .result = -1}};
	pthread_t threads[2];
	int sockets[2];

	assert_int_equal(nipc_pair(sockets), 0);
	for (unsigned i = 0; i < 2; i++) {
		ends[i].socket = sockets[i];
		assert_int_equal(pthread_create(&threads[i], NULL, join_bound, &ends[i]), 0);
	}
	for (unsigned i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	for (unsigned i = 0; i < 2; i++)
		assert_int_equal(ends[i].result, 0);
	nipc_explain(ends[0].channel, text, nbytes);
	nipc_close(ends[0].channel);
	nipc_close(ends[1].channel);
}

static void ends_sleep_at_once_where_they_are_bound_to_one_processor(void **state)
{
	int processors[2] = {-1, -1};
	char text[4096];
	cpu_set_t set;

	(void)state;
	assert_int_equal(sched_getaffinity(0, sizeof set, &set), 0);
	for (int i = 0; i < CPU_SETSIZE && processors[1] < 0; i++)
		if (CPU_ISSET(i, &set))
			processors[processors[0] >= 0] = i;
	explain_bound(processors[0], processors[0], text, sizeof text);
	assert_non_null(strstr(text, "sleeps at once"));
	if (processors[1] < 0) {
		print_message("skipped: this program has one processor\n");
		skip();
	}
	explain_bound(processors[0], processors[1], text, sizeof text);
	assert_non_null(strstr(text, "looks for some microseconds"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ops_are_done_in_their_order),
		cmocka_unit_test(an_op_that_has_not_begun_can_be_taken_back),
		cmocka_unit_test(descriptors_say_when_a_call_would_not_wait),
		cmocka_unit_test(a_sleeping_poll_is_woken),
		cmocka_unit_test(explain_names_the_engine_and_counts_agree),
		cmocka_unit_test(ends_sleep_at_once_where_they_are_bound_to_one_processor),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
