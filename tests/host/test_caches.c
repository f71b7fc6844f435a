/*
 * Caches that are modelled: two sides over one memory, here in one program. What a program has to
 * do works, and what it must not leave out is seen to be missing.
 */
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "channels/place.h"
#include "host/caches.h"

enum {
	WORDS_PER_LINE = NCHAN_LINE_BYTES / sizeof(uint64_t),
	NBYTES = 64 * 1024,
	WORDS = NBYTES / sizeof(uint64_t),
	PATIENCE = 1000 * 1000, /* operations in which chance must have come to a line */
};

struct side {
	uint64_t *copy;
	struct nhost_cache *cache;
	const struct nchan_caches *caches;
};

static uint64_t *memory;
static struct side host, device;

static void *zeroes(void)
{
	void *bytes = aligned_alloc(4096, NBYTES);

	assert_non_null(bytes);
	return memset(bytes, 0, NBYTES);
}

static void open_side(struct side *side, uint32_t seed)
{
	struct nhost_error error;

	side->copy = zeroes();
	assert_int_equal(
		nhost_cache_create(memory, side->copy, NBYTES, 0, seed, &side->cache, &error), 0);
	side->caches = nhost_cache_operations(side->cache);
}

static void open_sides(uint32_t seed)
{
	memory = zeroes();
	open_side(&host, seed);
	open_side(&device, seed ? seed + 1 : 0);
}

static int close_sides(void **state)
{
	(void)state;
	nhost_cache_destroy(host.cache);
	nhost_cache_destroy(device.cache);
	free(host.copy);
	free(device.copy);
	free(memory);
	return 0;
}

static void publish(const struct side *side, unsigned word)
{
	nchan_publish(side->caches, &side->copy[word], sizeof(uint64_t));
}

static void refresh(const struct side *side, unsigned word)
{
	nchan_refresh(side->caches, &side->copy[word], sizeof(uint64_t));
}

/* ---- what works ------------------------------------------------------------------------------ */

static void what_is_published_is_seen_when_it_is_refreshed(void **state)
{
	(void)state;
	open_sides(0);
	for (unsigned word = 0; word < WORDS; word += 7) {
		host.copy[word] = word + 1;
		publish(&host, word);
		refresh(&device, word);
		assert_int_equal(device.copy[word], word + 1);
	}
}

static void an_operation_is_about_every_line_that_its_bytes_lie_in(void **state)
{
	(void)state;
	open_sides(0);
	for (unsigned i = 0; i < 4 * WORDS_PER_LINE; i++)
		host.copy[i] = i + 1;
	nchan_publish(host.caches, (char *)host.copy + NCHAN_LINE_BYTES - 1, 2);
	nchan_publish(host.caches, host.copy, 0);
	nchan_refresh(device.caches, device.copy, NBYTES);
	for (unsigned i = 0; i < 4 * WORDS_PER_LINE; i++)
		assert_int_equal(device.copy[i], i < 2 * WORDS_PER_LINE ? i + 1 : 0);
}

static void a_refresh_loses_nothing_that_its_own_side_has_stored(void **state)
{
	(void)state;
	open_sides(0);
	host.copy[3] = 5;
	refresh(&host, 3);
	assert_int_equal(host.copy[3], 5);
	assert_int_equal(memory[3], 5);
}

/* ---- what must not be left out --------------------------------------------------------------- */

static void what_is_not_published_is_not_seen(void **state)
{
	(void)state;
	open_sides(0);
	host.copy[3] = 5;
	for (unsigned i = 0; i < 1000; i++) {
		publish(&host, 3 + WORDS_PER_LINE);
		refresh(&device, 3);
		assert_int_equal(device.copy[3], 0);
	}
}

static void what_is_not_refreshed_is_old(void **state)
{
	(void)state;
	open_sides(0);
	host.copy[3] = 5;
	for (unsigned i = 0; i < 1000; i++) {
		publish(&host, 3);
		refresh(&device, 3 + WORDS_PER_LINE);
		assert_int_equal(device.copy[3], 0);
	}
}

static void of_two_that_write_one_line_one_loses(void **state)
{
	(void)state;
	open_sides(0);
	host.copy[0] = 5;
	device.copy[1] = 6;
	publish(&host, 0);
	publish(&device, 1);
	refresh(&host, 0);
	assert_int_equal(host.copy[1], 6);
	assert_int_equal(host.copy[0], 0);
}

static void who_publishes_what_is_not_its_own_destroys_it(void **state)
{
	(void)state;
	open_sides(0);
	host.copy[0] = 5;
	publish(&host, 0);
	publish(&device, 0);
	assert_int_equal(memory[0], 0);
}

/* ---- chance ---------------------------------------------------------------------------------- */

/* The operations, about the last line, until the line of word 0 has moved. */
static unsigned operations_until(const uint64_t *word, uint64_t value)
{
	unsigned count = 0;

	while (nchan_load(word) != value && count++ < PATIENCE)
		publish(&host, WORDS - 1);
	return count;
}

static void what_was_stored_may_go_without_being_published(void **state)
{
	(void)state;
	open_sides(1);
	host.copy[0] = 5;
	assert_in_range(operations_until(&memory[0], 5), 1, PATIENCE - 1);
}

static void what_lies_in_memory_may_come_without_being_refreshed(void **state)
{
	(void)state;
	open_sides(1);
	memory[0] = 5;
	assert_in_range(operations_until(&host.copy[0], 5), 1, PATIENCE - 1);
}

static void what_was_changed_is_never_overwritten_by_what_comes(void **state)
{
	(void)state;
	open_sides(1);
	host.copy[0] = 5;
	memory[0] = 6;
	assert_in_range(operations_until(&memory[0], 5), 1, PATIENCE - 1);
	assert_int_equal(host.copy[0], 5);
}

static void a_seed_repeats_its_chances(void **state)
{
	unsigned counts[3];

	for (unsigned i = 0; i < 3; i++) {
		open_sides(i < 2 ? 4 : 5);
		host.copy[0] = 5;
		counts[i] = operations_until(&memory[0], 5);
		if (i < 2)
			close_sides(state);
	}
	assert_int_equal(counts[0], counts[1]);
	assert_int_not_equal(counts[0], counts[2]);
}

enum {
	OWN_LINES = 16,
	STORES = 20000,
};

/* One word of some lines counts up, by plain stores, while another thread moves lines. */
static void *count_up(void *done)
{
	for (uint64_t i = 1; i <= STORES; i++)
		for (unsigned line = 0; line < OWN_LINES; line++)
			nchan_store(&host.copy[line * WORDS_PER_LINE + 2], i);
	__atomic_store_n((bool *)done, true, __ATOMIC_RELEASE);
	return NULL;
}

static void no_store_is_lost_while_lines_come_and_go(void **state)
{
	bool done = false;
	pthread_t thread;
	(void)state;
	open_sides(3);
	assert_int_equal(pthread_create(&thread, NULL, count_up, &done), 0);
	while (!__atomic_load_n(&done, __ATOMIC_ACQUIRE))
		nchan_refresh(host.caches, host.copy, 2 * OWN_LINES * NCHAN_LINE_BYTES);
	pthread_join(thread, NULL);
	for (unsigned line = 0; line < OWN_LINES; line++)
		assert_int_equal(host.copy[line * WORDS_PER_LINE + 2], STORES);
}

/* ---- lines ----------------------------------------------------------------------------------- */

enum {
	LINES = 4000
};

static struct nchan_link producer, consumer;
static uint64_t taken;

static void open_links(enum nchan_port_kind kind)
{
	producer = (struct nchan_link){.asleep = NULL};
	consumer = (struct nchan_link){.asleep = NULL};
	nchan_tx_init(&producer.tx, (struct nchan_fifo *)(void *)host.copy, 1, 0);
	nchan_rx_init(&producer.rx, (struct nchan_fifo *)(void *)host.copy + 1, 1, 0);
	nchan_rx_init(&consumer.rx, (struct nchan_fifo *)(void *)device.copy, 1, 0);
	nchan_tx_init(&consumer.tx, (struct nchan_fifo *)(void *)device.copy + 1, 1, 0);
	nchan_link_choose_port(&producer, kind, host.caches);
	nchan_link_choose_port(&consumer, kind, device.caches);
	nchan_store(&taken, 0);
}

static void put(uint64_t value)
{
	const uint64_t words[NCHAN_PAYLOAD_WORDS] = {
		value, value, value, value, value, value, value};

	nchan_tx_put(&producer.tx, nchan_head(NCHAN_DATA, sizeof words, 1, 0), words, sizeof words);
}

static bool is_all(const struct nchan_line *line, uint64_t value)
{
	for (unsigned i = 0; i < NCHAN_PAYLOAD_WORDS; i++)
		if (line->word[i] != value)
			return false;
	return true;
}

static void *produce(void *unused)
{
	(void)unused;
	for (uint64_t i = 0; i < LINES; i++) {
		while (!nchan_tx_room(&producer.tx)) {
			nchan_tx_ask(&producer.tx);
			nchan_tx_reported(&producer.tx, nchan_load_acquire(&taken));
			sched_yield();
		}
		put(i + 1);
	}
	return NULL;
}

static void consume(void)
{
	struct nchan_line line;

	for (uint64_t i = 0; i < LINES; i++) {
		while (!nchan_rx_take(&consumer.rx, &line))
			sched_yield();
		assert_true(is_all(&line, i + 1));
		if (nchan_rx_report_due(&consumer.rx, false))
			nchan_store_release(&taken, nchan_rx_report(&consumer.rx));
	}
}

static void lines_cross_whole_and_in_order_whatever_chance_does(void **state)
{
	static const enum nchan_port_kind kinds[] = {
		NCHAN_PORT_LINE, NCHAN_PORT_RING, NCHAN_PORT_MAILBOX};

	for (unsigned i = 0; i < 6; i++) {
		pthread_t thread;

		open_sides(i % 2 ? 11 : 0);
		open_links(kinds[i / 2]);
		assert_int_equal(pthread_create(&thread, NULL, produce, NULL), 0);
		consume();
		pthread_join(thread, NULL);
		if (i < 5)
			close_sides(state);
	}
}

/* Each side in turn does as it would on coherent memory. */
static void a_line_that_is_not_published_or_not_looked_for_never_comes(void **state)
{
	for (unsigned left_out = 0; left_out < 2; left_out++) {
		open_sides(0);
		open_links(NCHAN_PORT_LINE);
		*(left_out ? &consumer.rx.port : &producer.tx.port) = NULL;
		put(1);
		for (unsigned i = 0; i < 1000; i++)
			assert_int_equal(nchan_rx_peek(&consumer.rx), 0);
		if (!left_out)
			close_sides(state);
	}
}

static void a_producer_that_asks_is_heard_only_where_that_is_told(void **state)
{
	struct nchan_line line;

	for (unsigned left_out = 0; left_out < 2; left_out++) {
		open_sides(0);
		open_links(NCHAN_PORT_LINE);
		put(1);
		if (left_out)
			producer.tx.caches = NULL;
		nchan_tx_ask(&producer.tx);
		assert_true(nchan_rx_take(&consumer.rx, &line));
		assert_false(nchan_rx_take(&consumer.rx, &line));
		assert_int_equal(nchan_rx_report_due(&consumer.rx, false), !left_out);
		if (!left_out)
			close_sides(state);
	}
}

/* ---- instructions ---------------------------------------------------------------------------- */

static void instructions_leave_bytes_as_they_are(void **state)
{
	const struct nchan_caches *caches = nhost_caches_of_processor();
	unsigned char *bytes = zeroes();
	(void)state;
	if (!caches) {
		print_message("skipped: programs cannot write back this processor's caches\n");
		free(bytes);
		skip();
	}
	for (unsigned i = 0; i < NBYTES; i++)
		bytes[i] = (unsigned char)i;
	for (unsigned nbytes = 0; nbytes < 200; nbytes += 33) {
		nchan_publish(caches, bytes + nbytes, nbytes);
		nchan_refresh(caches, bytes + NBYTES - nbytes, nbytes);
	}
	for (unsigned i = 0; i < NBYTES; i++)
		assert_int_equal(bytes[i], (unsigned char)i);
	free(bytes);
}

#define CLAIM(function) cmocka_unit_test_teardown(function, close_sides)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CLAIM(what_is_published_is_seen_when_it_is_refreshed),
		CLAIM(an_operation_is_about_every_line_that_its_bytes_lie_in),
		CLAIM(a_refresh_loses_nothing_that_its_own_side_has_stored),
		CLAIM(what_is_not_published_is_not_seen),
		CLAIM(what_is_not_refreshed_is_old),
		CLAIM(of_two_that_write_one_line_one_loses),
		CLAIM(who_publishes_what_is_not_its_own_destroys_it),
		CLAIM(what_was_stored_may_go_without_being_published),
		CLAIM(what_lies_in_memory_may_come_without_being_refreshed),
		CLAIM(what_was_changed_is_never_overwritten_by_what_comes),
		CLAIM(a_seed_repeats_its_chances),
		CLAIM(no_store_is_lost_while_lines_come_and_go),
		CLAIM(lines_cross_whole_and_in_order_whatever_chance_does),
		CLAIM(a_line_that_is_not_published_or_not_looked_for_never_comes),
		CLAIM(a_producer_that_asks_is_heard_only_where_that_is_told),
		cmocka_unit_test(instructions_leave_bytes_as_they_are),
	};

	return cmocka_run_group_tests_name("caches", tests, NULL, NULL);
}
