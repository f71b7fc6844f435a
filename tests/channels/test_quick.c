/*
 * test_quick.c - the short ways of channels/quick.h, and lines that are left to their reader, give
 * the same bytes as the long ones.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "channels/quick.h"
#include "tests/channels/world.h"

enum {
	PIPE = 7,
	OTHER = 8,
	ROUNDS = 4000,
	BYTES_MAX = 40 * NCHAN_PAYLOAD_BYTES,
};

/* A pipe whose home is core 1, written by the host. */
static struct nchan_end *open_pipe(struct world *world, uint32_t pipe)
{
	struct nchan_end *end = nchan_create(world_place(world, 0), pipe);

	world_give(world, end, 1, false, true);
	world_settle(world);
	return end;
}

static struct world *open_world(uint64_t start, enum nchan_port_kind port)
{
	struct world *world = world_create(1, start, WORLD_CELLS);

	assert_non_null(world);
	for (unsigned place = 0; place < 2; place++)
		nchan_link_choose_port(&world_place(world, place)->links[1 - place], port, NULL);
	return world;
}

/* ---- any sizes ------------------------------------------------------------------------------- */

struct stream {
	struct world *world;
	uint64_t random;
	uint64_t written, read; /* bytes; each tells its position */
};

static uint64_t size_of_next(struct stream *stream)
{
	const uint64_t random = world_random(&stream->random);

	/* Whole lines, some of them, or anything. */
	return 1 + (random & 1 ? random >> 8 : (random >> 8) * NCHAN_PAYLOAD_BYTES - 1) % BYTES_MAX;
}

static void write_some(struct stream *stream)
{
	struct nchan_place *host = world_place(stream->world, 0);
	struct nchan_end *end = world_end(stream->world, 0, PIPE);
	const uint64_t nbytes = size_of_next(stream);
	unsigned char bytes[BYTES_MAX];
	int64_t done;

	for (uint64_t i = 0; i < nbytes; i++)
		bytes[i] = (unsigned char)((stream->written + i) * 167 >> 3);
	done = nchan_write_line(host, end, bytes, nbytes) ? (int64_t)nbytes
							  : nchan_write(host, end, bytes, nbytes);
	stream->written += done > 0 ? (uint64_t)done : 0;
}

static void read_some(struct stream *stream)
{
	struct nchan_place *core = world_place(stream->world, 1);
	struct nchan_end *end = world_end(stream->world, 1, PIPE);
	const uint64_t nbytes = size_of_next(stream);
	unsigned char bytes[BYTES_MAX];
	int64_t done = (int64_t)nchan_take_lines(core, end, 0, bytes, nbytes);

	if (!done) {
		nchan_place_receive(core, 0, world_random(&stream->random) & 1);
		done = nchan_read(core, end, bytes, nbytes);
	}
	for (int64_t i = 0; i < done; i++, stream->read++)
		assert_int_equal(bytes[i], (unsigned char)(stream->read * 167 >> 3));
}

static void check_stream(uint64_t seed, enum nchan_port_kind port)
{
	struct stream stream = {.world = open_world(seed, port), .random = seed};

	open_pipe(stream.world, PIPE);
	for (unsigned round = 0; round < ROUNDS; round++) {
		if (world_random(&stream.random) & 1)
			write_some(&stream);
		else
			read_some(&stream);
		if (!(world_random(&stream.random) & 3))
			world_step(stream.world, 0, 64);
	}
	assert_true(stream.read > 10 * BYTES_MAX);
	while (stream.read < stream.written) {
		read_some(&stream);
		world_step(stream.world, 0, 64);
	}
	assert_int_equal(world_place(stream.world, 0)->faults, 0);
	assert_int_equal(world_place(stream.world, 1)->faults, 0);
	world_destroy(stream.world);
}

static void streams_of_any_sizes_arrive_by_short_and_long_ways(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 20; seed++)
		check_stream(seed, NCHAN_PORT_LINE);
}

static void likewise_where_an_index_tells_of_lines(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 10; seed++)
		check_stream(seed, NCHAN_PORT_RING);
}

/* ---- lines that are left --------------------------------------------------------------------*/

static void write_text(struct world *world, uint32_t pipe, const char *text)
{
	assert_int_equal(
		nchan_write(world_place(world, 0), world_end(world, 0, pipe), text, strlen(text)),
		strlen(text));
}

static void a_line_that_is_left_to_its_reader_stops_those_behind_it(void **state)
{
	struct world *world = open_world(0, NCHAN_PORT_LINE);
	struct nchan_place *core = world_place(world, 1);
	char text[8] = "";

	(void)state;
	open_pipe(world, PIPE);
	open_pipe(world, OTHER);
	write_text(world, OTHER, "a");
	write_text(world, PIPE, "left");
	write_text(world, OTHER, "b");
	core->left_to_reader = PIPE;
	assert_int_equal(nchan_place_receive(core, 0, 64), 1);
	assert_int_equal(nchan_place_receive(core, 0, 64), 0);
	assert_int_equal(nchan_take_lines(core, world_end(world, 1, PIPE), 0, text, 7), 4);
	assert_string_equal(text, "left");
	assert_int_equal(nchan_place_receive(core, 0, 64), 1);
	assert_int_equal(nchan_read(core, world_end(world, 1, OTHER), text, 7), 2);
	world_destroy(world);
}

static void nothing_is_left_when_the_owner_leaves_it_no_more(void **state)
{
	struct world *world = open_world(0, NCHAN_PORT_LINE);
	struct nchan_place *core = world_place(world, 1);
	char text[8] = "";

	(void)state;
	open_pipe(world, PIPE);
	write_text(world, PIPE, "left");
	core->left_to_reader = PIPE;
	assert_int_equal(nchan_place_receive(core, 0, 64), 0);
	core->left_to_reader = 0;
	assert_int_equal(nchan_place_receive(core, 0, 64), 1);
	assert_int_equal(nchan_read(core, world_end(world, 1, PIPE), text, 7), 4);
	world_destroy(world);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(streams_of_any_sizes_arrive_by_short_and_long_ways),
		cmocka_unit_test(likewise_where_an_index_tells_of_lines),
		cmocka_unit_test(a_line_that_is_left_to_its_reader_stops_those_behind_it),
		cmocka_unit_test(nothing_is_left_when_the_owner_leaves_it_no_more),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
