/* npipe_poll() at bulk pipes (nipc.h), alone and beside a device. */
#include <pthread.h>

#include <nearside/nipc.h>

#include "tests/host/nipc/ends.h"
#include "tests/runtime/fake.h"

#define SECOND 1000000000ll

static void *send_byte(void *channel)
{
	nipc_send(channel, "x", 1);
	return NULL;
}

/* Waits while another thread sends. */
static int64_t poll_while_sending(struct npoll *entries, size_t count, struct nipc *sender)
{
	pthread_t thread;
	int64_t result;

	assert_int_equal(pthread_create(&thread, NULL, send_byte, sender), 0);
	result = npipe_poll(entries, count, 60 * SECOND);
	pthread_join(thread, NULL);
	return result;
}

static void the_channel_that_has_a_message_is_found(void **state)
{
	struct ends ends[3];
	struct npoll entries[4] = {{0}};
	char byte;

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		ends_open(&ends[i], NULL, NULL);
		entries[i] = (struct npoll){.channel = ends[i].b, .events = NPOLL_READ};
	}
	assert_int_equal(npipe_poll(entries, 4, 0), -EAGAIN);
	assert_int_equal(npipe_poll(entries, 4, 1000 * 1000), -ETIMEDOUT);
	for (unsigned i = 0; i < 3; i++) {
		assert_int_equal(poll_while_sending(entries, 4, ends[i].a), 1);
		for (unsigned j = 0; j < 3; j++)
			assert_int_equal(entries[j].revents, j == i ? NPOLL_READ : 0);
		assert_int_equal(nipc_recv(ends[i].b, &byte, 1), 1);
	}
	for (unsigned i = 0; i < 3; i++)
		ends_close(&ends[i]);
}

static void room_is_waited_for(void **state)
{
	static unsigned char bytes[NIPC_CAPACITY_MIN];
	struct ends ends;
	struct npoll entry = {.events = NPOLL_WRITE};
	const struct nipc_how whole = {.mode = NIPC_WHOLE};
	const struct iovec part = {bytes, sizeof bytes};

	(void)state;
	ends_open(&ends, NULL, NULL);
	entry.channel = ends.a;
	assert_int_equal(npipe_poll(&entry, 1, 0), 1);
	assert_int_equal(nipc_sendv(ends.a, &part, 1, &whole), sizeof bytes);
	assert_int_equal(npipe_poll(&entry, 1, 1000 * 1000), -ETIMEDOUT);
	assert_int_equal(nipc_recv(ends.b, bytes, sizeof bytes), sizeof bytes);
	assert_int_equal(npipe_poll(&entry, 1, 60 * SECOND), 1);
	assert_int_equal(entry.revents, NPOLL_WRITE);
	ends_close(&ends);
}

static void a_channel_is_waited_for_beside_a_device(void **state)
{
	struct npipe *pipe[2];
	struct ends ends;
	struct npoll entries[2] = {{.events = NPOLL_READ}, {.events = NPOLL_READ}};
	char byte;

	(void)state;
	ends_open(&ends, NULL, NULL);
	assert_int_equal(npipe_create(fake.device, pipe), 0);
	entries[0].end = pipe[0];
	entries[1].channel = ends.b;
	assert_int_equal(npipe_poll(entries, 2, 1000 * 1000), -ETIMEDOUT);
	assert_int_equal(poll_while_sending(entries, 2, ends.a), 1);
	assert_int_equal(entries[0].revents, 0);
	assert_int_equal(entries[1].revents, NPOLL_READ);
	assert_int_equal(nipc_recv(ends.b, &byte, 1), 1);
	assert_int_equal(npipe_write(pipe[1], "x", 1), 1);
	assert_int_equal(npipe_poll(entries, 2, 60 * SECOND), 1);
	assert_int_equal(entries[0].revents, NPOLL_READ);
	assert_int_equal(entries[1].revents, 0);
	ends_close(&ends);
}

static void the_end_of_a_channel_is_reported(void **state)
{
	struct ends ends;
	struct npoll entry = {0};

	(void)state;
	ends_open(&ends, NULL, NULL);
	entry.channel = ends.b;
	assert_int_equal(npipe_poll(&entry, 1, 1000), -ETIMEDOUT);
	nipc_close(ends.a);
	assert_int_equal(npipe_poll(&entry, 1, 60 * SECOND), 1);
	assert_int_equal(entry.revents, NPOLL_HANGUP);
	entry.events = NPOLL_READ;
	assert_int_equal(npipe_poll(&entry, 1, 60 * SECOND), 1);
	assert_int_equal(entry.revents, NPOLL_HANGUP | NPOLL_READ);
	nipc_close(ends.b);
}

static void an_entry_names_one_thing(void **state)
{
	struct npipe *pipe[2];
	struct ends ends;
	struct npoll entry = {0};

	(void)state;
	ends_open(&ends, NULL, NULL);
	assert_int_equal(npipe_create(fake.device, pipe), 0);
	entry.channel = ends.a;
	entry.end = pipe[0];
	assert_int_equal(npipe_poll(&entry, 1, 0), -EINVAL);
	assert_detail("a channel and something else");
	ends_close(&ends);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_channel_that_has_a_message_is_found),
		cmocka_unit_test(room_is_waited_for),
		CLAIM(a_channel_is_waited_for_beside_a_device),
		cmocka_unit_test(the_end_of_a_channel_is_reported),
		CLAIM(an_entry_names_one_thing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
