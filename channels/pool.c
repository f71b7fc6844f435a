#include "channels/pool.h"

#include "channels/memory.h"

/* A free cell holds the index of the next one. */
static uint32_t next_of(const struct nchan_pool *pool, uint32_t cell)
{
	uint32_t next;

	nchan_copy(&next, pool->cells[cell].bytes, sizeof(next));
	return next;
}

void nchan_pool_init(struct nchan_pool *pool, struct nchan_cell *cells, uint32_t capacity)
{
	*pool = (struct nchan_pool){.cells = cells, .capacity = capacity};
}

bool nchan_pool_promise(struct nchan_pool *pool, uint32_t count)
{
	if (nchan_pool_spare(pool) < count)
		return false;
	pool->promised += count;
	return true;
}

void nchan_pool_unpromise(struct nchan_pool *pool, uint32_t count)
{
	pool->promised -= count;
}

static uint32_t take(struct nchan_pool *pool)
{
	uint32_t cell = pool->free_head;

	if (cell)
		pool->free_head = next_of(pool, cell);
	else
		cell = ++pool->fresh;
	pool->used++;
	return cell;
}

uint32_t nchan_pool_take(struct nchan_pool *pool)
{
	return nchan_pool_spare(pool) ? take(pool) : 0;
}

uint32_t nchan_pool_take_promised(struct nchan_pool *pool)
{
	pool->promised--;
	return take(pool);
}

void nchan_pool_put(struct nchan_pool *pool, uint32_t cell)
{
	nchan_copy(pool->cells[cell].bytes, &pool->free_head, sizeof(pool->free_head));
	pool->free_head = cell;
	pool->used--;
}
