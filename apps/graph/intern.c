/*
 * Keys lie one after the other in `bytes`, each followed by a 0; `starts` says where each begins.
 * `slots` is an open-addressed hash table of key numbers, at most half full.
 */
#include "apps/graph/intern.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
	FREE_SLOT = 0,
	FIRST_SLOTS = 1024
};

struct intern {
	char *bytes;
	size_t byte_count, byte_capacity;
	size_t *starts; /* count + 1 of them: a key ends where the next begins */
	size_t start_capacity;
	uint64_t count;
	uint64_t *slots; /* number + 1, or FREE_SLOT */
	size_t slot_count;
};

struct intern *intern_create(void)
{
	struct intern *set = calloc(1, sizeof *set);

	if (!set)
		return NULL;
	set->slot_count = FIRST_SLOTS;
	set->slots = calloc(set->slot_count, sizeof *set->slots);
	set->start_capacity = FIRST_SLOTS;
	set->starts = calloc(set->start_capacity, sizeof *set->starts);
	if (set->slots && set->starts)
		return set;
	intern_destroy(set);
	return NULL;
}

void intern_destroy(struct intern *set)
{
	if (!set)
		return;
	free(set->bytes);
	free(set->starts);
	free(set->slots);
	free(set);
}

uint64_t intern_count(const struct intern *set)
{
	return set->count;
}

const void *intern_key(const struct intern *set, uint32_t index)
{
	return set->bytes + set->starts[index];
}

static size_t key_length(const struct intern *set, uint64_t index)
{
	return set->starts[index + 1] - set->starts[index] - 1;
}

/* FNV-1a, its high bits folded in because slots are chosen by the low ones. */
static uint64_t hash_of(const unsigned char *key, size_t nbytes)
{
	uint64_t hash = 0xcbf29ce484222325u;

	for (size_t i = 0; i < nbytes; i++)
		hash = (hash ^ key[i]) * 0x100000001b3u;
	return hash ^ hash >> 32;
}

/* The slot that holds the key, or the free one where it belongs. */
static uint64_t *slot_of(const struct intern *set, const void *key, size_t nbytes)
{
	size_t mask = set->slot_count - 1;

	for (size_t i = hash_of(key, nbytes) & mask;; i = (i + 1) & mask) {
		uint64_t number = set->slots[i];

		if (number == FREE_SLOT)
			return &set->slots[i];
		if (key_length(set, number - 1) == nbytes &&
			memcmp(set->bytes + set->starts[number - 1], key, nbytes) == 0)
			return &set->slots[i];
	}
}

bool intern_find(const struct intern *set, const void *key, size_t nbytes, uint32_t *index)
{
	uint64_t number = *slot_of(set, key, nbytes);

	if (number == FREE_SLOT)
		return false;
	*index = (uint32_t)(number - 1);
	return true;
}

static int grow_slots(struct intern *set)
{
	uint64_t *old = set->slots;

	set->slots = calloc(set->slot_count * 2, sizeof *set->slots);
	if (!set->slots) {
		set->slots = old;
		return -ENOMEM;
	}
	set->slot_count *= 2;
	for (uint64_t i = 0; i < set->count; i++)
		*slot_of(set, intern_key(set, (uint32_t)i), key_length(set, i)) = i + 1;
	free(old);
	return 0;
}

/* Makes room for one more key of nbytes. */
static int reserve(struct intern *set, size_t nbytes)
{
	if (set->byte_count + nbytes + 1 > set->byte_capacity) {
		size_t capacity = (set->byte_capacity + nbytes + 1) * 2;
		char *bytes = realloc(set->bytes, capacity);

		if (!bytes)
			return -ENOMEM;
		set->bytes = bytes;
		set->byte_capacity = capacity;
	}
	if (set->count + 2 > set->start_capacity) {
		size_t *starts = reallocarray(set->starts, set->start_capacity * 2, sizeof *starts);

		if (!starts)
			return -ENOMEM;
		set->starts = starts;
		set->start_capacity *= 2;
	}
	return set->count * 2 < set->slot_count ? 0 : grow_slots(set);
}

int intern_add(struct intern *set, const void *key, size_t nbytes, uint32_t *index)
{
	int error;

	if (intern_find(set, key, nbytes, index))
		return 0;
	if (set->count == UINT32_MAX)
		return -EOVERFLOW;
	error = reserve(set, nbytes);
	if (error)
		return error;
	*slot_of(set, key, nbytes) = set->count + 1;
	memcpy(set->bytes + set->byte_count, key, nbytes);
	set->bytes[set->byte_count + nbytes] = 0;
	set->byte_count += nbytes + 1;
	*index = (uint32_t)set->count++;
	set->starts[set->count] = set->byte_count;
	return 0;
}
