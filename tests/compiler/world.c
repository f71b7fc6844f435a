#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <cmocka.h>

#include "world.h"

enum {
	PAGE_BYTES = 4096,
	LINE_BYTES = 56
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

void world_open(struct world *world, size_t nbytes, uint64_t seed)
{
	memset(world, 0, sizeof *world);
	size_t whole = (nbytes + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
	world->mapping_nbytes = whole + PAGE_BYTES;
	world->mapping = mmap(NULL, world->mapping_nbytes, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_ptr_not_equal(world->mapping, MAP_FAILED);
	assert_int_equal(mprotect((char *)world->mapping + whole, PAGE_BYTES, PROT_NONE), 0);
	world->memory = (uint8_t *)world->mapping + whole - nbytes;
	world->nbytes = nbytes;
	world->input_nbytes = 20000 + seed % 1000;
	world->open[0] = world->open[1] = true;
	fill(world->memory, nbytes, 0x123456789 + seed);
	fill(world->input, world->input_nbytes, 0x987654321 + seed);
}

void world_close(struct world *world)
{
	munmap(world->mapping, world->mapping_nbytes);
}

void world_hide(struct world *world, bool hidden)
{
	size_t nbytes = world->mapping_nbytes - PAGE_BYTES;
	assert_int_equal(mprotect(world->mapping, nbytes, hidden ? PROT_NONE : PROT_READ | PROT_WRITE), 0);
}

static bool must_wait(struct world *world)
{
	world->blocked = world->blocks && !world->blocked;
	return world->blocked;
}

int64_t world_read(struct world *world, int64_t fd, void *bytes, uint64_t nbytes)
{
	if (fd != 0 || !world->open[0])
		return -EBADF;
	if (must_wait(world))
		return -EAGAIN;
	size_t there = world->input_nbytes - world->input_at;
	size_t take = nbytes < there ? nbytes : there;
	take = take < LINE_BYTES ? take : LINE_BYTES;
	memcpy(bytes, world->input + world->input_at, take);
	world->input_at += take;
	return (int64_t)take;
}

int64_t world_write(struct world *world, int64_t fd, const void *bytes, uint64_t nbytes)
{
	if (fd != 1 || !world->open[1])
		return -EBADF;
	if (must_wait(world))
		return -EAGAIN;
	size_t put = nbytes < LINE_BYTES ? nbytes : LINE_BYTES;
	assert_true(world->output_nbytes + put <= sizeof world->output);
	memcpy(world->output + world->output_nbytes, bytes, put);
	world->output_nbytes += put;
	return (int64_t)put;
}

int64_t world_close_end(struct world *world, int64_t fd)
{
	if (fd < 0 || fd > 1 || !world->open[fd])
		return -EBADF;
	world->open[fd] = false;
	return 0;
}

void world_assert_equal(const struct world *got, const struct world *expected)
{
	assert_int_equal(got->output_nbytes, expected->output_nbytes);
	assert_memory_equal(got->output, expected->output, expected->output_nbytes);
	assert_int_equal(got->input_at, expected->input_at);
	assert_memory_equal(got->memory, expected->memory, expected->nbytes);
	assert_int_equal(got->open[0], expected->open[0]);
	assert_int_equal(got->open[1], expected->open[1]);
}
