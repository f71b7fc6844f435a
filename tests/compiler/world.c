#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <sys/mman.h>

#include <cmocka.h>

#include "world.h"

enum {
	PAGE_BYTES = 4096
};

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
	world_fill(world, seed);
}

void world_close(struct world *world)
{
	munmap(world->mapping, world->mapping_nbytes);
}

void world_hide(struct world *world, bool hidden)
{
	size_t nbytes = world->mapping_nbytes - PAGE_BYTES;
	assert_int_equal(
		mprotect(world->mapping, nbytes, hidden ? PROT_NONE : PROT_READ | PROT_WRITE), 0);
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
