/*
 * The scheduler of simulations: it is fair to nobody and the same for the same seed; and what it is
 * there for: a mistake in the order of stores, or in going to sleep, is found within a few seeds.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "channels/fifo.h"
#include "channels/wake.h"
#include "emu/schedule.h"

enum {
	SEEDS = 100,
	MESSAGES = 30,
};

/* ---- a sender (place 1) and the host as receiver, over one FIFO ------------------------------ */

struct wire {
	struct nemu_schedule *schedule;
	struct nchan_pause pause;
	struct nchan_fifo *fifo;
	struct nchan_tx tx;
	struct nchan_rx rx;
	bool head_first;  /* the planted mistake of the sender */
	uint64_t sleeps;  /* the receiver's wake word */
	bool looks_again; /* without it: the planted mistake of the receiver */
};

/* What nchan_tx_put() must not do. */
static void put_head_first(struct nchan_tx *tx, uint64_t head, const uint64_t *payload)
{
	struct nchan_line *slot = &tx->fifo->slot[tx->tail % NCHAN_FIFO_LINES];
	uint64_t stamp = tx->stamp;

	tx->tail++;
	if (tx->tail % NCHAN_FIFO_LINES == 0)
		tx->stamp ^= NCHAN_PHASE;
	nchan_store_release(&slot->head, head | stamp);
	tx->pause->call(tx->pause->context);
	for (unsigned i = 0; i < NCHAN_PAYLOAD_WORDS; i++) {
		nchan_store(&slot->word[i], payload[i]);
		tx->pause->call(tx->pause->context);
	}
}

static void send(struct wire *wire, uint64_t number)
{
	const uint64_t head = nchan_head(NCHAN_DATA, NCHAN_PAYLOAD_BYTES, 1, 0);
	uint64_t payload[NCHAN_PAYLOAD_WORDS];

	for (unsigned i = 0; i < NCHAN_PAYLOAD_WORDS; i++)
		payload[i] = number;
	if (wire->head_first)
		put_head_first(&wire->tx, head, payload);
	else
		nchan_tx_put(&wire->tx, head, payload, NCHAN_PAYLOAD_BYTES);
	if (nchan_wake_needed(&wire->sleeps))
		nemu_schedule_wake(wire->schedule, 0);
}

static void run_sender(void *context)
{
	struct wire *wire = context;

	for (uint64_t number = 1; number <= MESSAGES; number++)
		send(wire, number);
}

static struct wire *wire_open(uint64_t seed)
{
	struct wire *wire = calloc(1, sizeof *wire);

	assert_non_null(wire);
	wire->fifo = aligned_alloc(64, sizeof *wire->fifo);
	assert_non_null(wire->fifo);
	*wire->fifo = (struct nchan_fifo){0};
	assert_int_equal(nemu_schedule_create(seed, false, 1, &wire->schedule), 0);
	assert_int_equal(nemu_schedule_add(wire->schedule, run_sender, wire), 0);
	wire->pause = (struct nchan_pause){nemu_schedule_pause, wire->schedule};
	nchan_tx_init(&wire->tx, wire->fifo, 1, 0);
	nchan_rx_init(&wire->rx, wire->fifo, 1, 0);
	wire->tx.pause = &wire->pause;
	wire->looks_again = true;
	return wire;
}

static void wire_close(struct wire *wire)
{
	nemu_schedule_destroy(wire->schedule);
	free(wire->fifo);
	free(wire);
}

static int sleep_until_lines(struct wire *wire)
{
	int result = 0;

	nemu_schedule_pause(wire->schedule);
	nchan_wake_announce(&wire->sleeps);
	nemu_schedule_pause(wire->schedule);
	if ((!wire->looks_again || !nchan_rx_peek(&wire->rx)) && nchan_load(&wire->sleeps) == 1)
		result = nemu_schedule_host_sleep(wire->schedule, -1);
	nchan_wake_withdraw(&wire->sleeps);
	return result;
}

/*
 * 0: every message came whole and in order. -EPROTO: one did not. -EDEADLK: the receiver sleeps for
 * ever.
 */
static int receive_all(struct wire *wire)
{
	struct nchan_line line;

	for (uint64_t number = 1; number <= MESSAGES; number++) {
		while (!nchan_rx_take(&wire->rx, &line)) {
			int result = sleep_until_lines(wire);

			if (result)
				return result;
		}
		for (unsigned i = 0; i < NCHAN_PAYLOAD_WORDS; i++)
			if (line.word[i] != number)
				return -EPROTO;
	}
	return 0;
}

/* How many seeds end with this result. */
static unsigned count_results(int wanted, bool head_first, bool looks_again)
{
	unsigned count = 0;

	for (uint64_t seed = 0; seed < SEEDS; seed++) {
		struct wire *wire = wire_open(seed);

		wire->head_first = head_first;
		wire->looks_again = looks_again;
		count += receive_all(wire) == wanted;
		wire_close(wire);
	}
	return count;
}

/* ---- claims ---------------------------------------------------------------------------------- */

static void right_order_is_right_for_every_seed(void **state)
{
	(void)state;
	assert_int_equal(count_results(0, false, true), SEEDS);
}

static void head_stored_first_is_found_case_55(void **state)
{
	(void)state;
	assert_in_range(count_results(-EPROTO, true, true), SEEDS / 4, SEEDS);
}

static void sleep_without_second_look_is_found_case_58(void **state)
{
	(void)state;
	assert_in_range(count_results(-EDEADLK, false, false), SEEDS / 20, SEEDS);
}

/* ---- turns, time, sleep ---------------------------------------------------------------------- */

struct player {
	struct nemu_schedule *schedule;
	unsigned turns;
	unsigned turns_wanted;
	bool sleeps;
};

static void play(void *context)
{
	struct player *player = context;

	while (player->turns < player->turns_wanted) {
		player->turns++;
		if (player->sleeps)
			nemu_schedule_sleep(player->schedule);
		else
			nemu_schedule_pause(player->schedule);
	}
}

static void every_core_gets_turns_until_it_ends(void **state)
{
	struct player players[5] = {0};
	struct nemu_schedule *schedule;

	(void)state;
	assert_int_equal(nemu_schedule_create(7, true, 5, &schedule), 0);
	for (unsigned i = 0; i < 5; i++) {
		players[i] = (struct player){.schedule = schedule, .turns_wanted = 100};
		assert_int_equal(nemu_schedule_add(schedule, play, &players[i]), 0);
	}
	while (!nemu_schedule_host_sleep(schedule, -1))
		;
	for (unsigned i = 0; i < 5; i++)
		assert_int_equal(players[i].turns, 100);
	nemu_schedule_destroy(schedule);
}

static void more_cores_than_announced_are_refused(void **state)
{
	struct player player = {0};
	struct nemu_schedule *schedule;

	(void)state;
	assert_int_equal(nemu_schedule_create(7, false, 1, &schedule), 0);
	assert_int_equal(nemu_schedule_add(schedule, play, &player), 0);
	assert_int_equal(nemu_schedule_add(schedule, play, &player), -EINVAL);
	nemu_schedule_destroy(schedule);
}

static void sleeper_runs_again_only_when_woken(void **state)
{
	struct player player = {.turns_wanted = 3, .sleeps = true};
	struct nemu_schedule *schedule;

	(void)state;
	assert_int_equal(nemu_schedule_create(7, false, 1, &schedule), 0);
	player.schedule = schedule;
	assert_int_equal(nemu_schedule_add(schedule, play, &player), 0);
	for (unsigned turns = 1; turns <= 3; turns++) {
		assert_int_equal(nemu_schedule_host_sleep(schedule, -1), -EDEADLK);
		assert_int_equal(player.turns, turns);
		nemu_schedule_wake(schedule, 1);
	}
	nemu_schedule_destroy(schedule);
}

static void time_passes_to_the_deadline_when_all_sleep(void **state)
{
	struct nemu_schedule *schedule;

	(void)state;
	assert_int_equal(nemu_schedule_create(7, false, 0, &schedule), 0);
	assert_int_equal(nemu_schedule_host_sleep(schedule, 5000), -ETIMEDOUT);
	assert_int_equal(nemu_schedule_now(schedule), 5000);
	assert_int_equal(nemu_schedule_host_sleep(schedule, -1), -EDEADLK);
	assert_int_equal(nemu_schedule_now(schedule), 5000);
	nemu_schedule_destroy(schedule);
}

/* A core that never sleeps does not stop the clock. */
static void deadline_passes_while_a_core_is_busy(void **state)
{
	struct player player = {.turns_wanted = ~0u};
	struct nemu_schedule *schedule;

	(void)state;
	assert_int_equal(nemu_schedule_create(7, false, 1, &schedule), 0);
	player.schedule = schedule;
	assert_int_equal(nemu_schedule_add(schedule, play, &player), 0);
	assert_int_equal(nemu_schedule_host_sleep(schedule, 5000), -ETIMEDOUT);
	assert_in_range(nemu_schedule_now(schedule), 5000, 5000 + NEMU_TURN_NS);
	nemu_schedule_destroy(schedule);
}

/* ---- one side is slower ---------------------------------------------------------------------- */

/* How often a core stores a line while the host stores `lines`. */
static unsigned turns_of_core(unsigned slow_host, unsigned slow_cores, unsigned lines)
{
	struct player core = {.turns_wanted = ~0u};
	struct nemu_schedule *schedule;

	assert_int_equal(nemu_schedule_create(7, false, 1, &schedule), 0);
	nemu_schedule_slow_down(schedule, slow_host, slow_cores);
	core.schedule = schedule;
	assert_int_equal(nemu_schedule_add(schedule, play, &core), 0);
	for (unsigned i = 0; i < lines; i++)
		nemu_schedule_host_yield(schedule);
	nemu_schedule_destroy(schedule);
	return core.turns;
}

static void a_slow_host_sees_many_turns_of_the_cores_between_its_own(void **state)
{
	(void)state;
	assert_true(turns_of_core(1000, 1, 100) >= 100 * 999);
}

static void slow_cores_have_few_turns_and_yet_some(void **state)
{
	unsigned turns = turns_of_core(1, 1000, 100 * 1000);

	(void)state;
	assert_true(turns > 0);
	assert_true(turns < turns_of_core(1, 1, 100 * 1000) / 100);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(right_order_is_right_for_every_seed),
		cmocka_unit_test(head_stored_first_is_found_case_55),
		cmocka_unit_test(sleep_without_second_look_is_found_case_58),
		cmocka_unit_test(every_core_gets_turns_until_it_ends),
		cmocka_unit_test(more_cores_than_announced_are_refused),
		cmocka_unit_test(sleeper_runs_again_only_when_woken),
		cmocka_unit_test(time_passes_to_the_deadline_when_all_sleep),
		cmocka_unit_test(deadline_passes_while_a_core_is_busy),
		cmocka_unit_test(a_slow_host_sees_many_turns_of_the_cores_between_its_own),
		cmocka_unit_test(slow_cores_have_few_turns_and_yet_some),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
