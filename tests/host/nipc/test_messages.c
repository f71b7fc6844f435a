/* What is sent is received, byte for byte: every way to send with every way to receive. */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "host/device.h"
#include "host/engine.h"
#include "tests/host/nipc/ends.h"

enum {
	SIZES = 301,
	ALIGNMENTS = 64,
	LARGE = 1 << 20,
};

/* ---- one thread: what fits into the region --------------------------------------------------- */

static void case_103_sizes_0_to_300_at_every_alignment_arrive(void **state)
{
	static unsigned char out[SIZES + ALIGNMENTS], in[SIZES + ALIGNMENTS + 1];
	struct ends ends;

	(void)state;
	ends_open(&ends, NULL, NULL);
	expect_result(ends.a, nipc_send(ends.a, out, 0), -EINVAL);
	for (size_t alignment = 0; alignment < ALIGNMENTS; alignment++)
		for (size_t nbytes = 1; nbytes < SIZES; nbytes++) {
			const size_t other = (alignment * 7 + nbytes) % ALIGNMENTS;

			fill_bytes(out + alignment, nbytes, nbytes);
			in[other + nbytes] = 0xa5;
			expect_result(ends.a, nipc_send(ends.a, out + alignment, nbytes),
				(int64_t)nbytes);
			expect_result(
				ends.b, nipc_recv(ends.b, in + other, nbytes), (int64_t)nbytes);
			expect_bytes(in + other, nbytes, nbytes, 0);
			assert_int_equal(in[other + nbytes], 0xa5);
		}
	ends_close(&ends);
}

static void parts_are_joined_and_split(void **state)
{
	unsigned char out[1000], in[1000];
	struct iovec from[4] = {{out, 0}, {out, 13}, {out + 13, 700}, {out + 713, 287}};
	struct iovec to[3] = {{in, 500}, {in + 500, 1}, {in + 501, 499}};
	struct ends ends;

	(void)state;
	ends_open(&ends, NULL, NULL);
	fill_bytes(out, sizeof out, 1);
	expect_result(ends.a, nipc_sendv(ends.a, from, 4, NULL), 1000);
	expect_result(ends.b, nipc_recvv(ends.b, to, 3, NULL), 1000);
	expect_bytes(in, sizeof in, 1, 0);
	expect_result(ends.a, nipc_sendv(ends.a, from, 2, NULL), 13);
	expect_result(ends.b, nipc_recvv(ends.b, to, 3, NULL), 13);
	expect_bytes(in, 13, 1, 0);
	expect_result(ends.a, nipc_sendv(ends.a, from, NIPC_PARTS_MAX + 1, NULL), -EINVAL);
	ends_close(&ends);
}

static void case_80_a_message_that_is_too_long_for_the_caller_stays(void **state)
{
	unsigned char out[5000], in[5000];
	struct ends ends;

	(void)state;
	ends_open(&ends, NULL, NULL);
	for (size_t nbytes = 100; nbytes <= 5000; nbytes += 4900) {
		fill_bytes(out, nbytes, nbytes);
		expect_result(ends.a, nipc_send(ends.a, out, nbytes), (int64_t)nbytes);
		expect_result(ends.b, nipc_recv(ends.b, in, nbytes - 1), -EMSGSIZE);
		expect_result(ends.b, nipc_next(ends.b), (int64_t)nbytes);
		expect_result(ends.b, nipc_recv(ends.b, in, nbytes), (int64_t)nbytes);
		expect_bytes(in, nbytes, nbytes, 0);
	}
	ends_close(&ends);
}

static void what_is_reserved_is_borrowed_where_it_lies(void **state)
{
	struct nipc_view view;
	struct ends ends;
	void *bytes;

	(void)state;
	ends_open(&ends, NULL, NULL);
	for (uint64_t i = 1; i < 200; i++) {
		const size_t nbytes = i * 299;

		expect_result(ends.a, nipc_reserve(ends.a, nbytes + 50, &bytes), 0);
		assert_int_equal((uintptr_t)bytes % 64, 0);
		expect_result(ends.a, nipc_send(ends.a, &i, sizeof i), -EBUSY);
		fill_bytes(bytes, nbytes, i);
		expect_result(ends.a, nipc_commit(ends.a, nbytes), 0);
		expect_result(ends.b, nipc_borrow(ends.b, &view), (int64_t)nbytes);
		expect_bytes(view.bytes, nbytes, i, 0);
		expect_result(ends.b, nipc_release(ends.b, &view), 0);
		expect_result(ends.b, nipc_release(ends.b, &view), -EINVAL);
	}
	expect_result(ends.a, nipc_commit(ends.a, 1), -EINVAL);
	expect_result(ends.a, nipc_reserve(ends.a, NIPC_CAPACITY_MIN + 1, &bytes), -EMSGSIZE);
	expect_result(ends.a, nipc_reserve(ends.a, NIPC_CAPACITY_MIN, &bytes), 0);
	expect_result(ends.a, nipc_commit(ends.a, 0), 0);
	ends_close(&ends);
}

static void parts_of_a_reservation_are_read_while_the_rest_is_made(void **state)
{
	enum {
		NBYTES = 60000,
		STEP = 12000
	};
	struct nipc_view view[NBYTES / STEP];
	struct ends ends;
	void *bytes;

	(void)state;
	ends_open(&ends, NULL, NULL);
	expect_result(ends.a, nipc_reserve(ends.a, NBYTES, &bytes), 0);
	fill_bytes(bytes, NBYTES, 5);
	for (unsigned i = 0; i < NBYTES / STEP; i++) {
		if (i + 1 < NBYTES / STEP)
			expect_result(ends.a, nipc_commit_part(ends.a, (i + 1) * STEP), 0);
		else
			expect_result(ends.a, nipc_commit(ends.a, NBYTES), 0);
		expect_result(ends.b, nipc_borrow_part(ends.b, &view[i]), STEP);
		assert_int_equal(view[i].offset, i * STEP);
		assert_int_equal(view[i].total, NBYTES);
		expect_bytes(view[i].bytes, STEP, 5, i * STEP);
	}
	for (unsigned i = NBYTES / STEP; i-- > 0;)
		expect_result(ends.b, nipc_release(ends.b, &view[i]), 0);
	expect_result(ends.a, nipc_reserve(ends.a, NIPC_CAPACITY_MIN, &bytes), 0);
	ends_close(&ends);
}

/* ---- two threads ----------------------------------------------------------------------------- */

struct sending {
	struct nipc *channel;
	struct nipc_how how;
	size_t nbytes;
	unsigned count;
	bool reserves;
};

static void *send_all(void *context)
{
	const struct sending *sending = context;
	unsigned char *bytes = malloc(sending->nbytes);
	const struct iovec part = {bytes, sending->nbytes};

	for (unsigned i = 0; i < sending->count; i++) {
		fill_bytes(bytes, sending->nbytes, i);
		if (nipc_sendv(sending->channel, &part, 1, &sending->how) !=
			(int64_t)sending->nbytes)
			break;
	}
	free(bytes);
	nipc_shutdown(sending->channel);
	return NULL;
}

/* Much larger than the region: copied, in every mode, and borrowed in parts. */
static void try_large(const char *engine, const struct nipc_how *how, bool borrows)
{
	const struct nipc_attr attr = {.capacity = NIPC_CAPACITY_MIN, .engine = engine};
	/* A queue has one user. */
	const struct nipc_attr usual = {.capacity = NIPC_CAPACITY_MIN, .engine = "cpu"};
	struct ends ends;
	struct sending sending = {.how = *how, .nbytes = LARGE, .count = 2};
	unsigned char *bytes = malloc(LARGE);
	const struct iovec part = {bytes, LARGE};
	struct nipc_view view;
	pthread_t thread;
	uint64_t at;

	ends_open(&ends, &attr, &usual);
	sending.channel = ends.a;
	assert_int_equal(pthread_create(&thread, NULL, send_all, &sending), 0);
	for (unsigned i = 0; i < sending.count; i++) {
		for (at = 0; borrows && at < LARGE; at += view.nbytes) {
			assert_true(nipc_borrow_part(ends.b, &view) > 0);
			assert_int_equal(view.offset, at);
			expect_bytes(view.bytes, view.nbytes, i, at);
			expect_result(ends.b, nipc_release(ends.b, &view), 0);
			view.nbytes = view.nbytes ? view.nbytes : 1;
		}
		if (borrows)
			continue;
		expect_result(ends.b, nipc_recvv(ends.b, &part, 1, how), LARGE);
		expect_bytes(bytes, LARGE, i, 0);
	}
	expect_result(ends.b, nipc_recv(ends.b, bytes, LARGE), 0);
	pthread_join(thread, NULL);
	ends_close(&ends);
	free(bytes);
}

/* In words, where there is none. `nearside dsa-model` shows one to this program (nipc_dsa). */
static bool has_dsa(void)
{
	struct nhost_engine engine;
	struct nhost_error error;

	if (!nhost_engine_open("dsa", NULL, &engine, &error)) {
		nhost_engine_close(&engine);
		return true;
	}
	print_message("without the engine dsa: %s\n", error.text);
	return false;
}

static void messages_larger_than_the_region_arrive_by_every_engine_in_every_mode(void **state)
{
	const bool dsa = has_dsa();
	struct nipc_how how = {0};

	(void)state;
	for (size_t i = 0; nhost_engines[i]; i++)
		for (how.mode = NIPC_MODE_ANY; how.mode <= NIPC_PIPELINED; how.mode++) {
			how.near = (how.near + 1) % 3;
			if (dsa || strcmp(nhost_engines[i]->name, "dsa") != 0)
				try_large(nhost_engines[i]->name, &how, how.mode == NIPC_WHOLE);
		}
}

static void a_message_larger_than_the_region_is_not_borrowed_whole(void **state)
{
	struct nipc_how how = {0};
	struct sending sending = {.how = how, .nbytes = 2 * NIPC_CAPACITY_MIN, .count = 1};
	unsigned char *bytes = malloc(sending.nbytes);
	struct nipc_view view;
	struct ends ends;
	pthread_t thread;

	(void)state;
	ends_open(&ends, NULL, NULL);
	sending.channel = ends.a;
	assert_int_equal(pthread_create(&thread, NULL, send_all, &sending), 0);
	expect_result(ends.b, nipc_borrow(ends.b, &view), -EMSGSIZE);
	assert_true(nipc_borrow_part(ends.b, &view) > 0);
	expect_result(ends.b, nipc_recv(ends.b, bytes, sending.nbytes), -EBUSY);
	nipc_close(ends.b);
	pthread_join(thread, NULL);
	nipc_close(ends.a);
	free(bytes);
}

/* A copy that an engine makes by itself is announced by who asks how far it has come. */
static int64_t borrow_of_who_sends_now(const struct ends *ends, struct nipc_view *view)
{
	int64_t result;

	nipc_set_timeout(ends->b, 0);
	while ((result = nipc_borrow(ends->b, view)) == -EAGAIN)
		assert_true(nipc_progress(ends->a, NIPC_SENDING) >= 0);
	return result;
}

static void what_cannot_come_while_much_is_borrowed_is_refused(void **state)
{
	unsigned char bytes[40000];
	struct nipc_view first, second;
	struct nipc_how how = {.mode = NIPC_PIPELINED, .chunk_nbytes = 4096};
	const struct iovec part = {bytes, sizeof bytes};
	struct nipc_op op = {0};
	struct ends ends;

	(void)state;
	ends_open(&ends, NULL, NULL);
	fill_bytes(bytes, sizeof bytes, 0);
	expect_result(ends.a, nipc_send(ends.a, bytes, sizeof bytes), sizeof bytes);
	expect_result(ends.b, nipc_borrow(ends.b, &first), sizeof bytes);
	expect_result(ends.a, nipc_send_begin(ends.a, &part, 1, &how, &op), 0);
	expect_result(ends.b, borrow_of_who_sends_now(&ends, &second), -ENOBUFS);
	expect_result(ends.b, nipc_release(ends.b, &first), 0);
	expect_result(ends.b, borrow_of_who_sends_now(&ends, &second), sizeof bytes);
	while (!nipc_op_is_done(&op))
		assert_true(nipc_progress(ends.a, NIPC_SENDING) >= 0);
	expect_bytes(second.bytes, sizeof bytes, 0, 0);
	ends_close(&ends);
}

/* ---- deadlines ------------------------------------------------------------------------------- */

static void case_23_a_message_that_was_cut_off_goes_on_with_the_next_call(void **state)
{
	enum {
		NBYTES = 3 * NIPC_CAPACITY_MIN
	};
	unsigned char *out = malloc(NBYTES), *in = malloc(NBYTES);
	unsigned cuts = 0;
	int64_t sent, received;
	struct ends ends;

	(void)state;
	ends_open(&ends, NULL, NULL);
	nipc_set_timeout(ends.a, 0);
	nipc_set_timeout(ends.b, 0);
	fill_bytes(out, NBYTES, 3);
	expect_result(ends.b, nipc_recv(ends.b, in, NBYTES), -EAGAIN);
	do {
		sent = nipc_send(ends.a, out, NBYTES);
		received = nipc_recv(ends.b, in, NBYTES);
		cuts += sent == -EAGAIN && received == -EAGAIN;
		if (sent == -EAGAIN)
			expect_result(ends.a, nipc_send(ends.a, out, 10), -EBUSY);
	} while (sent == -EAGAIN);
	expect_result(ends.a, sent, NBYTES);
	while (received == -EAGAIN)
		received = nipc_recv(ends.b, in, NBYTES);
	expect_result(ends.b, received, NBYTES);
	expect_bytes(in, NBYTES, 3, 0);
	assert_true(cuts > 0);
	ends_close(&ends);
	free(out);
	free(in);
}

static void a_call_returns_when_its_time_has_passed(void **state)
{
	unsigned char byte;
	struct ends ends;

	(void)state;
	ends_open(&ends, NULL, NULL);
	nipc_set_timeout(ends.b, 1000 * 1000);
	expect_result(ends.b, nipc_recv(ends.b, &byte, 1), -ETIMEDOUT);
	expect_result(ends.b, nipc_next(ends.b), -ETIMEDOUT);
	ends_close(&ends);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(case_103_sizes_0_to_300_at_every_alignment_arrive),
		cmocka_unit_test(parts_are_joined_and_split),
		cmocka_unit_test(case_80_a_message_that_is_too_long_for_the_caller_stays),
		cmocka_unit_test(what_is_reserved_is_borrowed_where_it_lies),
		cmocka_unit_test(parts_of_a_reservation_are_read_while_the_rest_is_made),
		cmocka_unit_test(
			messages_larger_than_the_region_arrive_by_every_engine_in_every_mode),
		cmocka_unit_test(a_message_larger_than_the_region_is_not_borrowed_whole),
		cmocka_unit_test(what_cannot_come_while_much_is_borrowed_is_refused),
		cmocka_unit_test(case_23_a_message_that_was_cut_off_goes_on_with_the_next_call),
		cmocka_unit_test(a_call_returns_when_its_time_has_passed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
