#include "runtime/ids.h"

#include <errno.h>

#include "runtime/lazy.h"

static size_t table_nbytes(const struct ids *ids)
{
	return (size_t)ids->max * sizeof(*ids->returned);
}

int ids_create(struct ids *ids, uint32_t max)
{
	*ids = (struct ids){.max = max};
	ids->returned = lazy_alloc(table_nbytes(ids));
	return ids->returned ? 0 : -ENOMEM;
}

void ids_destroy(struct ids *ids)
{
	lazy_free(ids->returned, table_nbytes(ids));
	ids->returned = NULL;
}

uint32_t ids_take(struct ids *ids)
{
	if (ids->back)
		return ids->returned[--ids->back];
	return ids->fresh < ids->max ? ++ids->fresh : 0;
}

void ids_put(struct ids *ids, uint32_t id)
{
	ids->returned[ids->back++] = id;
}
