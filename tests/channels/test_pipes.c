/*
 * test_pipes.c - the life of a pipe, one claim at a time.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tests/channels/world.h"

enum {
	PIPE = 7
};

static int create_world(void **state)
{
	*state = world_create(2, 0, WORLD_CELLS);
	return *state ? 0 : -1;
}

static int destroy_world(void **state)
{
	world_destroy(*state);
	return 0;
}

static int64_t write_at(struct world *world, unsigned place, const char *text)
{
	return nchan_write(
		world_place(world, place), world_end(world, place, PIPE), text, strlen(text));
}

static int64_t read_at(struct world *world, unsigned place, char *text, size_t size)
{
	int64_t result = nchan_read(
		world_place(world, place), world_end(world, place, PIPE), text, size - 1);

	text[result > 0 ? result : 0] = 0;
	return result;
}

static void close_writer_at(struct world *world, unsigned place)
{
	nchan_drop_writer(world_place(world, place), world_end(world, place, PIPE));
}

static void close_reader_at(struct world *world, unsigned place)
{
	nchan_drop_reader(world_place(world, place), world_end(world, place, PIPE));
}

static void give(struct world *world, unsigned to, bool writes)
{
	world_give(world, world_end(world, 0, PIPE), to, writes, true);
}

static void expect_text(struct world *world, unsigned place, const char *text)
{
	char got[4096];

	assert_int_equal(read_at(world, place, got, sizeof(got)), strlen(text));
	assert_string_equal(got, text);
}

static void expect_nothing_left(struct world *world)
{
	world_settle(world);
	for (unsigned i = 0; i < world->count; i++) {
		assert_null(world_end(world, i, PIPE));
		assert_int_equal(world_place(world, i)->pool.used, 0);
		assert_int_equal(world_place(world, i)->pool.promised, 0);
		assert_int_equal(world_place(world, i)->faults, 0);
	}
}

static void what_is_written_at_the_host_is_read_there(void **state)
{
	char text[8];

	nchan_create(world_place(*state, 0), PIPE);
	assert_int_equal(read_at(*state, 0, text, sizeof(text)), -NCHAN_EAGAIN);
	assert_int_equal(write_at(*state, 0, "hello"), 5);
	expect_text(*state, 0, "hello");
	close_writer_at(*state, 0);
	assert_int_equal(read_at(*state, 0, text, sizeof(text)), 0);
	close_reader_at(*state, 0);
	expect_nothing_left(*state);
}

static void a_read_may_take_less_or_more_than_a_line(void **state)
{
	char text[200];

	nchan_create(world_place(*state, 0), PIPE);
	write_at(*state, 0, "one");
	write_at(*state, 0, "two");
	assert_int_equal(read_at(*state, 0, text, 3), 2);
	assert_string_equal(text, "on");
	expect_text(*state, 0, "etwo");
}

static void the_host_can_write_before_the_core_has_heard_of_the_pipe(void **state)
{
	nchan_create(world_place(*state, 0), PIPE);
	give(*state, 1, false);
	assert_int_equal(write_at(*state, 0, "early"), 5);
	world_settle(*state);
	expect_text(*state, 1, "early");
}

static void what_was_written_before_the_reader_moved_comes_first(void **state)
{
	nchan_create(world_place(*state, 0), PIPE);
	write_at(*state, 0, "before ");
	give(*state, 1, false);
	world_settle(*state);
	assert_int_equal(write_at(*state, 0, "after"), 5);
	world_settle(*state);
	expect_text(*state, 1, "before after");
}

static void a_core_writes_to_the_host(void **state)
{
	char text[8];

	nchan_create(world_place(*state, 0), PIPE);
	give(*state, 2, true);
	world_settle(*state);
	assert_int_equal(write_at(*state, 2, "up"), 2);
	close_writer_at(*state, 2);
	world_settle(*state);
	expect_text(*state, 0, "up");
	assert_int_equal(read_at(*state, 0, text, sizeof(text)), 0);
	close_reader_at(*state, 0);
	expect_nothing_left(*state);
}

/*
 * The writer is given away first and has written to the host by the time the reader moves to
 * another core.
 */
static void a_home_that_moves_keeps_the_order_of_a_writer_elsewhere(void **state)
{
	nchan_create(world_place(*state, 0), PIPE);
	give(*state, 1, true);
	world_settle(*state);
	write_at(*state, 1, "a");
	world_settle(*state);
	write_at(*state, 1, "b"); /* on its way while the home moves */
	give(*state, 2, false);
	world_settle(*state);
	assert_int_equal(write_at(*state, 1, "c"), 1);
	world_settle(*state);
	expect_text(*state, 2, "abc");
}

static void both_ends_on_one_core_need_no_lines(void **state)
{
	struct nchan_place *core = world_place(*state, 1);
	uint64_t lines;

	nchan_create(world_place(*state, 0), PIPE);
	give(*state, 1, false);
	give(*state, 1, true);
	world_settle(*state);
	lines = core->links[0].lines_out;
	assert_int_equal(write_at(*state, 1, "local"), 5);
	expect_text(*state, 1, "local");
	assert_int_equal(core->links[0].lines_out, lines);
}

/* What was written before the close is read before end of file (case_83). */
static void case_83_close_means_delivered(void **state)
{
	char text[8];

	nchan_create(world_place(*state, 0), PIPE);
	give(*state, 1, false);
	write_at(*state, 0, "last");
	close_writer_at(*state, 0);
	world_settle(*state);
	expect_text(*state, 1, "last");
	assert_int_equal(read_at(*state, 1, text, sizeof(text)), 0);
	close_reader_at(*state, 1);
	expect_nothing_left(*state);
}

static void end_of_file_waits_for_every_writer(void **state)
{
	struct nchan_end *end = nchan_create(world_place(*state, 0), PIPE);
	char text[8];

	nchan_dup(end, true);
	give(*state, 1, true);
	give(*state, 2, true);
	world_settle(*state);
	close_writer_at(*state, 1);
	world_settle(*state);
	assert_int_equal(read_at(*state, 0, text, sizeof(text)), -NCHAN_EAGAIN);
	close_writer_at(*state, 2);
	world_settle(*state);
	assert_int_equal(read_at(*state, 0, text, sizeof(text)), 0);
}

static void a_writer_is_told_when_the_last_reader_is_gone(void **state)
{
	nchan_create(world_place(*state, 0), PIPE);
	give(*state, 1, false);
	world_settle(*state);
	close_reader_at(*state, 1);
	world_settle(*state);
	assert_int_equal(write_at(*state, 0, "x"), -NCHAN_EPIPE);
	close_writer_at(*state, 0);
	expect_nothing_left(*state);
}

static void what_waits_at_the_host_for_a_reader_that_closes_is_dropped(void **state)
{
	struct world *world = *state;

	nchan_create(world_place(world, 0), PIPE);
	for (unsigned i = 0; i < NCHAN_WINDOW_FIRST; i++)
		write_at(world, 0, "x");
	give(world, 1, false);
	world_step(world, 1, 1); /* the process is there; most of the data is not */
	close_reader_at(world, 1);
	close_writer_at(world, 0);
	expect_nothing_left(world);
}

static void a_full_pipe_says_so_and_later_that_it_has_room(void **state)
{
	struct world *world = *state;
	char big[NCHAN_PAYLOAD_BYTES * 100];
	int64_t written;
	unsigned events;

	memset(big, 'x', sizeof(big));
	nchan_create(world_place(world, 0), PIPE);
	give(world, 1, false);
	world_settle(world);
	written = nchan_write(world_place(world, 0), world_end(world, 0, PIPE), big, sizeof(big));
	assert_in_range(written, NCHAN_PAYLOAD_BYTES, sizeof(big) - 1);
	world_settle(world);
	assert_int_equal(write_at(world, 0, "y"), -NCHAN_EAGAIN);
	events = world->places[0].writable;
	assert_int_equal(read_at(world, 1, big, sizeof(big)), written);
	world_settle(world);
	assert_true(world->places[0].writable > events);
	assert_int_equal(write_at(world, 0, "y"), 1);
}

/*
 * It doubles until it has the largest; less than half of that may be on its way back to the writer.
 */
static void the_window_grows_with_use(void **state)
{
	struct world *world = *state;
	char text[NCHAN_PAYLOAD_BYTES + 1] = "x";
	int64_t in_flight = 0;

	nchan_create(world_place(world, 0), PIPE);
	give(world, 1, false);
	for (unsigned i = 0; i < 1000; i++) {
		write_at(world, 0, "x");
		world_settle(world);
		read_at(world, 1, text, sizeof(text));
		world_settle(world);
	}
	while (write_at(world, 0, "x") == 1) {
		in_flight++;
		world_settle(world);
	}
	assert_in_range(in_flight, NCHAN_WINDOW_MAX / 2 + 1, NCHAN_WINDOW_MAX);
}

static void an_idle_pipe_costs_a_core_two_cells(void **state)
{
	struct world *world = world_create(1, 0, 40);

	(void)state;
	/* So scarce that nothing but the one guaranteed line is promised. */
	nchan_pool_promise(&world_place(world, 1)->pool, 25);
	nchan_create(world_place(world, 0), PIPE);
	give(world, 1, false);
	world_settle(world);
	assert_int_equal(world_place(world, 1)->pool.used, 1);
	assert_int_equal(world_place(world, 1)->pool.promised, 26);
	world_destroy(world);
}

/* ---- lines that make no sense are counted and change nothing ---- */

static void send(struct world *world, uint64_t head, uint64_t word)
{
	nchan_place_send(world_place(world, 0), 1, head, &word, sizeof(word));
}

static void case_53_senseless_lines_are_counted_and_ignored(void **state)
{
	struct world *world = *state;
	struct nchan_place *core = world_place(world, 1);
	unsigned sent = 0;

	nchan_create(world_place(world, 0), PIPE);
	give(world, 1, false);
	world_settle(world);
	send(world, nchan_head(NCHAN_DATA, 8, PIPE + 1, 0), 0), sent++;           /* no such pipe */
	send(world, nchan_head(NCHAN_DATA, 0, PIPE, 0), 0), sent++;               /* no bytes */
	send(world, nchan_head(NCHAN_DATA, 63, PIPE, 0), 0), sent++;              /* too many */
	send(world, nchan_head(NCHAN_RETURN, 0, PIPE, NCHAN_ARG_MAX), 0), sent++; /* never lent */
	send(world, nchan_head(NCHAN_ATTACH, 0, PIPE, NCHAN_ARG_MAX), 1),
		sent++; /* no such place */
	send(world, nchan_head(NCHAN_CLOSE, 0, PIPE, 77), 1), sent++;
	send(world, nchan_head(NCHAN_CLOSED, 0, PIPE, 0), 0), sent++; /* nobody closes */
	send(world, nchan_head(NCHAN_RELEASE, 0, PIPE, 0), 1), sent++;
	send(world, nchan_head(NCHAN_CURSOR, 0, 0, 0), 1ull << 40), sent++;
	send(world, nchan_head((enum nchan_kind)NCHAN_KIND_COUNT, 0, PIPE, 0), 0), sent++;
	send(world, nchan_head((enum nchan_kind)31, 0, PIPE, 0), 0), sent++;
	send(world, nchan_head(NCHAN_DATA, 8, NCHAN_PIPE_MAX, 0), 0), sent++;
	world_settle(world);
	assert_int_equal(core->faults, sent);
	core->faults = 0;
	assert_int_equal(write_at(world, 0, "still works"), 11);
	world_settle(world);
	expect_text(world, 1, "still works");
}

/* Least of all while it moves a home: it would take itself for the new one. */
static void the_host_is_told_of_no_end_that_it_has_given_away(void **state)
{
	struct world *world = *state;
	const uint64_t one = 1;

	nchan_create(world_place(world, 0), PIPE);
	world_give(world, world_end(world, 0, PIPE), 2, true, false);
	world_settle(world);
	write_at(world, 0, "moves");
	give(world, 1, false);
	nchan_place_send(
		world_place(world, 2), 0, nchan_head(NCHAN_ATTACH, 0, PIPE, 0), &one, sizeof(one));
	world_settle(world);
	assert_int_equal(world_place(world, 0)->faults, 1);
	expect_text(world, 1, "moves");
}

/* Counts of ends do not leave the numbers that there are. */
static void ends_without_number_are_not_believed(void **state)
{
	const enum nchan_kind kinds[] = {NCHAN_CLOSE, NCHAN_ATTACH};
	struct world *world = *state;

	nchan_create(world_place(world, 0), PIPE);
	give(world, 1, false);
	world_settle(world);
	for (unsigned i = 0; i < 2; i++) {
		send(world, nchan_head(kinds[i], 0, PIPE, 2), 1u << 31);
		send(world, nchan_head(kinds[i], 0, PIPE, 2), 1u << 30);
		send(world, nchan_head(kinds[i], 0, PIPE, 2), 1u << 30);
		send(world, nchan_head(kinds[i], 0, PIPE, 2), 1u << 30);
	}
	world_settle(world);
	assert_int_equal(world_place(world, 1)->faults, 3 + 2);
}

static void data_beyond_the_credit_is_refused(void **state)
{
	struct world *world = *state;
	struct nchan_place *core = world_place(world, 1);

	nchan_create(world_place(world, 0), PIPE);
	give(world, 1, false);
	world_settle(world);
	for (unsigned i = 0; i < NCHAN_WINDOW_FIRST + 3; i++) {
		send(world, nchan_head(NCHAN_DATA, 8, PIPE, 0), i);
		world_settle(world);
	}
	assert_int_equal(core->faults, 3);
	assert_true(core->pool.used + core->pool.promised <= core->pool.capacity);
}

static void give_one_more_writer(struct world *world, unsigned to)
{
	world_give(world, world_end(world, 0, PIPE), to, true, false);
	world_settle(world);
}

/* Each leaves a line that nobody reads; the pool of the home is small. */
static void writers_that_come_and_go_leave_room_for_others(void **state)
{
	enum {
		CELLS = 64
	};
	struct world *world = world_create(2, 0, CELLS);
	unsigned count = 0;
	char text[2 * CELLS];
	(void)state;

	nchan_create(world_place(world, 0), PIPE);
	give(world, 1, false);
	give_one_more_writer(world, 2);
	while (count < 2 * CELLS && write_at(world, 2, "x") == 1) {
		count++;
		close_writer_at(world, 2);
		world_settle(world);
		give_one_more_writer(world, 2);
	}
	assert_in_range(count, 1, CELLS / 2);
	assert_int_equal(world_place(world, 1)->faults, 0);

	/* Others find what was kept for them. */
	nchan_create(world_place(world, 0), PIPE + 1);
	world_give(world, world_end(world, 0, PIPE + 1), 1, false, true);
	world_give(world, world_end(world, 0, PIPE + 1), 2, true, true);
	world_settle(world);
	assert_int_equal(
		nchan_write(world_place(world, 2), world_end(world, 2, PIPE + 1), "y", 1), 1);

	/* The one that found no credit gets it when there is room. */
	assert_int_equal(read_at(world, 1, text, sizeof(text)), count);
	world_settle(world);
	assert_int_equal(write_at(world, 2, "z"), 1);
	world_settle(world);
	expect_text(world, 1, "z");
	for (unsigned i = 0; i < world->count; i++)
		assert_int_equal(world_place(world, i)->faults, 0);
	world_destroy(world);
}

#define CLAIM(test) cmocka_unit_test_setup_teardown(test, create_world, destroy_world)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CLAIM(what_is_written_at_the_host_is_read_there),
		CLAIM(a_read_may_take_less_or_more_than_a_line),
		CLAIM(the_host_can_write_before_the_core_has_heard_of_the_pipe),
		CLAIM(what_was_written_before_the_reader_moved_comes_first),
		CLAIM(a_core_writes_to_the_host),
		CLAIM(a_home_that_moves_keeps_the_order_of_a_writer_elsewhere),
		CLAIM(both_ends_on_one_core_need_no_lines),
		CLAIM(case_83_close_means_delivered),
		CLAIM(end_of_file_waits_for_every_writer),
		CLAIM(a_writer_is_told_when_the_last_reader_is_gone),
		CLAIM(what_waits_at_the_host_for_a_reader_that_closes_is_dropped),
		CLAIM(a_full_pipe_says_so_and_later_that_it_has_room),
		CLAIM(the_window_grows_with_use),
		CLAIM(an_idle_pipe_costs_a_core_two_cells),
		CLAIM(case_53_senseless_lines_are_counted_and_ignored),
		CLAIM(data_beyond_the_credit_is_refused),
		CLAIM(the_host_is_told_of_no_end_that_it_has_given_away),
		CLAIM(ends_without_number_are_not_believed),
		cmocka_unit_test(writers_that_come_and_go_leave_room_for_others),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
