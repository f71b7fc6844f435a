/*
 * pool.h - 64-byte cells: a place's waiting lines, its pipe ends and their accounts.
 *
 * A cell is named by its index; 0 is none. A cell can be promised before it is used: a credit is a
 * promise that its line will find a cell, so the pool never gives promised cells away: free >=
 * promised at all times. Cells come zeroed memory that is touched only when used, so capacity costs
 * address space, not memory.
 */
#ifndef NEARSIDE_CHANNELS_POOL_H
#define NEARSIDE_CHANNELS_POOL_H

#include <stdbool.h>
#include <stdint.h>

#include "channels/memory.h"

enum {
	NCHAN_CELL_BYTES = 64
};

struct nchan_cell {
	_Alignas(NCHAN_CELL_BYTES) unsigned char bytes[NCHAN_CELL_BYTES];
};

struct nchan_pool {
	struct nchan_cell *cells; /* capacity + 1; the caller's; [0] is never used */
	uint32_t capacity;
	uint32_t fresh; /* cells [1..fresh] were used before */
	uint32_t free_head;
	uint32_t used;
	uint32_t promised;
};

void nchan_pool_init(struct nchan_pool *pool, struct nchan_cell *cells, uint32_t capacity);

/* Cells that are neither used nor promised. */
static inline uint32_t nchan_pool_spare(const struct nchan_pool *pool)
{
	return pool->capacity - pool->used - pool->promised;
}

/* Promises `count` cells; false, and nothing promised, when they are not there. */
bool nchan_pool_promise(struct nchan_pool *pool, uint32_t count);
void nchan_pool_unpromise(struct nchan_pool *pool, uint32_t count);

static inline void *nchan_pool_at(const struct nchan_pool *pool, uint32_t cell)
{
	return &pool->cells[cell];
}

/* A free cell holds the index of the next one. */
static inline uint32_t nchan_pool_take_free(struct nchan_pool *pool)
{
	uint32_t cell = pool->free_head;

	if (cell)
		nchan_copy(&pool->free_head, nchan_pool_at(pool, cell), sizeof(pool->free_head));
	else
		cell = ++pool->fresh;
	pool->used++;
	return cell;
}

/* A spare cell, not zeroed; 0 when there is none. */
static inline uint32_t nchan_pool_take(struct nchan_pool *pool)
{
	return nchan_pool_spare(pool) ? nchan_pool_take_free(pool) : 0;
}

/* A cell that was promised; there is always one. */
static inline uint32_t nchan_pool_take_promised(struct nchan_pool *pool)
{
	pool->promised--;
	return nchan_pool_take_free(pool);
}

static inline void nchan_pool_put(struct nchan_pool *pool, uint32_t cell)
{
	nchan_copy(nchan_pool_at(pool, cell), &pool->free_head, sizeof(pool->free_head));
	pool->free_head = cell;
	pool->used--;
}

#endif
