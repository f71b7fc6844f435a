/*
 * test_model_findings.c - orders of events in which the wire once went wrong, each found by an
 * exhaustive search (channels/model), or by random lives. Lines of different FIFOs overtake each
 * other here as the test wants: take() takes one.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tests/channels/world.h"

enum {
	PIPE = 7,
	HOST = 0
};

static int create_world(void **state)
{
	struct world *world = world_create(2, 0, WORLD_CELLS);

	*state = world;
	nchan_create(world_place(world, HOST), PIPE);
	return 0;
}

static int destroy_world(void **state)
{
	world_destroy(*state);
	return 0;
}

/* Takes so many lines, and the cursors before them. */
static void take(struct world *world, unsigned place, unsigned from, unsigned lines)
{
	struct nchan_place *here = world_place(world, place);

	while (lines) {
		uint64_t head = nchan_rx_peek(&here->links[from].rx);

		assert_true(head != 0);
		lines -= nchan_head_kind(head) != NCHAN_CURSOR;
		nchan_place_receive(here, from, 1);
	}
}

/* Until nothing is under way, cursors neither. */
static void settle(struct world *world)
{
	world_settle(world);
	world_settle(world);
}

static int64_t write_at(struct world *world, unsigned place)
{
	return nchan_write(world_place(world, place), world_end(world, place, PIPE), "x", 1);
}

static int64_t read_at(struct world *world, unsigned place)
{
	char bytes[64];

	return nchan_read(
		world_place(world, place), world_end(world, place, PIPE), bytes, sizeof(bytes));
}

static void close_writer_at(struct world *world, unsigned place)
{
	nchan_drop_writer(world_place(world, place), world_end(world, place, PIPE));
}

static void close_reader_at(struct world *world, unsigned place)
{
	nchan_drop_reader(world_place(world, place), world_end(world, place, PIPE));
}

static void give_reader(struct world *world, unsigned to)
{
	world_give(world, world_end(world, HOST, PIPE), to, false, true);
}

/* The host keeps one, too. */
static void give_writer(struct world *world, unsigned to)
{
	world_give(world, world_end(world, HOST, PIPE), to, true, false);
}

/* Leaves room for so many lines. */
static void fill(struct world *world, unsigned from, unsigned to, unsigned room)
{
	struct nchan_place *place = world_place(world, from);

	while (nchan_place_room(place, to) > room)
		nchan_place_send(place, to, nchan_head(NCHAN_NOP, 0, 0, 0), NULL, 0);
}

static void expect_nothing_left(struct world *world)
{
	settle(world);
	assert_int_equal(world->places[HOST].forgotten, 1);
	for (unsigned i = 0; i < world->count; i++) {
		assert_null(world_end(world, i, PIPE));
		assert_int_equal(world_place(world, i)->pool.used, 0);
		assert_int_equal(world_place(world, i)->pool.promised, 0);
		assert_int_equal(world_place(world, i)->faults, 0);
	}
}

/* The reader at this place sees end of file and closes. */
static void expect_the_end(struct world *world, unsigned place)
{
	settle(world);
	assert_int_equal(read_at(world, place), 0);
	close_reader_at(world, place);
	expect_nothing_left(world);
}

static void an_end_whose_reader_goes_last_is_freed_once(void **state)
{
	close_writer_at(*state, HOST);
	close_reader_at(*state, HOST);
	expect_nothing_left(*state);
}

static void broken_may_come_before_the_writer(void **state)
{
	struct world *world = *state;

	give_reader(world, 1);
	settle(world);
	close_reader_at(world, 1);
	give_writer(world, 2);
	world_step(world, 1, 64); /* takes ATTACH, answers BROKEN */
	take(world, 2, 1, 1);
	take(world, 2, HOST, 1);
	assert_int_equal(write_at(world, 2), -NCHAN_EPIPE);
	close_writer_at(world, 2);
	close_writer_at(world, HOST);
	expect_nothing_left(world);
}

static void a_credit_outlives_the_answer_to_an_earlier_close(void **state)
{
	struct world *world = *state;

	give_writer(world, 2);
	settle(world);
	close_writer_at(world, 2);
	take(world, HOST, 2, 1); /* CLOSE; CLOSED goes out */
	give_reader(world, 1);
	give_writer(world, 2);
	take(world, 1, HOST, 2); /* SPAWN, ATTACH */
	take(world, 2, 1, 1);    /* CREDIT, before CLOSED and SPAWN */
	settle(world);
	assert_int_equal(write_at(world, 2), 1);
}

static void the_new_home_is_believed_more_than_a_late_credit_of_the_host(void **state)
{
	struct world *world = *state;

	give_writer(world, 2);
	take(world, 2, HOST, 1); /* SPAWN; CREDIT stays under way */
	close_writer_at(world, 2);
	take(world, HOST, 2, 1);
	give_reader(world, 1);
	give_writer(world, 2);
	take(world, 1, HOST, 2);
	take(world, 2, 1, 1);
	settle(world);
	assert_int_equal(write_at(world, 2), 1);
}

static void a_recall_is_answered_before_the_id_is_forgotten(void **state)
{
	struct world *world = *state;

	give_writer(world, 2);
	settle(world);
	while (write_at(world, 2) == 1) {
	}
	close_writer_at(world, 2);
	close_writer_at(world, HOST);
	give_reader(world, 1);
	for (unsigned i = 0; i < 4; i++) {
		world_step(world, HOST, 64);
		world_step(world, 1, 64);
		nchan_place_receive(world_place(world, 2), 1, 64); /* but not RECALL */
	}
	assert_int_equal(world->places[HOST].forgotten, 0);
	while (world_settle(world), read_at(world, 1) > 0) {
	}
	expect_the_end(world, 1);
}

static void a_release_that_waited_for_room_waits_for_a_new_close_too(void **state)
{
	struct world *world = *state;

	give_writer(world, 2);
	settle(world);
	close_writer_at(world, 2);
	fill(world, 2, HOST, 0);
	take(world, HOST, 2, 1); /* CLOSE */
	take(world, 2, HOST, 1); /* CLOSED; no room for RELEASE */
	give_writer(world, 2);
	take(world, 2, HOST, 2); /* SPAWN, CREDIT */
	world_step(world, HOST, 64);
	nchan_place_receive(world_place(world, 2), HOST, 64); /* the cursor: there is room now */
	close_writer_at(world, 2);
	close_writer_at(world, HOST);
	close_reader_at(world, HOST);
	nchan_place_receive(world_place(world, HOST), 2, 64);
	assert_int_equal(world->places[HOST].forgotten, 0); /* CLOSED is under way */
	expect_nothing_left(world);
}

static void a_writer_at_the_home_may_close_before_it_is_attached(void **state)
{
	struct world *world = *state;

	give_reader(world, 1);
	give_writer(world, 1);
	settle(world);
	close_writer_at(world, 1);
	give_writer(world, 1);
	take(world, 1, HOST, 1); /* SPAWN, not yet ATTACH */
	close_writer_at(world, 1);
	close_writer_at(world, HOST);
	expect_the_end(world, 1);
}

static void a_writer_at_the_new_home_may_close_while_a_close_is_unanswered(void **state)
{
	struct world *world = *state;

	give_writer(world, 1);
	settle(world);
	give_reader(world, 1);
	take(world, 1, HOST, 2); /* SPAWN, RECALL */
	close_writer_at(world, 1);
	give_writer(world, 1);
	world_step(world, HOST, 64); /* hands its accounts over; CLOSE goes back to core 1 */
	take(world, 1, HOST, 1);
	close_writer_at(world, 1);
	close_writer_at(world, HOST);
	expect_the_end(world, 1);
}

static void a_move_goes_on_when_an_answer_finds_room(void **state)
{
	struct world *world = *state;

	give_writer(world, 2);
	settle(world);
	fill(world, HOST, 2, 1);
	close_writer_at(world, 2);
	give_reader(world, 1);   /* RECALL takes the last room */
	take(world, HOST, 2, 1); /* CLOSE; CLOSED must wait */
	settle(world);
	assert_int_equal(write_at(world, HOST), 1);
	settle(world);
	assert_int_equal(read_at(world, 1), 1);
}

/* Core 1 becomes the home while its CLOSE to the host waits for room. */
static void become_home_with_a_close_owed(struct world *world)
{
	struct nchan_place *core = world_place(world, 1);

	give_reader(world, 1);
	fill(world, 1, HOST, 2);
	take(world, 1, HOST, 1); /* SPAWN; CREDIT takes room */
	take(world, 1, HOST, 1); /* RECALL; RETURN takes the last */
	assert_int_equal(nchan_place_room(core, HOST), 0);
	nchan_place_receive(world_place(world, HOST), 1, 64); /* and sends ATTACH */
}

static void a_close_that_is_owed_follows_the_home(void **state)
{
	struct world *world = *state;

	give_writer(world, 1);
	settle(world);
	become_home_with_a_close_owed(world);
	close_writer_at(world, 1);
	take(world, 1, HOST, 1);
	close_writer_at(world, HOST);
	expect_the_end(world, 1);
}

static void a_credit_of_the_host_does_not_make_a_core_wait_for_a_writer(void **state)
{
	struct world *world = *state;

	give_writer(world, 1);
	settle(world);
	for (unsigned i = 0; i < NCHAN_WINDOW_FIRST; i++)
		assert_int_equal(write_at(world, 1), 1);
	world_step(world, HOST, 64);
	assert_int_equal(read_at(world, HOST), NCHAN_WINDOW_FIRST);
	fill(world, 1, HOST, 0);
	close_writer_at(world, 1);
	settle(world);
	give_reader(world, 1);
	close_writer_at(world, HOST);
	expect_the_end(world, 1);
}

static void a_home_that_moves_does_not_say_that_the_pipe_is_broken(void **state)
{
	struct world *world = *state;

	give_writer(world, 1);
	settle(world);
	close_writer_at(world, 1);
	give_reader(world, 2); /* RECALL goes to core 1 */
	take(world, 2, HOST, 1);
	close_reader_at(world, 2);
	take(world, HOST, 2, 2); /* CREDIT, BROKEN */
	give_writer(world, 1);
	take(world, 1, HOST, 2); /* RECALL, SPAWN */
	take(world, HOST, 1, 1); /* CLOSE: the move goes on */
	take(world, 2, HOST, 1); /* ATTACH: the new home says BROKEN */
	take(world, 1, 2, 1);
	assert_int_equal(write_at(world, 1), -NCHAN_EPIPE);
	close_writer_at(world, 1);
	close_writer_at(world, HOST);
	expect_nothing_left(world);
}

/* What is lent to nobody is lost to the pool. */
static void a_home_lends_nothing_to_a_host_whose_close_came_before_its_attach(void **state)
{
	struct world *world = *state;

	give_reader(world, 1);
	give_writer(world, 1);
	give_writer(world, 2);
	settle(world);
	close_writer_at(world, HOST);
	settle(world);
	while (!world_hand_back(world, 2, PIPE, true))
		settle(world);
	take(world, HOST, 2, 1);
	close_writer_at(world, HOST);
	take(world, 1, HOST, 1); /* its CLOSE; the ATTACH is still in the FIFO from core 2 */
	assert_true(world_hand_back(world, 1, PIPE, true));
	settle(world);
	close_writer_at(world, HOST);
	close_reader_at(world, 1);
	expect_nothing_left(world);
}

static uint64_t count_bytes(struct world *world, unsigned place, struct nchan_end *end,
	const void *bytes, uint64_t nbytes)
{
	unsigned *count = world->test;

	(void)end;
	(void)bytes;
	*count += place ? (unsigned)nbytes : 0;
	return place ? nbytes : 0;
}

/* A reader goes on to another core while what the host had for it waits for credits. */
static void a_reader_that_goes_on_is_not_waited_for_by_the_data_that_it_will_read(void **state)
{
	struct world *world = *state;
	unsigned count = 0, written = 0;
	int64_t result;

	world->deliver = count_bytes;
	world->test = &count;
	while (write_at(world, HOST) == 1)
		written++;
	give_reader(world, 1);
	take(world, 1, HOST, 1);
	assert_true(world_hand_back(world, 1, PIPE, false));
	take(world, HOST, 1, 1);
	give_reader(world, 2);
	close_writer_at(world, HOST);
	settle(world);
	while ((result = read_at(world, 2)) == -NCHAN_EAGAIN)
		settle(world);
	assert_int_equal(result, 0);
	assert_true(count == written && written > 1);
	close_reader_at(world, 2);
	expect_nothing_left(world);
}

/* A reader that has read some lines of a loan closes before the last has come. */
static void what_was_read_of_a_loan_before_a_close_is_lent_to_nobody_else(void **state)
{
	struct world *world = *state;
	unsigned count = 0;

	world->deliver = count_bytes;
	world->test = &count;
	nchan_dup(world_end(world, HOST, PIPE), false);
	give_reader(world, 1);
	settle(world);
	assert_int_equal(
		nchan_read(world_place(world, 1), world_end(world, 1, PIPE), &(char[200]){0}, 200),
		-NCHAN_EAGAIN);
	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(write_at(world, HOST), 1);
	take(world, HOST, 1, 1);
	take(world, 1, HOST, 1);
	assert_int_equal(count, 1);
	close_reader_at(world, 1);
	settle(world);
	assert_int_equal(count, 1);
	assert_int_equal(read_at(world, HOST), 2);
	close_reader_at(world, HOST);
	close_writer_at(world, HOST);
	expect_nothing_left(world);
}

#define CLAIM(test) cmocka_unit_test_setup_teardown(test, create_world, destroy_world)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CLAIM(an_end_whose_reader_goes_last_is_freed_once),
		CLAIM(broken_may_come_before_the_writer),
		CLAIM(a_credit_outlives_the_answer_to_an_earlier_close),
		CLAIM(the_new_home_is_believed_more_than_a_late_credit_of_the_host),
		CLAIM(a_recall_is_answered_before_the_id_is_forgotten),
		CLAIM(a_release_that_waited_for_room_waits_for_a_new_close_too),
		CLAIM(a_writer_at_the_home_may_close_before_it_is_attached),
		CLAIM(a_writer_at_the_new_home_may_close_while_a_close_is_unanswered),
		CLAIM(a_move_goes_on_when_an_answer_finds_room),
		CLAIM(a_close_that_is_owed_follows_the_home),
		CLAIM(a_credit_of_the_host_does_not_make_a_core_wait_for_a_writer),
		CLAIM(a_home_that_moves_does_not_say_that_the_pipe_is_broken),
		CLAIM(a_home_lends_nothing_to_a_host_whose_close_came_before_its_attach),
		CLAIM(a_reader_that_goes_on_is_not_waited_for_by_the_data_that_it_will_read),
		CLAIM(what_was_read_of_a_loan_before_a_close_is_lent_to_nobody_else),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
