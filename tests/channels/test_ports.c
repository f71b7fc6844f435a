/* The kinds of ports: how a consumer learns of a line. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "channels/place.h"

enum {
	START = NCHAN_FIFO_LINES - 3, /* so that positions wrap soon */
};

static struct nchan_fifo fifo;
static struct nchan_link producer, consumer;

static void open_links(enum nchan_port_kind kind)
{
	memset(&fifo, 0, sizeof(fifo));
	producer = (struct nchan_link){.asleep = NULL};
	consumer = (struct nchan_link){.asleep = NULL};
	nchan_tx_init(&producer.tx, &fifo, 1, START);
	nchan_rx_init(&consumer.rx, &fifo, 1, START);
	nchan_link_choose_port(&producer, kind, NULL);
	nchan_link_choose_port(&consumer, kind, NULL);
}

static void put(uint64_t value)
{
	nchan_tx_put(&producer.tx, nchan_head(NCHAN_DATA, 8, 1, 0), &value, sizeof(value));
}

static void assert_take(uint64_t value)
{
	struct nchan_line line;

	assert_true(nchan_rx_take(&consumer.rx, &line));
	assert_int_equal(line.word[0], value);
}

static void lines_come_whole_and_in_order_with_each_kind(void **state)
{
	(void)state;
	for (unsigned kind = 0; kind < NCHAN_PORT_COUNT; kind++) {
		open_links(kind);
		for (uint64_t i = 0; i < 3 * NCHAN_FIFO_LINES; i++) {
			assert_int_equal(nchan_rx_peek(&consumer.rx), 0);
			put(2 * i);
			put(2 * i + 1);
			assert_take(2 * i);
			assert_take(2 * i + 1);
		}
	}
}

static void with_an_index_a_line_is_not_there_before_it_says_so(void **state)
{
	static const enum nchan_port_kind kinds[] = {NCHAN_PORT_RING, NCHAN_PORT_MAILBOX};

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		open_links(kinds[i]);
		producer.tx.port = NULL;
		put(7);
		assert_int_equal(nchan_rx_peek(&consumer.rx), 0);
		nchan_ports[kinds[i]].publish(&producer.tx);
		assert_take(7);
	}
}

/* Else the index of a mailbox would cross several times for each line. */
static void a_line_that_was_seen_is_not_looked_for_again(void **state)
{
	uint64_t head;

	(void)state;
	open_links(NCHAN_PORT_RING);
	put(7);
	head = nchan_rx_look(&consumer.rx);
	assert_true(head);
	nchan_store_release(&fifo.index.tail, START);
	assert_true(nchan_rx_peek(&consumer.rx) == head);
	assert_take(7);
	assert_int_equal(nchan_rx_look(&consumer.rx), 0);
}

/* The index is the other side's, and is not trusted. */
static void an_index_that_lies_shows_no_line(void **state)
{
	static const uint64_t lies[] = {START + 1, START + NCHAN_FIFO_LINES, 0, UINT64_MAX};

	(void)state;
	open_links(NCHAN_PORT_RING);
	for (unsigned i = 0; i < sizeof(lies) / sizeof(lies[0]); i++) {
		nchan_store_release(&fifo.index.tail, lies[i]);
		assert_int_equal(nchan_rx_peek(&consumer.rx), 0);
	}
	put(1);
	assert_take(1);
}

static unsigned wakes;

static void count_wake(void *context, unsigned place)
{
	(void)context;
	(void)place;
	wakes++;
}

static void only_events_interrupt_a_receiver_that_is_awake(void **state)
{
	static const struct nchan_events events = {.wake = count_wake};
	uint64_t asleep = 0;
	struct nchan_place place = {.self = 1, .count = 1, .links = &producer, .events = &events};

	(void)state;
	for (unsigned kind = 0; kind < NCHAN_PORT_COUNT; kind++) {
		open_links(kind);
		producer.asleep = &asleep;
		wakes = 0;
		nchan_place_send(&place, 0, nchan_head(NCHAN_NOP, 0, 0, 0), NULL, 0);
		assert_int_equal(wakes, kind == NCHAN_PORT_EVENT);
		asleep = 1;
		nchan_place_send(&place, 0, nchan_head(NCHAN_NOP, 0, 0, 0), NULL, 0);
		assert_int_equal(wakes, 1 + (kind == NCHAN_PORT_EVENT));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_come_whole_and_in_order_with_each_kind),
		cmocka_unit_test(with_an_index_a_line_is_not_there_before_it_says_so),
		cmocka_unit_test(a_line_that_was_seen_is_not_looked_for_again),
		cmocka_unit_test(an_index_that_lies_shows_no_line),
		cmocka_unit_test(only_events_interrupt_a_receiver_that_is_awake),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
