/*
 * admission.c - what a spawn may ask of a core's pool of cells, counted here so that a core never
 * has to refuse.
 *
 * A core needs a cell for each pipe of which it has an end, and at the pipe's home more for each
 * place that may write: the host and the cores that were given writing ends; as many as the pipe's
 * capacity, where it has one, else for one line. Other places that read, and the host by which they
 * were given their ends, need one each. Half of each pool is handed out this way; the other half
 * holds the windows of busy pipes. What was counted is given back when the whole pipe is forgotten.
 */
#include <errno.h>
#include <inttypes.h>

#include "runtime/device_int.h"

static uint64_t bit(unsigned core)
{
	return 1ull << core;
}

/* Cells that the home needs for each writing place. */
static uint32_t cells_per_writer(const struct pipe *pipe)
{
	uint32_t capacity = pipe->mode & NCHAN_CAPACITY_MAX;

	return NCHAN_CELLS_PER_ACCOUNT + (capacity ? capacity : 1);
}

/* Cells that a core needs for a pipe. */
static uint32_t cells_at(const struct pipe *pipe, unsigned core)
{
	uint32_t writers = 1 + (uint32_t)__builtin_popcountll(pipe->writing_places);
	uint32_t readers = (uint32_t)__builtin_popcountll(pipe->reading_places);
	uint32_t accounts_of_readers = readers ? 1 + readers : 0;

	return (pipe->places & bit(core) ? NCHAN_CELLS_PER_END : 0) +
	       (pipe->home == core + 1 ? writers * cells_per_writer(pipe) +
						 accounts_of_readers * NCHAN_CELLS_PER_ACCOUNT
				       : 0);
}

/* At most what passing this end adds to core's cells, and to those of the pipe's home. */
static uint32_t cells_wanted(const struct pipe *pipe, bool writes)
{
	uint32_t writers = 1 + (uint32_t)__builtin_popcountll(pipe->writing_places);

	return NCHAN_CELLS_PER_END + (writers + writes) * cells_per_writer(pipe);
}

static bool has_cells(const struct nproc_device *device, unsigned core, uint32_t wanted)
{
	return device->cores[core].cells + wanted <= device->host.identity.cells_max / 2;
}

static int fail_cells(struct nproc_device *device, unsigned core)
{
	return device_fail(device, ENOMEM,
		"core %u has no line to promise to the writers of another pipe (%" PRIu32
		" of %" PRIu32 " cells are spoken for): close pipes",
		core, device->cores[core].cells, device->host.identity.cells_max / 2);
}

/* The host's own pool: accounts of writers elsewhere, and lines that it must forward. */
static bool host_has_cells(const struct nproc_device *device, uint32_t wanted)
{
	const struct nchan_pool *pool = &device->port.place.pool;

	return nchan_pool_spare(pool) > pool->capacity / 8 + wanted;
}

int admission_check(
	struct nproc_device *device, unsigned core, struct npipe *const *ends, unsigned count)
{
	uint32_t wanted = 0, at_host = 0, at_home = 0;

	for (unsigned i = 0; i < count; i++) {
		const struct pipe *pipe = &device->pipes[ends[i]->pipe];

		wanted += cells_wanted(pipe, ends[i]->writes);
		at_host += cells_per_writer(pipe); /* an account of a reader needs less */
		at_home += cells_per_writer(pipe);
		if (pipe->home && !has_cells(device, pipe->home - 1u, at_home))
			return fail_cells(device, pipe->home - 1u);
	}
	if (!has_cells(device, core, wanted))
		return fail_cells(device, core);
	if (!host_has_cells(device, at_host))
		return device_fail(device, ENOMEM,
			"the host has no line to promise to another writer: close pipes");
	return 0;
}

/* Counts a pipe's cells anew around a change to it. */
static void count_cells(
	struct nproc_device *device, const struct pipe *pipe, unsigned core, bool in)
{
	uint32_t cells = cells_at(pipe, core);

	device->cores[core].cells += in ? cells : -cells;
}

static void count_places(struct nproc_device *device, const struct pipe *pipe, bool in)
{
	uint64_t places = pipe->places | (pipe->home ? bit(pipe->home - 1u) : 0);

	for (; places; places &= places - 1)
		count_cells(device, pipe, (unsigned)__builtin_ctzll(places), in);
}

void admission_charge(
	struct nproc_device *device, unsigned core, const struct npipe *end, bool lent)
{
	struct pipe *pipe = &device->pipes[end->pipe];

	count_places(device, pipe, false);
	pipe->places |= bit(core);
	if (end->writes)
		pipe->writing_places |= bit(core);
	else if (!lent)
		pipe->home = (uint8_t)(core + 1);
	else if (pipe->home != core + 1)
		pipe->reading_places |= bit(core);
	count_places(device, pipe, true);
}

bool admission_charge_home(struct nproc_device *device, unsigned core, struct pipe *pipe)
{
	if (!has_cells(device, core, NCHAN_CELLS_PER_END + 2 * cells_per_writer(pipe)))
		return false;
	pipe->places = bit(core);
	pipe->writing_places = bit(core);
	pipe->home = (uint8_t)(core + 1);
	count_places(device, pipe, true);
	return true;
}

void admission_release(struct nproc_device *device, struct pipe *pipe)
{
	count_places(device, pipe, false);
	pipe->places = 0;
	pipe->writing_places = 0;
	pipe->reading_places = 0;
	pipe->home = 0;
}
