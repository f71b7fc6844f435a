/*
 * world_pipes.c - the part of a world that needs no operating system: contents, pipes, what is left
 * of both.
 */
#include "world.h"

enum {
	LINE_BYTES = 56,
	NOT_OPEN = -9,
	WAIT = -11,
	NOT_ENOUGH = -28
};

static uint64_t next(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

static void fill(uint8_t *bytes, size_t nbytes, uint64_t state)
{
	for (size_t i = 0; i < nbytes; i++)
		bytes[i] = (uint8_t)(next(&state) >> 32);
}

static void copy(uint8_t *to, const uint8_t *from, size_t nbytes)
{
	for (size_t i = 0; i < nbytes; i++)
		to[i] = from[i];
}

void world_fill(struct world *world, uint64_t seed)
{
	world->input_nbytes = 20000 + seed % 1000;
	world->input_at = world->output_nbytes = 0;
	world->open[0] = world->open[1] = true;
	fill(world->memory, world->nbytes, 0x123456789 + seed);
	fill(world->input, world->input_nbytes, 0x987654321 + seed);
}

static uint64_t add_bytes(uint64_t hash, const uint8_t *bytes, size_t nbytes)
{
	for (size_t i = 0; i < nbytes; i++)
		hash = (hash ^ bytes[i]) * 0x100000001b3;
	return hash;
}

uint64_t world_hash(const struct world *world)
{
	uint64_t hash =
		add_bytes(0xcbf29ce484222325 + world->input_at, world->memory, world->nbytes);
	return add_bytes(hash, world->output, world->output_nbytes);
}

static bool must_wait(struct world *world)
{
	world->blocked = world->blocks && !world->blocked;
	return world->blocked;
}

int64_t world_read(struct world *world, int64_t fd, void *bytes, uint64_t nbytes)
{
	if (fd != 0 || !world->open[0])
		return NOT_OPEN;
	if (must_wait(world))
		return WAIT;
	size_t there = world->input_nbytes - world->input_at;
	size_t take = nbytes < there ? nbytes : there;
	take = take < LINE_BYTES ? take : LINE_BYTES;
	copy(bytes, world->input + world->input_at, take);
	world->input_at += take;
	return (int64_t)take;
}

int64_t world_write(struct world *world, int64_t fd, const void *bytes, uint64_t nbytes)
{
	if (fd != 1 || !world->open[1])
		return NOT_OPEN;
	if (must_wait(world))
		return WAIT;
	size_t put = nbytes < LINE_BYTES ? nbytes : LINE_BYTES;
	if (put > sizeof world->output - world->output_nbytes)
		return NOT_ENOUGH;
	copy(world->output + world->output_nbytes, bytes, put);
	world->output_nbytes += put;
	return (int64_t)put;
}

int64_t world_close_end(struct world *world, int64_t fd)
{
	if (fd < 0 || fd > 1 || !world->open[fd])
		return NOT_OPEN;
	world->open[fd] = false;
	return 0;
}
