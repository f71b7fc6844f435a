#include "tests/channels/world.h"

#include <stdlib.h>
#include <string.h>

/* Which end a line of world_give() brings. */
enum {
	READS,
	WRITES,
	BORROWS
};

static uint64_t on_deliver(void *context, struct nchan_end *end, const void *bytes, uint64_t nbytes)
{
	const struct world_place *here = context;
	struct world *world = here->world;

	return world->deliver ? world->deliver(world, here->place.self, end, bytes, nbytes) : 0;
}

static void on_readable(void *context, struct nchan_end *end)
{
	struct world_place *here = context;

	(void)end;
	here->readable++;
}

static void on_writable(void *context, struct nchan_end *end)
{
	struct world_place *here = context;

	(void)end;
	here->writable++;
}

static void on_forgotten(void *context, uint32_t pipe)
{
	struct world_place *here = context;

	here->forgotten++;
	here->last_forgotten = pipe;
	if (here->world->forgotten)
		here->world->forgotten(here->world, pipe);
}

static bool take_name(struct world_place *here, unsigned from, const struct nchan_line *line)
{
	uint32_t pipe;

	if (here->place.self != NCHAN_HOST) {
		pipe = nchan_head_pipe(line->head);
		if (!nchan_take_name(&here->place, line))
			return false;
		for (unsigned writes = 0; writes < 2 && pipe && here->world->adopted; writes++)
			here->world->adopted(here->world, here->place.self, pipe, writes);
		return true;
	}
	pipe = here->world->name_for ? here->world->name_for(here->world, from) : 0;
	if (pipe && !nchan_create_away(&here->place, pipe, from))
		return false;
	nchan_place_send(&here->place, from, nchan_head(NCHAN_NAME, 8, pipe, 0), line->word, 8);
	return true;
}

static bool on_message(void *context, unsigned from, const struct nchan_line *line)
{
	struct world_place *here = context;
	uint32_t name = (uint32_t)line->word[0], pipe = name & NCHAN_PIPE_MAX;
	bool writes = line->word[1] == WRITES;
	struct nchan_end *end = NULL;

	if (nchan_head_kind(line->head) == NCHAN_NAME)
		return take_name(here, from, line);
	if (nchan_head_kind(line->head) == NCHAN_WANT)
		end = nchan_take_back(&here->place, pipe, from, writes);
	else if (nchan_head_kind(line->head) == NCHAN_SPAWN)
		end = line->word[1] == BORROWS ? nchan_borrow(&here->place, name)
					       : nchan_adopt(&here->place, name, writes);
	if (!end)
		return false;
	if (here->world->adopted)
		here->world->adopted(here->world, here->place.self, pipe, writes);
	return true;
}

static void on_wake(void *context, unsigned place)
{
	(void)context;
	(void)place;
}

static const struct nchan_events events = {
	.deliver = on_deliver,
	.readable = on_readable,
	.writable = on_writable,
	.forgotten = on_forgotten,
	.message = on_message,
	.wake = on_wake,
};

static void place_init(struct world *world, unsigned self, uint64_t start, uint32_t cells)
{
	struct world_place *here = &world->places[self];

	here->world = world;
	nchan_place_init(&here->place, self, world->count, here->links, &events, here);
	nchan_pool_init(&here->place.pool, here->cells, cells);
	here->place.ends = here->ends;
	here->place.pipes_max = WORLD_PIPES;
	for (unsigned i = 0; i < world->count; i++) {
		nchan_tx_init(&here->links[i].tx, &world->fifos[self * world->count + i], 1, start);
		nchan_rx_init(&here->links[i].rx, &world->fifos[i * world->count + self], 1, start);
	}
	nchan_place_open_calls(&here->place, world->calls, 1);
}

static void *zeroed(size_t count, size_t nbytes)
{
	void *memory = aligned_alloc(128, (count * nbytes + 127) / 128 * 128);

	return memory ? memset(memory, 0, count * nbytes) : NULL;
}

struct world *world_create(unsigned cores, uint64_t start, uint32_t cells)
{
	struct world *world = calloc(1, sizeof(*world));

	world->count = cores + 1;
	world->places = zeroed(world->count, sizeof(*world->places));
	world->fifos = zeroed((size_t)world->count * world->count, sizeof(*world->fifos));
	world->calls = zeroed(NCHAN_CALL_LINES, sizeof(*world->calls));
	for (unsigned i = 0; i < world->count; i++)
		place_init(world, i, start, cells);
	return world;
}

void world_destroy(struct world *world)
{
	free(world->places);
	free(world->fifos);
	free(world->calls);
	free(world);
}

struct nchan_place *world_place(struct world *world, unsigned place)
{
	return &world->places[place].place;
}

struct nchan_end *world_end(struct world *world, unsigned place, uint32_t pipe)
{
	return nchan_find(&world->places[place].place, pipe);
}

bool world_can_give(const struct world *world, unsigned to)
{
	return nchan_place_room(&world->places[0].place, to) > 0;
}

void world_give(struct world *world, struct nchan_end *end, unsigned to, bool writes, bool move)
{
	struct nchan_place *host = world_place(world, 0);
	bool lends = !writes && !nchan_has_all_readers(end, 1);
	uint64_t payload[2] = {nchan_name_of(end), writes ? WRITES : lends ? BORROWS : READS};

	nchan_place_send(
		host, to, nchan_head(NCHAN_SPAWN, sizeof(payload), 0, 0), payload, sizeof(payload));
	if (!writes) {
		(lends ? nchan_lend_reader : nchan_pass_reader)(host, end, to);
		return;
	}
	nchan_pass_writer(host, end, to);
	if (move)
		nchan_drop_writer(host, end);
}

bool world_hand_back(struct world *world, unsigned place, uint32_t pipe, bool writes)
{
	struct nchan_place *here = world_place(world, place);
	struct nchan_end *end = world_end(world, place, pipe);
	uint64_t payload[2] = {pipe, writes ? WRITES : READS};
	uint64_t written = 0, taken = 0;

	if (writes)
		nchan_home_positions(here, end, &written, &taken);
	if (written != taken || nchan_may_hand_back(here, end, 1, writes) ||
		nchan_place_room(here, NCHAN_HOST) < 3)
		return false;
	nchan_hand_back(here, end, writes);
	nchan_place_send(here, NCHAN_HOST, nchan_head(NCHAN_WANT, sizeof(payload), 0, 0), payload,
		sizeof(payload));
	(writes ? nchan_drop_writer : nchan_drop_reader)(here, end);
	return true;
}

bool world_step(struct world *world, unsigned place, unsigned budget)
{
	struct nchan_place *here = world_place(world, place);
	bool moved = nchan_place_receive_calls(here);

	for (unsigned i = 0; i < world->count; i++)
		if (i != place)
			moved |= nchan_place_receive(here, i, budget) > 0;
	moved |= nchan_place_flush(here);
	nchan_place_report(here, !moved);
	return moved;
}

void world_settle(struct world *world)
{
	bool moved = true;

	while (moved) {
		moved = false;
		for (unsigned i = 0; i < world->count; i++)
			moved |= world_step(world, i, 64);
	}
}

uint64_t world_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state * 0x2545f4914f6cdd1dull >> 16;
}
