#include "channels/pool.h"

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
