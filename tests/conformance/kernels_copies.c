/*
 * kernels_copies.c - kernels with scratch memory, and copies that go on while they work.
 */
#include <nearside/kernel.h>

#include "tests/conformance/kernels.h"

enum {
	BLOCK = 4096,
	ALL = NPROC_SCRATCH_MAX
};

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* Adds one to each byte on its way, by blocks: while one is worked on the next one comes. */
NPROC_KERNEL int64_t add_through_scratch(far uint8_t *to, const far uint8_t *from, uint64_t nbytes)
{
	NPROC_SCRATCH uint8_t block[4][BLOCK];
	uint64_t blocks = (nbytes + BLOCK - 1) / BLOCK;
	int get[2], put[2] = {-1, -1};

	get[0] = nmem_get(block[0], from, least(nbytes, BLOCK));
	for (uint64_t i = 0; i < blocks; i++) {
		uint64_t now = i % 2, next = 1 - now, at = i * BLOCK;
		uint64_t count = least(nbytes - at, BLOCK);

		if (i + 1 < blocks)
			get[next] = nmem_get(
				block[next], from + at + BLOCK, least(nbytes - at - BLOCK, BLOCK));
		nmem_wait(get[now]);
		nmem_wait(put[now]);
		for (uint64_t j = 0; j < count; j++)
			block[2 + now][j] = (uint8_t)(block[now][j] + 1);
		put[now] = nmem_put(to + at, block[2 + now], count);
	}
	return 0;
}

/* Fills all of its scratch memory, and returns or waits for ever while it is copied. */
NPROC_KERNEL int64_t put_and(far uint8_t *to, uint8_t value, bool waits)
{
	NPROC_SCRATCH uint8_t bytes[ALL];

	for (uint64_t i = 0; i < sizeof bytes; i++)
		bytes[i] = value;
	do
		nmem_wait(waits ? nmem_put(to, bytes, sizeof bytes) : -1);
	while (waits);
	return nmem_put(to, bytes, sizeof bytes);
}

/* Leases all that a process can, says so, and waits for the end of its pipe. */
NPROC_KERNEL int64_t hold_scratch(void)
{
	NPROC_SCRATCH uint8_t bytes[ALL];
	uint64_t sum = 0;

	npipe_write(1, bytes, 1);
	while (npipe_read(0, bytes, sizeof bytes) > 0)
		sum += bytes[0];
	for (uint64_t i = 0; i < sizeof bytes; i++)
		sum += bytes[i];
	return (int64_t)sum;
}

NPROC_KERNEL int64_t get_outside(const far uint8_t *from, uint64_t nbytes)
{
	NPROC_SCRATCH uint8_t bytes[ALL];

	return nmem_get(bytes, from, nbytes);
}

NPROC_KERNEL int64_t put_where_read_only(const far uint8_t *from)
{
	NPROC_SCRATCH uint8_t bytes[8];

	return nmem_put((far uint8_t *)(uint64_t)from, bytes, sizeof bytes);
}

/* More copies than may be in flight: what the one that is refused says. */
NPROC_KERNEL int64_t put_often(far uint8_t *to)
{
	NPROC_SCRATCH uint8_t bytes[NPROC_COPIES_MAX + 1][64];
	int last = -1, result = 0;

	for (unsigned i = 0; i < NPROC_COPIES_MAX + 1; i++) {
		for (unsigned j = 0; j < sizeof bytes[i]; j++)
			bytes[i][j] = (uint8_t)(i + 1);
		result = nmem_put(to + i * 8, bytes[i], sizeof bytes[i]);
		last = result < 0 ? last : result;
	}
	nmem_wait(last);
	return result;
}

/* Starts children with scratch memory until there is none: how many, then the error. */
NPROC_KERNEL int64_t start_with_scratch(void)
{
	int64_t count = 0, error;

	while ((error = nproc_spawn(NPROC_HERE, hold_scratch())) >= 0)
		count++;
	for (int64_t i = 0; i < count; i++)
		if (nproc_wait(NPROC_ANY_CHILD, NULL) < 0)
			return -1;
	return count * 1000 - error;
}
