/*
 * Wake words between threads: with every thread on one processor, where it is the scheduler that
 * comes in between, and on two, where memory order does. A lost wake-up is a test that does not
 * end.
 */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "channels/wake.h"
#include "host/wait.h"
#include "tests/emu/world.h"

enum {
	SENDERS_MAX = 8, /* as in the report of case 58 */
	ROUND_TRIPS = 3000,
};

/* ---- senders, and one receiver that sleeps as often as it can -------------------------------- */

/*
 * In each round every sender sends one message, and the next round begins when the receiver has
 * seen them all: after the last message of a round nobody else wakes the receiver.
 */
struct meeting {
	uint64_t sleeps;            /* the receiver's wake word */
	_Alignas(64) uint64_t seen; /* messages, told to the senders */
	unsigned sender_count;
	uint64_t rounds;
	struct sender {
		_Alignas(64) uint64_t sent;
		struct meeting *meeting;
		pthread_t thread;
		uint64_t random;
	} sender[SENDERS_MAX];
};

/*
 * A point where another thread may come in between: for some instructions, or for as long as it
 * likes.
 */
static void dither(uint64_t *random)
{
	*random = *random * 6364136223846793005 + 1442695040888963407;
	if (*random >> 60 == 0)
		sched_yield();
	for (volatile unsigned i = *random >> 32 & 127; i; i--)
		;
}

static void *run_sender(void *context)
{
	struct sender *sender = context;
	struct meeting *meeting = sender->meeting;

	for (uint64_t round = 1; round <= meeting->rounds; round++) {
		dither(&sender->random);
		nchan_store_release(&sender->sent, round);
		if (nchan_wake_needed(&meeting->sleeps))
			nhost_wake(&meeting->sleeps);
		for (unsigned tries = 0;
			nchan_load_acquire(&meeting->seen) < round * meeting->sender_count; tries++)
			if (tries % 1000 > 100)
				sched_yield();
	}
	return NULL;
}

static uint64_t count_sent(const struct meeting *meeting)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < meeting->sender_count; i++)
		sum += nchan_load_acquire(&meeting->sender[i].sent);
	return sum;
}

static void receive_all(struct meeting *meeting)
{
	uint64_t random = 0;

	while (meeting->seen < meeting->sender_count * meeting->rounds) {
		uint64_t sent = count_sent(meeting);

		if (sent != meeting->seen) {
			nchan_store_release(&meeting->seen, sent);
			continue;
		}
		dither(&random);
		nchan_wake_announce(&meeting->sleeps);
		nhost_fence();
		if (count_sent(meeting) == meeting->seen)
			nhost_sleep(&meeting->sleeps, -1);
		nchan_wake_withdraw(&meeting->sleeps);
	}
}

static void meet(unsigned sender_count, uint64_t rounds)
{
	struct meeting *meeting = aligned_alloc(64, sizeof *meeting);

	assert_non_null(meeting);
	*meeting = (struct meeting){.sender_count = sender_count, .rounds = rounds};
	for (unsigned i = 0; i < sender_count; i++) {
		struct sender *sender = &meeting->sender[i];

		sender->meeting = meeting;
		sender->random = i;
		assert_int_equal(pthread_create(&sender->thread, NULL, run_sender, sender), 0);
	}
	receive_all(meeting);
	for (unsigned i = 0; i < sender_count; i++)
		pthread_join(meeting->sender[i].thread, NULL);
	free(meeting);
}

/* ---- a whole device -------------------------------------------------------------------------- */

static void converse(unsigned cores)
{
	char name[] = "inproc:far=1M,cores=?";
	struct world *world;

	name[sizeof name - 2] = (char)('0' + cores);
	world = world_with_kernels(name);
	for (unsigned core = 0; core < cores; core++)
		world_spawn_echo(world, core, core + 1, 2 * core + 1, 2 * core + 2);
	for (uint64_t i = 0; i < ROUND_TRIPS; i++) {
		unsigned core = (unsigned)(i % cores);

		assert_int_equal(world_round_trip(world, 2 * core + 1, 2 * core + 2, i), 8);
	}
	world_close(world);
}

/* ---- processors ------------------------------------------------------------------------------ */

/* The first `count` that this program may use, for this thread and those that it makes. */
static void use_processors(unsigned count)
{
	cpu_set_t may, use;

	assert_int_equal(sched_getaffinity(0, sizeof may, &may), 0);
	CPU_ZERO(&use);
	for (unsigned cpu = 0; cpu < CPU_SETSIZE && count; cpu++) {
		if (!CPU_ISSET(cpu, &may))
			continue;
		CPU_SET(cpu, &use);
		count--;
	}
	if (count) {
		print_message("skipped: this program may use one processor alone\n");
		skip();
	}
	assert_int_equal(sched_setaffinity(0, sizeof use, &use), 0);
}

static int prepare(void **state)
{
	cpu_set_t *all = malloc(sizeof *all);

	*state = all;
	return !all || !nhost_fence_prepare() || sched_getaffinity(0, sizeof *all, all);
}

static int restore(void **state)
{
	int result = sched_setaffinity(0, sizeof(cpu_set_t), *state);

	free(*state);
	return result;
}

static void last_message_is_seen_on_one_processor_case_58(void **state)
{
	(void)state;
	use_processors(1);
	meet(SENDERS_MAX, 300);
}

static void last_message_is_seen_on_two_processors_case_59(void **state)
{
	(void)state;
	use_processors(2);
	meet(SENDERS_MAX, 300);
	meet(1, 60000);
}

static void device_converses_on_one_processor_case_58(void **state)
{
	(void)state;
	use_processors(1);
	converse(1);
	converse(4);
}

static void device_converses_on_two_processors_case_59(void **state)
{
	(void)state;
	use_processors(2);
	converse(1);
	converse(4);
}

/* ---- how long to spin ------------------------------------------------------------------------ */

static void one_processor_is_never_spun_on(void **state)
{
	struct nhost_spin spin = {.processors = 1, .limit = ~0ull};

	(void)state;
	assert_false(nhost_spin(&spin));
}

static void first_wait_spins_as_long_as_allowed(void **state)
{
	struct nhost_spin spin = {.processors = 2, .limit = ~0ull};

	(void)state;
	assert_true(nhost_spin(&spin));
	spin.began = 0; /* long ago */
	spin.limit = 1;
	assert_false(nhost_spin(&spin));
}

static void long_wait_makes_the_next_spin_shorter_than_a_short_one_does(void **state)
{
	struct nhost_spin after_short = {.processors = 2}, after_long = {.processors = 2};

	(void)state;
	nhost_spin(&after_long);
	after_long.began = 0;
	nhost_spin_found(&after_long);
	for (unsigned tries = 0; tries < 1000 && after_short.limit <= after_long.limit; tries++) {
		nhost_spin(&after_short); /* this thread may lose its processor just here */
		nhost_spin_found(&after_short);
	}
	assert_true(after_short.limit > after_long.limit);
	assert_true(after_long.limit > 0);
}

#define TEST(claim) cmocka_unit_test_setup_teardown(claim, prepare, restore)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(last_message_is_seen_on_one_processor_case_58),
		TEST(last_message_is_seen_on_two_processors_case_59),
		TEST(device_converses_on_one_processor_case_58),
		TEST(device_converses_on_two_processors_case_59),
		cmocka_unit_test(one_processor_is_never_spun_on),
		cmocka_unit_test(first_wait_spins_as_long_as_allowed),
		cmocka_unit_test(long_wait_makes_the_next_spin_shorter_than_a_short_one_does),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
