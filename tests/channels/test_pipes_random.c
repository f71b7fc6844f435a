/*
 * test_pipes_random.c - random lives of pipes between a host and cores, against a simple model.
 * Some are of packets, some have a capacity.
 *
 * Every message carries its writer's number and its count. Claims, for each seed: messages of a
 * writer arrive once, in order, all of them before end of file; end of file comes only after every
 * writer closed; a write after the last reader closed fails with -EPIPE and nothing else does; when
 * all is closed every pipe is forgotten, every cell is free again, no promise is left, and no line
 * made no sense.
 * NEARSIDE_SEED=N runs one seed.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/channels/world.h"

enum {
	CORES = 3,
	WRITERS_MAX = 400,
	OPERATIONS = 6000,
	SEEDS = 150,
	CAPACITY_MAX = 5,
	/* Twice what all pipes need with the largest capacity: other windows hardly grow. */
	SCARCE_CELLS =
		2 * WORLD_PIPES *
		(NCHAN_CELLS_PER_END + (CORES + 1) * (NCHAN_CELLS_PER_ACCOUNT + CAPACITY_MAX)),
};

struct message {
	uint32_t writer;
	uint32_t count;
};

/* One writing end somewhere: at the host, on its way to a core, or at a core. */
struct writer {
	uint32_t pipe;
	unsigned place;
	uint32_t written;
	uint32_t read;
	bool arrived; /* the place has it */
	bool open;
};

struct pipe {
	bool exists, is_of_packets;
	bool reader_open, reader_arrived, reader_given;
	unsigned reader_place;
	bool broken; /* the reader has closed */
	bool saw_end;
};

struct model {
	struct world *world;
	uint64_t random;
	struct pipe pipes[WORLD_PIPES + 1];
	struct writer writers[WRITERS_MAX];
	unsigned writer_count;
	uint64_t messages, ends_of_file, broken, handed_back;
};

static unsigned pick(struct model *model, unsigned count)
{
	return (unsigned)(world_random(&model->random) % count);
}

static void adopted(struct world *world, unsigned place, uint32_t pipe, bool writes)
{
	struct model *model = world->test;

	if (!writes) {
		model->pipes[pipe].reader_arrived = true;
		return;
	}
	for (unsigned i = 0; i < model->writer_count; i++) {
		struct writer *writer = &model->writers[i];

		if (writer->pipe == pipe && writer->place == place && writer->open &&
			!writer->arrived) {
			writer->arrived = true;
			return;
		}
	}
	fail_msg("place %u adopted a writer of pipe %u that nobody gave", place, pipe);
}

static void forgotten(struct world *world, uint32_t pipe)
{
	struct model *model = world->test;

	for (unsigned i = 0; i < model->writer_count; i++)
		assert_false(model->writers[i].pipe == pipe && model->writers[i].open);
	assert_false(model->pipes[pipe].reader_open);
	model->pipes[pipe].exists = false;
}

static void add_writer(struct model *model, uint32_t pipe, unsigned place, bool arrived)
{
	struct writer *writer = &model->writers[model->writer_count++];

	*writer = (struct writer){.pipe = pipe, .place = place, .arrived = arrived, .open = true};
}

static void create(struct model *model)
{
	uint32_t pipe = 1 + pick(model, WORLD_PIPES);
	uint32_t mode = pick(model, 2) ? NCHAN_PACKETS : 0;

	if (pick(model, 2))
		mode |= 1 + pick(model, CAPACITY_MAX);
	if (model->pipes[pipe].exists || model->writer_count == WRITERS_MAX)
		return;
	/* A pool that others fill may have no first credit left. */
	if (!nchan_create(world_place(model->world, 0), pipe | mode << NCHAN_MODE_SHIFT))
		return;
	for (unsigned i = 0; i < model->writer_count; i++)
		if (model->writers[i].pipe == pipe)
			model->writers[i].pipe = 0; /* of an earlier use of the id */
	model->pipes[pipe] = (struct pipe){.exists = true,
		.is_of_packets = mode & NCHAN_PACKETS,
		.reader_open = true,
		.reader_arrived = true};
	add_writer(model, pipe, 0, true);
}

static void give_reader(struct model *model, uint32_t pipe)
{
	struct pipe *p = &model->pipes[pipe];
	unsigned core = 1 + pick(model, CORES);

	if (!p->exists || !p->reader_open || p->reader_given || !world_can_give(model->world, core))
		return;
	p->reader_given = true;
	p->reader_arrived = false;
	p->reader_place = core;
	world_give(model->world, world_end(model->world, 0, pipe), core, false, true);
}

static void give_writer(struct model *model, struct writer *writer)
{
	unsigned core = 1 + pick(model, CORES);
	bool move = pick(model, 2);
	struct nchan_end *end;

	if (writer->place || !writer->open || !writer->arrived ||
		model->writer_count == WRITERS_MAX || !world_can_give(model->world, core))
		return;
	end = world_end(model->world, 0, writer->pipe);
	add_writer(model, writer->pipe, core, false);
	if (move)
		writer->open = false;
	world_give(model->world, end, core, true, move);
}

static void hand_back(struct model *model, struct writer *writer)
{
	if (!writer->place || !writer->open || !writer->arrived ||
		!world_hand_back(model->world, writer->place, writer->pipe))
		return;
	writer->place = NCHAN_HOST;
	writer->arrived = false;
	model->handed_back++;
}

static void write_some(struct model *model, struct writer *writer)
{
	struct message message = {(uint32_t)(writer - model->writers), writer->written};
	struct nchan_place *place = world_place(model->world, writer->place);
	int64_t result;

	if (!writer->open || !writer->arrived)
		return;
	result = nchan_write(place, world_end(model->world, writer->place, writer->pipe), &message,
		sizeof(message));
	if (result == sizeof(message)) {
		writer->written++;
		model->messages++;
	} else if (result == -NCHAN_EPIPE) {
		assert_true(model->pipes[writer->pipe].broken);
		model->broken++;
	} else {
		assert_int_equal(result, -NCHAN_EAGAIN);
	}
}

static void check_message(struct model *model, uint32_t pipe, const struct message *message)
{
	struct writer *writer = &model->writers[message->writer];

	assert_true(message->writer < model->writer_count);
	assert_int_equal(writer->pipe, pipe);
	assert_int_equal(message->count, writer->read);
	writer->read++;
}

static void check_end_of_file(struct model *model, uint32_t pipe)
{
	for (unsigned i = 0; i < model->writer_count; i++) {
		struct writer *writer = &model->writers[i];

		if (writer->pipe != pipe)
			continue;
		assert_false(writer->open);
		assert_int_equal(writer->read, writer->written);
	}
	model->pipes[pipe].saw_end = true;
	model->ends_of_file++;
}

static void read_some(struct model *model, uint32_t pipe)
{
	struct pipe *p = &model->pipes[pipe];
	struct message messages[20];
	struct nchan_place *place = world_place(model->world, p->reader_place);
	int64_t result;

	if (!p->exists || !p->reader_open || !p->reader_arrived)
		return;
	result = nchan_read(place, world_end(model->world, p->reader_place, pipe), messages,
		(1 + pick(model, 20)) * sizeof(messages[0]));
	if (result == 0)
		check_end_of_file(model, pipe);
	else if (result < 0)
		assert_int_equal(result, -NCHAN_EAGAIN);
	assert_false(p->is_of_packets && result > (int64_t)sizeof(messages[0]));
	for (int64_t i = 0; i < result / (int64_t)sizeof(messages[0]); i++)
		check_message(model, pipe, &messages[i]);
}

static void close_writer(struct model *model, struct writer *writer)
{
	if (!writer->open || !writer->arrived)
		return;
	writer->open = false;
	nchan_drop_writer(world_place(model->world, writer->place),
		world_end(model->world, writer->place, writer->pipe));
}

static void close_reader(struct model *model, uint32_t pipe)
{
	struct pipe *p = &model->pipes[pipe];

	if (!p->exists || !p->reader_open || !p->reader_arrived)
		return;
	p->reader_open = false;
	p->broken = true;
	nchan_drop_reader(world_place(model->world, p->reader_place),
		world_end(model->world, p->reader_place, pipe));
}

static struct writer *some_writer(struct model *model)
{
	struct writer *writer =
		&model->writers[pick(model, model->writer_count ? model->writer_count : 1)];

	return writer->pipe ? writer : NULL;
}

static void operate(struct model *model)
{
	struct writer *writer = some_writer(model);
	uint32_t pipe = 1 + pick(model, WORLD_PIPES);
	unsigned what = pick(model, 100);

	if (what < 4)
		create(model);
	else if (what < 8)
		give_reader(model, pipe);
	else if (what < 12 && writer)
		give_writer(model, writer);
	else if (what < 14 && writer)
		hand_back(model, writer);
	else if (what < 45 && writer)
		write_some(model, writer);
	else if (what < 75)
		read_some(model, pipe);
	else if (what < 77 && writer)
		close_writer(model, writer);
	else if (what < 78)
		close_reader(model, pipe);
	else
		world_step(model->world, pick(model, CORES + 1), 1 + pick(model, 8));
}

static void close_all(struct model *model)
{
	world_settle(model->world);
	for (unsigned i = 0; i < model->writer_count; i++)
		if (model->writers[i].pipe)
			close_writer(model, &model->writers[i]);
	world_settle(model->world);
	for (uint32_t pipe = 1; pipe <= WORLD_PIPES; pipe++) {
		struct pipe *p = &model->pipes[pipe];

		while (p->exists && p->reader_open && !p->saw_end) {
			read_some(model, pipe);
			world_settle(model->world);
		}
		close_reader(model, pipe);
	}
	world_settle(model->world);
}

static void check_nothing_left(struct model *model)
{
	for (uint32_t pipe = 1; pipe <= WORLD_PIPES; pipe++)
		assert_false(model->pipes[pipe].exists);
	for (unsigned i = 0; i <= CORES; i++) {
		const struct nchan_place *place = world_place(model->world, i);

		assert_int_equal(place->faults, 0);
		assert_int_equal(place->pool.used, 0);
		assert_int_equal(place->pool.promised, 0);
		assert_int_equal(place->owing_count, 0);
	}
}

static void live(uint64_t seed, uint64_t start, uint32_t cells, struct model *model)
{
	*model = (struct model){.random = seed * 0x9e3779b97f4a7c15ull | 1};
	model->world = world_create(CORES, start, cells);
	model->world->test = model;
	model->world->adopted = adopted;
	model->world->forgotten = forgotten;
	for (unsigned i = 0; i < OPERATIONS; i++)
		operate(model);
	close_all(model);
	check_nothing_left(model);
	world_destroy(model->world);
}

static void run_seeds(uint64_t start, uint32_t cells)
{
	const char *wanted = getenv("NEARSIDE_SEED");
	uint64_t first = wanted ? strtoull(wanted, NULL, 0) : 1;
	uint64_t last = wanted ? first : SEEDS;
	uint64_t messages = 0, ends_of_file = 0, broken = 0, handed_back = 0;

	for (uint64_t seed = first; seed <= last; seed++) {
		struct model *model = malloc(sizeof(*model));

		print_message("seed %llu\r", (unsigned long long)seed);
		live(seed, start, cells, model);
		messages += model->messages;
		ends_of_file += model->ends_of_file;
		broken += model->broken;
		handed_back += model->handed_back;
		free(model);
	}
	assert_true(messages > 0);
	if (!wanted) {
		assert_true(ends_of_file > 0);
		assert_true(broken > 0);
		assert_true(handed_back > 0);
	}
}

static void pipes_lose_and_repeat_nothing_in_random_lives(void **state)
{
	(void)state;
	run_seeds(0, WORLD_CELLS);
}

static void likewise_when_cells_are_scarce(void **state)
{
	(void)state;
	run_seeds(0, SCARCE_CELLS);
}

static void likewise_with_counters_that_pass_2_to_31_and_2_to_32_and_2_to_63(void **state)
{
	const uint64_t near[] = {1ull << 31, 1ull << 32, 1ull << 63, 0};

	(void)state;
	for (unsigned i = 0; i < sizeof(near) / sizeof(near[0]); i++)
		run_seeds(near[i] - 64 * 3, WORLD_CELLS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pipes_lose_and_repeat_nothing_in_random_lives),
		cmocka_unit_test(likewise_when_cells_are_scarce),
		cmocka_unit_test(likewise_with_counters_that_pass_2_to_31_and_2_to_32_and_2_to_63),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
