/*
 * test_fifo.c - lines, FIFOs and cursors.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

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

/*
 * Far past the end of 32-bit counts and of 64-bit ones: lines keep their order over many passes
 * (case_61).
 */
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

/*
 * A producer that needs room for many lines hears of every step until all that it had stored is
 * reported.
 */
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

/* ---- any order of steps, against a plain count (case_62) ---- */

struct model {
	struct pair pair;
	uint64_t random;
	uint64_t sent, taken, told; /* lines; told: the last report */
	uint64_t reported;          /* as far as the producer has heard: reports may be late */
	unsigned nbytes[NCHAN_FIFO_LINES];
};

static uint64_t draw(struct model *model, uint64_t below)
{
	model->random = model->random * 6364136223846793005 + 1442695040888963407;
	return (model->random >> 33) % below;
}

static unsigned char byte_of(uint64_t line, unsigned i)
{
	return (unsigned char)(line * 57 + i + 1);
}

static void put_some(struct model *model)
{
	unsigned nbytes = (unsigned)draw(model, NCHAN_PAYLOAD_BYTES + 1);
	unsigned char payload[NCHAN_PAYLOAD_BYTES];

	if (!nchan_tx_room(&model->pair.tx))
		return;
	for (unsigned i = 0; i < nbytes; i++)
		payload[i] = byte_of(model->sent, i);
	nchan_tx_put(&model->pair.tx, nchan_head(NCHAN_DATA, nbytes, 5, 0), payload, nbytes);
	model->nbytes[model->sent++ % NCHAN_FIFO_LINES] = nbytes;
}

static void take_one(struct model *model)
{
	unsigned nbytes = model->nbytes[model->taken % NCHAN_FIFO_LINES];
	struct nchan_line line;

	assert_int_equal(nchan_rx_take(&model->pair.rx, &line), model->taken != model->sent);
	if (model->taken == model->sent)
		return;
	assert_int_equal(nchan_head_length(line.head), nbytes);
	for (unsigned i = 0; i < nbytes; i++)
		assert_int_equal(((unsigned char *)line.word)[i], byte_of(model->taken, i));
	model->taken++;
}

static void step(struct model *model, uint64_t start)
{
	switch (draw(model, 4)) {
	case 0:
	case 1:
		for (uint64_t count = draw(model, 20); count; count--)
			put_some(model);
		break;
	case 2:
		for (uint64_t count = draw(model, 30); count; count--)
			take_one(model);
		break;
	default:
		if (draw(model, 2)) {
			assert_true(nchan_tx_reported(&model->pair.tx, start + model->told));
			model->reported = model->told;
		}
		model->told = nchan_rx_report(&model->pair.rx) - start;
		assert_int_equal(model->told, model->taken);
	}
	assert_int_equal(nchan_tx_room(&model->pair.tx),
		NCHAN_FIFO_LINES - 1 - (model->sent - model->reported));
}

/* Lines of every length, put, taken and reported in every order: none comes twice, or old. */
static void case_62_random_steps_agree_with_a_count(void **state)
{
	static const uint64_t starts[] = {0, (1ull << 32) - 1000, (1ull << 63) - 1000, 77};

	(void)state;
	for (unsigned s = 0; s < sizeof starts / sizeof starts[0]; s++) {
		struct model model = {.random = s};

		open_pair(&model.pair, 9, starts[s]);
		for (unsigned i = 0; i < 5000; i++)
			step(&model, starts[s]);
		assert_in_range(model.taken, 5000, UINT64_MAX);
	}
}

/* ---- nothing outside the FIFO is touched (case_88) ---- */

static void pass_lines(struct nchan_fifo *fifo)
{
	struct nchan_tx tx;
	struct nchan_rx rx;

	nchan_tx_init(&tx, fifo, 1, 0);
	nchan_rx_init(&rx, fifo, 1, 0);
	for (uint64_t i = 0; i < 1000; i++) {
		const uint64_t payload[NCHAN_PAYLOAD_WORDS] = {i};
		struct nchan_line line;

		nchan_tx_put(&tx, nchan_head(NCHAN_DATA, 56, 5, 0), payload, NCHAN_PAYLOAD_BYTES);
		nchan_tx_ask(&tx);
		assert_true(nchan_rx_take(&rx, &line));
		assert_int_equal(line.word[0], i);
		if (nchan_rx_report_due(&rx, false))
			assert_true(nchan_tx_reported(&tx, nchan_rx_report(&rx)));
	}
}

/* An access before its first byte, or behind its last, is a signal. */
static void case_88_a_fifo_between_guard_pages_is_not_left(void **state)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	const size_t inner = (sizeof(struct nchan_fifo) + page - 1) / page * page;
	char *guarded = mmap(NULL, inner + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *first = guarded + page;

	(void)state;
	assert_true(guarded != MAP_FAILED);
	assert_int_equal(mprotect(first, inner, PROT_READ | PROT_WRITE), 0);
	pass_lines((void *)first);
	memset(first, 0, inner);
	pass_lines((void *)(first + inner - sizeof(struct nchan_fifo)));
	munmap(guarded, inner + 2 * page);
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
		cmocka_unit_test(case_62_random_steps_agree_with_a_count),
		cmocka_unit_test(case_88_a_fifo_between_guard_pages_is_not_left),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
