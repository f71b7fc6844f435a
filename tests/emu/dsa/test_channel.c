/* Run by the model: bulk pipes whose sender copies by DSA. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "host/engine.h"
#include "tests/emu/dsa/under_model.h"
#include "tests/host/nipc/ends.h"

enum {
	MESSAGE = 1 << 20
};

static struct ndsa_control *control;

static void send_one(struct nipc *channel, const struct nipc_how *how, uint64_t seed)
{
	unsigned char *bytes = malloc(MESSAGE);
	const struct iovec part = {bytes, MESSAGE};

	fill_bytes(bytes, MESSAGE, seed);
	expect_result(channel, nipc_sendv(channel, &part, 1, how), MESSAGE);
	free(bytes);
}

static void receive_one(struct nipc *channel, uint64_t seed)
{
	unsigned char *bytes = malloc(MESSAGE);

	expect_result(channel, nipc_recv(channel, bytes, MESSAGE), MESSAGE);
	expect_bytes(bytes, MESSAGE, seed, 0);
	free(bytes);
}

static struct nipc_attr sender(size_t capacity, const char *engine)
{
	return (struct nipc_attr){.capacity = capacity, .engine = engine};
}

static const struct nipc_attr receiver = {.capacity = NIPC_CAPACITY_MIN, .engine = "cpu"};

static void what_the_receiver_uses_late_goes_past_the_cache(void **state)
{
	const unsigned in_cache = (unsigned)(nhost_copy_facts()->lasts_nbytes / MESSAGE), more = 2;
	const struct nipc_attr attr = sender((in_cache + more) * (size_t)MESSAGE, "dsa");
	uint64_t descriptors, to_cache;
	struct ends ends;

	(void)state;
	ends_open(&ends, &attr, &receiver);
	descriptors = ndsa_get(&control->descriptors);
	to_cache = ndsa_get(&control->to_cache);
	for (unsigned i = 0; i < in_cache; i++)
		send_one(ends.a, NULL, i);
	descriptors = ndsa_get(&control->descriptors) - descriptors;
	assert_true(descriptors > 0);
	assert_int_equal(ndsa_get(&control->to_cache) - to_cache, descriptors);
	for (unsigned i = in_cache; i < in_cache + more; i++)
		send_one(ends.a, NULL, i);
	assert_int_equal(ndsa_get(&control->to_cache) - to_cache, descriptors);
	for (unsigned i = 0; i < in_cache + more; i++)
		receive_one(ends.b, i);
	ends_close(&ends);
}

/* A call says by itself who is to copy and where to. */
static void a_wish_of_one_call_is_heard(void **state)
{
	const struct nipc_attr attr = sender(4 * MESSAGE, NULL);
	const struct nipc_how by_cpu = {.engine = NIPC_ENGINE_CPU};
	const struct nipc_how by_dsa = {.engine = NIPC_ENGINE_DSA, .near = NIPC_IN_CACHE};
	const struct nipc_how past = {.engine = NIPC_ENGINE_DSA, .near = NIPC_IN_MEMORY};
	uint64_t descriptors, to_cache;
	struct ends ends;

	(void)state;
	ends_open(&ends, &attr, &receiver);
	descriptors = ndsa_get(&control->descriptors);
	send_one(ends.a, &by_cpu, 1);
	receive_one(ends.b, 1);
	assert_int_equal(ndsa_get(&control->descriptors), descriptors);
	send_one(ends.a, &by_dsa, 2);
	receive_one(ends.b, 2);
	assert_true(ndsa_get(&control->descriptors) > descriptors);
	to_cache = ndsa_get(&control->to_cache);
	send_one(ends.a, &past, 3);
	receive_one(ends.b, 3);
	assert_int_equal(ndsa_get(&control->to_cache), to_cache);
	ends_close(&ends);
}

/* The engine `auto` learns from that what its caller's time is worth. */
static void who_waits_for_its_message_is_known_to_wait(void **state)
{
	const struct nipc_attr attr = sender(4 * MESSAGE, NULL);
	const struct nipc_how by_dsa = {.engine = NIPC_ENGINE_DSA};
	char text[4096];
	struct ends ends;

	(void)state;
	ends_open(&ends, &attr, &receiver);
	for (unsigned i = 0; i < 20; i++) {
		send_one(ends.a, &by_dsa, i);
		receive_one(ends.b, i);
	}
	nipc_explain(ends.a, text, sizeof text);
	if (!strstr(text, "the caller waits"))
		fail_msg("%s", text);
	ends_close(&ends);
}

/* The last test: the device stays halted. */
static void case_16_case_25_a_channel_goes_on_when_its_device_halts(void **state)
{
	const struct nipc_attr attr = sender(4 * MESSAGE, "dsa");
	char text[4096];
	struct ends ends;

	(void)state;
	ends_open(&ends, &attr, &receiver);
	ndsa_set(&control->halt_after, 6);
	for (unsigned i = 0; i < 5; i++) {
		send_one(ends.a, NULL, i);
		receive_one(ends.b, i);
	}
	nipc_explain(ends.a, text, sizeof text);
	if (!strstr(text, "abandoned") || !strstr(text, "halted"))
		fail_msg("%s", text);
	ends_close(&ends);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_the_receiver_uses_late_goes_past_the_cache),
		cmocka_unit_test(a_wish_of_one_call_is_heard),
		cmocka_unit_test(who_waits_for_its_message_is_known_to_wait),
		cmocka_unit_test(case_16_case_25_a_channel_goes_on_when_its_device_halts),
	};

	control = under_model();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
