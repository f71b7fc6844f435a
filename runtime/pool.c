#include "runtime/pool.h"

#include <stdalign.h>
#include <stdlib.h>

enum {
	OBJECTS_PER_CHUNK = 64
};

struct pool_object {
	struct pool_object *next;
};

struct pool_chunk {
	struct pool_chunk *next;
	max_align_t objects[];
};

static size_t object_nbytes(const struct pool *pool)
{
	return (pool->nbytes + alignof(max_align_t) - 1) / alignof(max_align_t) *
	       alignof(max_align_t);
}

static void add_chunk(struct pool *pool)
{
	size_t nbytes = object_nbytes(pool);
	struct pool_chunk *chunk = malloc(sizeof(*chunk) + OBJECTS_PER_CHUNK * nbytes);

	if (!chunk)
		return;
	chunk->next = pool->chunks;
	pool->chunks = chunk;
	for (unsigned i = 0; i < OBJECTS_PER_CHUNK; i++)
		pool_put(pool, (char *)chunk->objects + i * nbytes);
}

void *pool_take(struct pool *pool)
{
	struct pool_object *object;

	if (!pool->free)
		add_chunk(pool);
	object = pool->free;
	if (object)
		pool->free = object->next;
	return object;
}

void pool_put(struct pool *pool, void *memory)
{
	struct pool_object *object = memory;

	object->next = pool->free;
	pool->free = object;
}

void pool_destroy(struct pool *pool)
{
	while (pool->chunks) {
		struct pool_chunk *chunk = pool->chunks;

		pool->chunks = chunk->next;
		free(chunk);
	}
	pool->free = NULL;
}
