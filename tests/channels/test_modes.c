/*
 * test_modes.c - pipes of packets, and pipes with a capacity, one claim at a time.
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
	CORES = 2,
};

static int create_world(void **state)
{
	*state = world_create(CORES, 0, WORLD_CELLS);
	return *state ? 0 : -1;
}

static int destroy_world(void **state)
{
	world_destroy(*state);
	return 0;
}

static void create(struct world *world, uint32_t mode)
{
	assert_non_null(nchan_create(world_place(world, 0), PIPE | mode << NCHAN_MODE_SHIFT));
}

static void give(struct world *world, unsigned to, bool writes)
{
	world_give(world, world_end(world, 0, PIPE), to, writes, !writes);
	world_settle(world);
}

static int64_t write_at(struct world *world, unsigned place, uint64_t nbytes)
{
	static const char bytes[2 * NCHAN_PAYLOAD_BYTES];

	return nchan_write(world_place(world, place), world_end(world, place, PIPE), bytes, nbytes);
}

static int64_t read_at(struct world *world, unsigned place, uint64_t nbytes)
{
	char bytes[4 * NCHAN_PAYLOAD_BYTES];

	return nchan_read(world_place(world, place), world_end(world, place, PIPE), bytes, nbytes);
}

/* Writes bytes, one a line, until the pipe is full: how many. */
static unsigned fill(struct world *world, unsigned place)
{
	unsigned count = 0;
	int64_t result;

	while ((result = write_at(world, place, 1)) == 1) {
		count++;
		world_settle(world);
	}
	assert_int_equal(result, -NCHAN_EAGAIN);
	return count;
}

static void a_read_gives_one_packet_whole(void **state)
{
	create(*state, NCHAN_PACKETS);
	for (unsigned i = 1; i <= 9; i++)
		assert_int_equal(write_at(*state, 0, i), i);
	give(*state, 1, false);
	for (unsigned i = 10; i <= 16; i++)
		assert_int_equal(write_at(*state, 0, i), i);
	world_settle(*state);
	for (unsigned i = 1; i <= 16; i++)
		assert_int_equal(read_at(*state, 1, 200), i);
	assert_int_equal(read_at(*state, 1, 200), -NCHAN_EAGAIN);
}

static void a_packet_that_is_too_large_for_the_reader_stays(void **state)
{
	create(*state, NCHAN_PACKETS);
	write_at(*state, 0, 9);
	assert_int_equal(read_at(*state, 0, 8), -NCHAN_EMSGSIZE);
	assert_int_equal(read_at(*state, 0, 0), 0);
	assert_int_equal(read_at(*state, 0, 9), 9);
}

static void no_packet_is_empty_or_longer_than_a_line(void **state)
{
	create(*state, NCHAN_PACKETS);
	assert_int_equal(write_at(*state, 0, 0), -NCHAN_EINVAL);
	assert_int_equal(write_at(*state, 0, NCHAN_PAYLOAD_BYTES + 1), -NCHAN_EMSGSIZE);
	give(*state, 2, false);
	assert_int_equal(write_at(*state, 0, 0), -NCHAN_EINVAL);
	assert_int_equal(write_at(*state, 0, NCHAN_PAYLOAD_BYTES + 1), -NCHAN_EMSGSIZE);
	world_settle(*state);
	assert_int_equal(read_at(*state, 2, 200), -NCHAN_EAGAIN);
}

/* At the host, at a core, and from core to core. */
static void every_writing_place_may_have_the_capacity_unread(void **state)
{
	struct world *world = *state;
	unsigned again;

	for (uint32_t capacity = 1; capacity <= NCHAN_CAPACITY_MAX; capacity++) {
		create(world, capacity);
		give(world, 2, true);
		assert_int_equal(fill(world, 0), capacity);
		assert_int_equal(fill(world, 2), capacity);
		assert_int_equal(read_at(world, 0, 200), 2 * capacity);
		world_settle(world);
		/* Less than half of it may have been read and not given back. */
		again = fill(world, 2);
		assert_in_range(again, capacity / 2 + 1, capacity);
		give(world, 1, false);
		/* What core 2 wrote to the host is the host's now; core 2 has a new account. */
		assert_int_equal(fill(world, 0), capacity - again);
		assert_int_equal(fill(world, 2), capacity);
		assert_int_equal(read_at(world, 1, 200), 2 * capacity);
		world_settle(world);
		assert_in_range(fill(world, 0), capacity / 2 + 1, capacity);
		nchan_drop_reader(world_place(world, 1), world_end(world, 1, PIPE));
		nchan_drop_writer(world_place(world, 2), world_end(world, 2, PIPE));
		nchan_drop_writer(world_place(world, 0), world_end(world, 0, PIPE));
		world_settle(world);
		assert_null(world_end(world, 0, PIPE));
	}
}

static void a_capacity_is_promised_when_nobody_writes(void **state)
{
	create(*state, 40);
	assert_int_equal(world_place(*state, 0)->pool.promised, 40);
	give(*state, 1, false);
	give(*state, 2, true);
	assert_int_equal(world_place(*state, 0)->pool.promised, 0);
	assert_int_equal(world_place(*state, 1)->pool.promised, 80);
}

static void a_full_pipe_takes_as_many_as_were_read_of_half_a_window(void **state)
{
	create(*state, 8);
	give(*state, 1, false);
	assert_int_equal(fill(*state, 0), 8);
	assert_int_equal(read_at(*state, 1, 3), 3);
	world_settle(*state);
	assert_int_equal(fill(*state, 0), 0);
	assert_int_equal(read_at(*state, 1, 1), 1);
	world_settle(*state);
	assert_int_equal(fill(*state, 0), 4);
}

int main(void)
{
#define CLAIM(function) cmocka_unit_test_setup_teardown(function, create_world, destroy_world)
	const struct CMUnitTest tests[] = {
		CLAIM(a_read_gives_one_packet_whole),
		CLAIM(a_packet_that_is_too_large_for_the_reader_stays),
		CLAIM(no_packet_is_empty_or_longer_than_a_line),
		CLAIM(every_writing_place_may_have_the_capacity_unread),
		CLAIM(a_capacity_is_promised_when_nobody_writes),
		CLAIM(a_full_pipe_takes_as_many_as_were_read_of_half_a_window),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
