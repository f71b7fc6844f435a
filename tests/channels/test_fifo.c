/*
 * test_fifo.c - lines, FIFOs and cursors.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "channels/fifo.h"

/* One direction, with both of its sides. */
struct pair {
	struct nchan_fifo fifo;
	struct nchan_tx tx;
	struct nchan_rx rx;
};

static void open_pair(struct pair *pair, unsigned generation, uint64_t start)
{
	memset(&pair->fifo, 0, sizeof(pair->fifo));
	nchan_tx_init(&pair->tx, &pair->fifo, generation, start);
	nchan_rx_init(&pair->rx, &pair->fifo, generation, start);
}

static void put(struct pair *pair, uint64_t value)
{
	uint64_t payload[NCHAN_PAYLOAD_WORDS];

	for (unsigned i = 0; i < NCHAN_PAYLOAD_WORDS; i++)
		payload[i] = value + i;
	nchan_tx_put(&pair->tx, nchan_head(NCHAN_DATA, 56, 5, 0), payload, NCHAN_PAYLOAD_BYTES);
}

static void put_cursor(struct pair *pair)
{
	uint64_t consumed = 0;

	nchan_tx_put(&pair->tx, nchan_head(NCHAN_CURSOR, 0, 0, 0), &consumed, sizeof(consumed));
}

static void take(struct pair *pair, uint64_t value)
{
	struct nchan_line line;

	assert_true(nchan_rx_take(&pair->rx, &line));
	for (unsigned i = 0; i < NCHAN_PAYLOAD_WORDS; i++)
		assert_int_equal(line.word[i], value + i);
}

static void report(struct pair *pair)
{
	assert_true(nchan_tx_reported(&pair->tx, nchan_rx_report(&pair->rx)));
}

static void head_gives_back_what_it_was_made_of(void **state)
{
	uint64_t head = nchan_head(NCHAN_LOG, 56, NCHAN_PIPE_MAX, NCHAN_ARG_MAX);

	(void)state;
	assert_int_equal(nchan_head_kind(head), NCHAN_LOG);
	assert_int_equal(nchan_head_length(head), 56);
	assert_int_equal(nchan_head_pipe(head), NCHAN_PIPE_MAX);
	assert_int_equal(nchan_head_arg(head), NCHAN_ARG_MAX);
	assert_int_equal(nchan_head_phase(head), 0);
	assert_int_equal(nchan_head_generation(head), 0);
}

static void empty_fifo_has_no_line(void **state)
{
	struct pair pair;
	struct nchan_line line;

	(void)state;
	open_pair(&pair, 1, 0);
	assert_false(nchan_rx_take(&pair.rx, &line));
	put(&pair, 1);
	take(&pair, 1);
	assert_false(nchan_rx_take(&pair.rx, &line));
}

/* Far past the end of 32-bit counts and of 64-bit ones: lines keep their order over many passes (case_61). */
static void case_61_lines_pass_counters_near_2_to_31_32_63_and_64(void **state)
{
	const uint64_t near[] = {0, 1ull << 31, 1ull << 32, 1ull << 63, 0};
	struct pair pair;

	(void)state;
	for (unsigned n = 0; n < sizeof(near) / sizeof(near[0]); n++) {
		open_pair(&pair, 3, n ? near[n] - 100 : 0);
		for (uint64_t i = 0; i < 1000; i++) {
			assert_true(nchan_tx_room(&pair.tx) > 0);
			put(&pair, i);
			take(&pair, i);
			if (nchan_rx_report_due(&pair.rx, false))
				report(&pair);
		}
	}
}

static void the_last_slot_is_for_a_cursor(void **state)
{
	struct pair pair;

	(void)state;
	open_pair(&pair, 1, 0);
	for (unsigned i = 0; i < NCHAN_FIFO_LINES - 1; i++)
		put(&pair, i);
	assert_int_equal(nchan_tx_room(&pair.tx), 0);
	assert_true(nchan_tx_room_for_cursor(&pair.tx));
	put_cursor(&pair);
	assert_false(nchan_tx_room_for_cursor(&pair.tx));
	assert_int_equal(nchan_tx_room(&pair.tx), 0);
}

static void a_quarter_is_reported_without_being_asked(void **state)
{
	struct pair pair;

	(void)state;
	open_pair(&pair, 1, 0);
	for (unsigned i = 0; i < NCHAN_FIFO_QUARTER; i++) {
		assert_false(nchan_rx_report_due(&pair.rx, false));
		put(&pair, i);
		take(&pair, i);
	}
	assert_true(nchan_rx_report_due(&pair.rx, false));
}

static void fewer_lines_are_reported_before_sleep_or_when_asked(void **state)
{
	struct pair pair;

	(void)state;
	open_pair(&pair, 1, 0);
	put(&pair, 1);
	take(&pair, 1);
	assert_true(nchan_rx_report_due(&pair.rx, true));
	assert_false(nchan_rx_report_due(&pair.rx, false));
	nchan_tx_ask(&pair.tx);
	assert_true(nchan_rx_report_due(&pair.rx, false));
	report(&pair);
	assert_false(nchan_rx_report_due(&pair.rx, true));
}

/* A producer that needs room for many lines hears of every step until all that it had stored is reported. */
/* One report for all that it waits for, not one for each line. */
static void a_waiting_producer_is_told_when_all_is_taken(void **state)
{
	struct pair pair;

	(void)state;
	open_pair(&pair, 1, 0);
	for (unsigned i = 0; i < 10; i++)
		put(&pair, i);
	nchan_tx_ask(&pair.tx);
	for (unsigned i = 0; i < 10; i++) {
		assert_false(nchan_rx_report_due(&pair.rx, false));
		take(&pair, i);
	}
	assert_true(nchan_rx_report_due(&pair.rx, false));
	report(&pair);
	put(&pair, 10);
	take(&pair, 10);
	assert_false(nchan_rx_report_due(&pair.rx, false));
}

/* Else two idle sides would report each other's reports for ever. */
static void cursors_alone_are_not_reported_before_sleep(void **state)
{
	struct nchan_line line;
	struct pair pair;

	(void)state;
	open_pair(&pair, 1, 0);
	put_cursor(&pair);
	assert_true(nchan_rx_take(&pair.rx, &line));
	assert_false(nchan_rx_report_due(&pair.rx, true));
	for (unsigned i = 1; i < NCHAN_FIFO_QUARTER; i++) {
		put_cursor(&pair);
		assert_true(nchan_rx_take(&pair.rx, &line));
	}
	assert_true(nchan_rx_report_due(&pair.rx, true));
}

/* A report of more than was sent, or of less than before, must not make room (case_53, case_64). */
static void case_53_case_64_impossible_reports_are_refused(void **state)
{
	struct pair pair;

	(void)state;
	open_pair(&pair, 1, 1000);
	for (unsigned i = 0; i < 10; i++)
		put(&pair, i);
	assert_true(nchan_tx_reported(&pair.tx, 1005));
	assert_false(nchan_tx_reported(&pair.tx, 1011));
	assert_false(nchan_tx_reported(&pair.tx, 1004));
	assert_false(nchan_tx_reported(&pair.tx, 0));
	assert_false(nchan_tx_reported(&pair.tx, UINT64_MAX));
	assert_int_equal(nchan_tx_room(&pair.tx), NCHAN_FIFO_LINES - 1 - 5);
}

/* A slot that still holds a line of an earlier life of the device is empty (case_52). */
static void case_52_lines_of_another_generation_are_not_seen(void **state)
{
	struct nchan_line line;
	struct pair pair;

	(void)state;
	open_pair(&pair, 1, 0);
	for (unsigned i = 0; i < 20; i++)
		put(&pair, i);
	nchan_tx_init(&pair.tx, &pair.fifo, 2, 0);
	nchan_rx_init(&pair.rx, &pair.fifo, 2, 0);
	assert_false(nchan_rx_take(&pair.rx, &line));
	put(&pair, 100);
	take(&pair, 100);
	assert_false(nchan_rx_take(&pair.rx, &line));
}

/* The reset itself, a million times over the same slots. */
static void case_52_a_million_resets_lose_nothing(void **state)
{
	struct nchan_line line;
	struct pair pair;

	(void)state;
	open_pair(&pair, 1, 0);
	for (unsigned i = 0; i < 1000000; i++) {
		unsigned generation = 1 + i % NCHAN_GENERATION_MAX;

		nchan_tx_init(&pair.tx, &pair.fifo, generation, 0);
		nchan_rx_init(&pair.rx, &pair.fifo, generation, 0);
		assert_false(nchan_rx_take(&pair.rx, &line));
		put(&pair, i);
		take(&pair, i);
	}
}

/* ---- a line is never seen half (case_55) ---- */

struct watcher {
	struct pair pair;
	struct nchan_pause pause;
	unsigned stores;
	uint64_t expected;
	unsigned seen;
};

static void look_between_stores(void *context)
{
	struct watcher *watcher = context;
	struct nchan_line line;

	watcher->stores++;
	if (!nchan_rx_take(&watcher->pair.rx, &line))
		return;
	for (unsigned i = 0; i < NCHAN_PAYLOAD_WORDS; i++)
		assert_int_equal(line.word[i], watcher->expected + i);
	watcher->expected += 100;
	watcher->seen++;
}

static void case_55_a_line_stored_in_eight_stores_is_seen_whole_or_not_at_all(void **state)
{
	struct watcher watcher = {.expected = 0};

	(void)state;
	open_pair(&watcher.pair, 1, 0);
	watcher.pause = (struct nchan_pause){look_between_stores, &watcher};
	watcher.pair.tx.pause = &watcher.pause;
	for (uint64_t i = 0; i < 500; i++) {
		unsigned before = watcher.seen;

		put(&watcher.pair, i * 100);
		assert_int_equal(watcher.seen, before + 1); /* by the eighth store, not before */
		if (nchan_rx_report_due(&watcher.pair.rx, false))
			report(&watcher.pair);
	}
	assert_int_equal(watcher.stores, 500 * 8);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(head_gives_back_what_it_was_made_of),
		cmocka_unit_test(empty_fifo_has_no_line),
		cmocka_unit_test(case_61_lines_pass_counters_near_2_to_31_32_63_and_64),
		cmocka_unit_test(the_last_slot_is_for_a_cursor),
		cmocka_unit_test(a_quarter_is_reported_without_being_asked),
		cmocka_unit_test(fewer_lines_are_reported_before_sleep_or_when_asked),
		cmocka_unit_test(a_waiting_producer_is_told_when_all_is_taken),
		cmocka_unit_test(cursors_alone_are_not_reported_before_sleep),
		cmocka_unit_test(case_53_case_64_impossible_reports_are_refused),
		cmocka_unit_test(case_52_lines_of_another_generation_are_not_seen),
		cmocka_unit_test(case_52_a_million_resets_lose_nothing),
		cmocka_unit_test(case_55_a_line_stored_in_eight_stores_is_seen_whole_or_not_at_all),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
