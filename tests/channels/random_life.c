/* random_life.c - what may happen to pipes, and what the model knows of it. */
#include "tests/channels/random_life.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static unsigned pick(struct model *model, unsigned count)
{
	return (unsigned)(world_random(&model->random) % count);
}

static void adopted(struct world *world, unsigned place, uint32_t pipe, bool writes)
{
	struct model *model = world->test;

	for (unsigned i = 0; i < model->reader_count && !writes; i++) {
		struct reader *reader = &model->readers[i];

		if (reader->pipe == pipe && reader->place == place && reader->open &&
			!reader->arrived) {
			reader->arrived = true;
			return;
		}
	}
	for (unsigned i = 0; i < model->writer_count && writes; i++) {
		struct writer *writer = &model->writers[i];

		if (writer->pipe == pipe && writer->place == place && writer->open &&
			!writer->arrived) {
			writer->arrived = true;
			return;
		}
	}
	fail_msg("place %u adopted an end of pipe %u that nobody gave", place, pipe);
}

static bool is_read(const struct model *model, uint32_t pipe)
{
	for (unsigned i = 0; i < model->reader_count; i++)
		if (model->readers[i].pipe == pipe && model->readers[i].open)
			return true;
	return false;
}

static void forgotten(struct world *world, uint32_t pipe)
{
	struct model *model = world->test;

	for (unsigned i = 0; i < model->writer_count; i++)
		assert_false(model->writers[i].pipe == pipe && model->writers[i].open);
	assert_false(is_read(model, pipe));
	model->pipes[pipe].exists = false;
}

static void add_writer(struct model *model, uint32_t pipe, unsigned place, bool arrived)
{
	struct writer *writer = &model->writers[model->writer_count++];

	*writer = (struct writer){.pipe = pipe, .place = place, .arrived = arrived, .open = true};
}

static void add_reader(struct model *model, uint32_t pipe, unsigned place)
{
	struct reader *reader = &model->readers[model->reader_count++];

	*reader = (struct reader){.pipe = pipe, .place = place, .arrived = true, .open = true};
}

static bool has_room_for(const struct model *model, uint32_t pipe)
{
	return !model->pipes[pipe].exists && model->writer_count < WRITERS_MAX &&
	       model->reader_count < READERS_MAX;
}

static void begin_pipe(struct model *model, uint32_t pipe, bool is_of_packets)
{
	for (unsigned i = 0; i < model->writer_count; i++)
		if (model->writers[i].pipe == pipe)
			model->writers[i].pipe = 0; /* of an earlier use of the id */
	for (unsigned i = 0; i < model->reader_count; i++)
		if (model->readers[i].pipe == pipe)
			model->readers[i].pipe = 0;
	model->pipes[pipe] = (struct pipe){.exists = true, .is_of_packets = is_of_packets};
}

static void create(struct model *model)
{
	uint32_t pipe = 1 + pick(model, WORLD_PIPES);
	uint32_t mode = pick(model, 2) ? NCHAN_PACKETS : 0;

	if (pick(model, 2))
		mode |= 1 + pick(model, CAPACITY_MAX);
	if (!has_room_for(model, pipe))
		return;
	/* A pool that others fill may have no first credit left. */
	if (!nchan_create(world_place(model->world, 0), pipe | mode << NCHAN_MODE_SHIFT))
		return;
	begin_pipe(model, pipe, mode & NCHAN_PACKETS);
	add_writer(model, pipe, 0, true);
	add_reader(model, pipe, 0);
}

static uint32_t name_for(struct world *world, unsigned from)
{
	struct model *model = world->test;

	return model->named[from];
}

/* A core makes a pipe; it is known to the model by the id that it is about to get. */
static void create_here(struct model *model)
{
	unsigned core = 1 + pick(model, CORES);
	struct nchan_place *place = world_place(model->world, core);
	uint32_t pipe = 1 + pick(model, WORLD_PIPES);
	struct nchan_end *end;

	if (place->naming || !has_room_for(model, pipe))
		return;
	end = nchan_create_here(place);
	if (!end)
		return;
	model->named[core] = pipe;
	assert_int_equal(nchan_ask_name(place, end), -NCHAN_EBUSY);
	if (!place->naming) { /* no room for the question */
		uint32_t id = nchan_end_id(place, end);

		nchan_drop_reader(place, end);
		nchan_drop_writer(place, nchan_end_by_id(place, id));
		return;
	}
	begin_pipe(model, pipe, false);
	add_writer(model, pipe, core, false);
	add_reader(model, pipe, core);
	model->readers[model->reader_count - 1].arrived = false;
	model->made++;
}

static bool is_here(const struct reader *reader)
{
	return reader->open && reader->arrived;
}

/* The host only passes it on. */
static bool is_passing_through(const struct model *model, const struct reader *reader)
{
	return reader->place == NCHAN_HOST &&
	       nchan_home_of(world_end(model->world, NCHAN_HOST, reader->pipe)) != NCHAN_HOST;
}

static void copy_reader(struct model *model, struct reader *reader)
{
	if (!is_here(reader) || is_passing_through(model, reader) ||
		model->reader_count == READERS_MAX)
		return;
	nchan_dup(world_end(model->world, reader->place, reader->pipe), false);
	add_reader(model, reader->pipe, reader->place);
}

static void give_reader(struct model *model, struct reader *reader)
{
	unsigned core = 1 + pick(model, CORES);

	if (!is_here(reader) || reader->place || !world_can_give(model->world, core))
		return;
	model->passed_on += is_passing_through(model, reader);
	reader->arrived = false;
	reader->place = core;
	reader->waits_for = 0;
	world_give(model->world, world_end(model->world, 0, reader->pipe), core, false, true);
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
		!world_hand_back(model->world, writer->place, writer->pipe, true))
		return;
	writer->place = NCHAN_HOST;
	writer->arrived = false;
	model->handed_back++;
}

static void hand_reader_back(struct model *model, struct reader *reader)
{
	if (!reader->place || !is_here(reader) ||
		!world_hand_back(model->world, reader->place, reader->pipe, false))
		return;
	reader->place = NCHAN_HOST;
	reader->arrived = false;
	reader->waits_for = 0;
	model->handed_back++;
}

static void write_some(struct model *model, struct writer *writer)
{
	struct message messages[MESSAGES_MAX];
	unsigned count = pick(model, 4) ? 1 : 1 + pick(model, MESSAGES_MAX);
	struct nchan_place *place = world_place(model->world, writer->place);
	int64_t result;

	if (!writer->open || !writer->arrived)
		return;
	for (unsigned i = 0; i < count; i++)
		messages[i] =
			(struct message){(uint32_t)(writer - model->writers), writer->written + i};
	/* Whoever waits there is given it within this call. */
	writer->written += count;
	result = nchan_write(place, world_end(model->world, writer->place, writer->pipe), messages,
		count * sizeof(messages[0]));
	if (result > 0) {
		assert_int_equal(result, count * sizeof(messages[0]));
		model->messages += count;
		return;
	}
	writer->written -= count;
	if (result == -NCHAN_EPIPE) {
		assert_false(is_read(model, writer->pipe));
		model->broken++;
	} else {
		assert_int_equal(result, -NCHAN_EAGAIN);
	}
}

static void check_messages(
	struct model *model, uint32_t pipe, const struct message *messages, uint64_t nbytes)
{
	assert_int_equal(nbytes % sizeof(messages[0]), 0);
	for (uint64_t i = 0; i < nbytes / sizeof(messages[0]); i++) {
		struct writer *writer = &model->writers[messages[i].writer];

		assert_true(messages[i].writer < model->writer_count);
		assert_int_equal(writer->pipe, pipe);
		assert_int_equal(messages[i].count, writer->read);
		assert_true(writer->read < writer->written);
		writer->read++;
	}
}

/* To the first that waits at this place: what it has room for. */
static uint64_t deliver(struct world *world, unsigned place, struct nchan_end *end,
	const void *bytes, uint64_t nbytes)
{
	struct model *model = world->test;

	for (unsigned i = 0; i < model->reader_count; i++) {
		struct reader *reader = &model->readers[i];
		uint64_t room = reader->waits_for * sizeof(struct message);

		if (reader->pipe != nchan_pipe_of(end) || reader->place != place || !room)
			continue;
		if (nbytes > room && model->pipes[reader->pipe].is_of_packets)
			return 0;
		nbytes = nbytes < room ? nbytes : room;
		check_messages(model, reader->pipe, bytes, nbytes);
		reader->waits_for = 0;
		model->delivered++;
		model->borrowed += nchan_home_of(end) != place;
		return nbytes;
	}
	return 0;
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

/* Who waits sometimes gives up, as a process that is killed does. */
static void read_some(struct model *model, struct reader *reader)
{
	struct message messages[20];
	struct nchan_place *place = world_place(model->world, reader->place);
	unsigned count = 1 + pick(model, 20);
	int64_t result;

	if (!is_here(reader) || is_passing_through(model, reader))
		return;
	reader->waits_for = 0;
	result = nchan_read(place, world_end(model->world, reader->place, reader->pipe), messages,
		count * sizeof(messages[0]));
	if (result == 0)
		check_end_of_file(model, reader->pipe);
	if (result == -NCHAN_EAGAIN && pick(model, 8)) {
		reader->waits_for = count;
		*nchan_read_waiter(world_end(model->world, reader->place, reader->pipe)) = 1;
	}
	if (result == -NCHAN_EMSGSIZE) {
		assert_true(model->pipes[reader->pipe].is_of_packets && count < MESSAGES_MAX);
	} else if (result < 0) {
		assert_int_equal(result, -NCHAN_EAGAIN);
	} else {
		assert_false(model->pipes[reader->pipe].is_of_packets &&
			     result > MESSAGES_MAX * (int64_t)sizeof(messages[0]));
		check_messages(model, reader->pipe, messages, (uint64_t)result);
	}
}

static void close_writer(struct model *model, struct writer *writer)
{
	if (!writer->open || !writer->arrived)
		return;
	writer->open = false;
	nchan_drop_writer(world_place(model->world, writer->place),
		world_end(model->world, writer->place, writer->pipe));
}

static void close_reader(struct model *model, struct reader *reader)
{
	if (!is_here(reader))
		return;
	reader->open = false;
	reader->waits_for = 0;
	nchan_drop_reader(world_place(model->world, reader->place),
		world_end(model->world, reader->place, reader->pipe));
}

static struct reader *some_reader(struct model *model)
{
	struct reader *reader =
		&model->readers[pick(model, model->reader_count ? model->reader_count : 1)];

	return reader->pipe ? reader : NULL;
}

static struct writer *some_writer(struct model *model)
{
	struct writer *writer =
		&model->writers[pick(model, model->writer_count ? model->writer_count : 1)];

	return writer->pipe ? writer : NULL;
}

void life_go_on(struct model *model)
{
	struct writer *writer = some_writer(model);
	struct reader *reader = some_reader(model);
	unsigned what = pick(model, 100);

	if (what < 4)
		pick(model, 4) ? create(model) : create_here(model);
	else if (what < 7 && reader)
		give_reader(model, reader);
	else if (what < 8 && reader)
		hand_reader_back(model, reader);
	else if (what < 9 && reader)
		copy_reader(model, reader);
	else if (what < 12 && writer)
		give_writer(model, writer);
	else if (what < 14 && writer)
		hand_back(model, writer);
	else if (what < 45 && writer)
		write_some(model, writer);
	else if (what < 75 && reader)
		read_some(model, reader);
	else if (what < 77 && writer)
		close_writer(model, writer);
	else if (what < 79 && reader)
		close_reader(model, reader);
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
	for (unsigned i = 0; i < model->reader_count; i++) {
		struct reader *reader = &model->readers[i];

		while (reader->pipe && is_here(reader) && !is_passing_through(model, reader) &&
			!model->pipes[reader->pipe].saw_end) {
			read_some(model, reader);
			world_settle(model->world);
		}
	}
	for (unsigned i = 0; i < model->reader_count; i++)
		if (model->readers[i].pipe)
			close_reader(model, &model->readers[i]);
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

void life_begin(struct model *model, uint64_t seed, uint64_t start, uint32_t cells)
{
	*model = (struct model){.random = seed * 0x9e3779b97f4a7c15ull | 1};
	model->world = world_create(CORES, start, cells);
	model->world->test = model;
	model->world->adopted = adopted;
	model->world->deliver = deliver;
	model->world->forgotten = forgotten;
	model->world->name_for = name_for;
}

void life_end(struct model *model)
{
	close_all(model);
	check_nothing_left(model);
	world_destroy(model->world);
}
