/* pool.h - objects of one size, taken and put back often, freed all at once. */
#ifndef NEARSIDE_RUNTIME_POOL_H
#define NEARSIDE_RUNTIME_POOL_H

#include <stddef.h>

struct pool_object;
struct pool_chunk;

struct pool {
	size_t nbytes; /* of an object; the other members are zero at first */
	struct pool_object *free;
	struct pool_chunk *chunks;
};

/* Not zeroed; NULL: no memory. */
void *pool_take(struct pool *pool);
void pool_put(struct pool *pool, void *object);

/* Frees every object, taken or not. */
void pool_destroy(struct pool *pool);

#endif
