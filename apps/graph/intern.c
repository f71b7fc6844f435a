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
	uint64_t *slots; /* hash << 32 | number + 1, or FREE_SLOT */
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

/* FNV-1a, its halves folded into one. */
static uint32_t hash_of(const unsigned char *key, size_t nbytes)
{
	uint64_t hash = 0xcbf29ce484222325u;

	for (size_t i = 0; i < nbytes; i++)
		hash = (hash ^ key[i]) * 0x100000001b3u;
	return (uint32_t)(hash ^ hash >> 32);
}

static uint64_t number_in(uint64_t slot)
{
	return (slot & UINT32_MAX) - 1;
}

static bool is_key(const struct intern *set, uint64_t number, const void *key, size_t nbytes)
{
	return key_length(set, number) == nbytes &&
	       memcmp(set->bytes + set->starts[number], key, nbytes) == 0;
}

/*
 * The slot that holds the key, or the free one where it belongs. The hash spares most looks at
 * keys.
 */
static uint64_t *slot_of(const struct intern *set, uint32_t hash, const void *key, size_t nbytes)
{
	size_t mask = set->slot_count - 1;

	for (size_t i = hash & mask;; i = (i + 1) & mask) {
		uint64_t slot = set->slots[i];

		if (slot == FREE_SLOT)
			return &set->slots[i];
		if (slot >> 32 == hash && is_key(set, number_in(slot), key, nbytes))
			return &set->slots[i];
	}
}

bool intern_find(const struct intern *set, const void *key, size_t nbytes, uint32_t *index)
{
	uint64_t slot = *slot_of(set, hash_of(key, nbytes), key, nbytes);

	if (slot == FREE_SLOT)
		return false;
	*index = (uint32_t)number_in(slot);
	return true;
}

static int grow_slots(struct intern *set)
{
	size_t count = set->slot_count * 2;
	uint64_t *slots = calloc(count, sizeof *slots);

	if (!slots)
		return -ENOMEM;
	for (size_t i = 0; i < set->slot_count; i++) {
		size_t to = set->slots[i] >> 32 & (count - 1);

		if (set->slots[i] == FREE_SLOT)
			continue;
		while (slots[to] != FREE_SLOT)
			to = (to + 1) & (count - 1);
		slots[to] = set->slots[i];
	}
	free(set->slots);
	set->slots = slots;
	set->slot_count = count;
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
	uint32_t hash = hash_of(key, nbytes);
	uint64_t *slot = slot_of(set, hash, key, nbytes);
	int error;

	if (*slot != FREE_SLOT) {
		*index = (uint32_t)number_in(*slot);
		return 0;
	}
	if (set->count == UINT32_MAX)
		return -EOVERFLOW;
	error = reserve(set, nbytes);
	if (error)
		return error;
	*slot_of(set, hash, key, nbytes) = (uint64_t)hash << 32 | (set->count + 1);
	memcpy(set->bytes + set->byte_count, key, nbytes);
	set->bytes[set->byte_count + nbytes] = 0;
	set->byte_count += nbytes + 1;
	*index = (uint32_t)set->count++;
	set->starts[set->count] = set->byte_count;
	return 0;
}
