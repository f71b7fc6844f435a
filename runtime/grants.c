#include "runtime/grants.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/lazy.h"

enum {
	BUCKETS = 8192
};

int grants_create(struct grants *grants, uint32_t sets_max)
{
	*grants = (struct grants){.buckets = NULL};
	TAILQ_INIT(&grants->unused);
	if (ids_create(&grants->ids, sets_max))
		return -ENOMEM;
	grants->buckets = lazy_alloc(BUCKETS * sizeof(struct grant_set *));
	grants->stale = lazy_alloc((sets_max + 1) * sizeof(uint64_t));
	if (grants->buckets && grants->stale)
		return 0;
	grants_destroy(grants);
	return -ENOMEM;
}

void grants_destroy(struct grants *grants)
{
	for (unsigned i = 0; grants->buckets && i < BUCKETS; i++) {
		while (grants->buckets[i]) {
			struct grant_set *set = grants->buckets[i];

			grants->buckets[i] = set->next_in_bucket;
			free(set);
		}
	}
	lazy_free(grants->buckets, BUCKETS * sizeof(struct grant_set *));
	lazy_free(grants->stale, (grants->ids.max + 1) * sizeof(uint64_t));
	grants->buckets = NULL;
	grants->stale = NULL;
	ids_destroy(&grants->ids);
}

/* ---- the table ------------------------------------------------------------------------------- */

static uint64_t mix(uint64_t hash, uint64_t word)
{
	hash = (hash ^ word) * 0x9e3779b97f4a7c15;
	return hash ^ hash >> 29;
}

static uint64_t word_of(const struct grant *grant)
{
	return (grant->extent ? grant->extent->base : 0) | grant->is_writable;
}

static struct grant_set **bucket_of(struct grants *grants, const struct grant *list, unsigned count)
{
	uint64_t hash = count;

	for (unsigned i = 0; i < count; i++)
		hash = mix(hash, word_of(&list[i]));
	return &grants->buckets[hash % BUCKETS];
}

static bool is_same(const struct grant_set *set, const struct grant *list, unsigned count)
{
	if (set->count != count)
		return false;
	for (unsigned i = 0; i < count; i++)
		if (set->uses[i].grant.extent != list[i].extent ||
			set->uses[i].grant.is_writable != list[i].is_writable)
			return false;
	return true;
}

static struct grant_set **bucket_of_set(struct grants *grants, const struct grant_set *set)
{
	struct grant list[NK_PARAMS_MAX];

	for (unsigned i = 0; i < set->count; i++)
		list[i] = set->uses[i].grant;
	return bucket_of(grants, list, set->count);
}

/* ---- sets come and go ------------------------------------------------------------------------ */

static void use_link(struct grant_use *use)
{
	struct far_extent *extent = use->grant.extent;

	if (!extent)
		return;
	use->next = extent->uses;
	use->link = &extent->uses;
	if (use->next)
		use->next->link = &use->next;
	extent->uses = use;
}

static void use_unlink(struct grant_use *use)
{
	if (!use->grant.extent)
		return;
	*use->link = use->next;
	if (use->next)
		use->next->link = use->link;
}

/* Cores that were told keep the old set until its number is used again (grants_lines_due()). */
static void drop(struct grants *grants, struct grant_set *set)
{
	struct grant_set **link = bucket_of_set(grants, set);

	while (*link != set)
		link = &(*link)->next_in_bucket;
	*link = set->next_in_bucket;
	TAILQ_REMOVE(&grants->unused, set, unused);
	for (unsigned i = 0; i < set->count; i++)
		use_unlink(&set->uses[i]);
	grants->stale[set->id] |= set->cores;
	ids_put(&grants->ids, set->id);
	free(set);
}

static uint32_t take_id(struct grants *grants)
{
	uint32_t id = ids_take(&grants->ids);

	if (id || TAILQ_EMPTY(&grants->unused))
		return id;
	drop(grants, TAILQ_FIRST(&grants->unused));
	return ids_take(&grants->ids);
}

static int make(
	struct grants *grants, const struct grant *list, unsigned count, struct grant_set **set)
{
	struct grant_set *new = calloc(1, sizeof(*new) + count * sizeof(new->uses[0]));
	struct grant_set **bucket = bucket_of(grants, list, count);
	uint32_t id = new ? take_id(grants) : 0;

	if (!id) {
		free(new);
		return new ? -EAGAIN : -ENOMEM;
	}
	new->id = (uint16_t)id;
	new->count = (uint8_t)count;
	for (unsigned i = 0; i < count; i++) {
		new->uses[i] = (struct grant_use){.set = new, .grant = list[i]};
		use_link(&new->uses[i]);
	}
	new->next_in_bucket = *bucket;
	*bucket = new;
	TAILQ_INSERT_TAIL(&grants->unused, new, unused);
	*set = new;
	return 0;
}

int grants_get(
	struct grants *grants, const struct grant *list, unsigned count, struct grant_set **set)
{
	struct grant_set *found = *bucket_of(grants, list, count);
	int result;

	while (found && !is_same(found, list, count))
		found = found->next_in_bucket;
	result = found ? 0 : make(grants, list, count, &found);
	if (result)
		return result;
	if (!found->living++)
		TAILQ_REMOVE(&grants->unused, found, unused);
	*set = found;
	return 0;
}

void grants_put(struct grants *grants, struct grant_set *set)
{
	if (!--set->living)
		TAILQ_INSERT_TAIL(&grants->unused, set, unused);
}

int grants_forget(struct grants *grants, struct far_extent *extent)
{
	for (const struct grant_use *use = extent->uses; use; use = use->next)
		if (use->set->living)
			return -EBUSY;
	while (extent->uses)
		drop(grants, extent->uses->set);
	return 0;
}

/* ---- what cores know ------------------------------------------------------------------------- */

unsigned grants_lines_due(
	const struct grants *grants, const struct grant_set *set, unsigned core, bool *revoke)
{
	uint64_t bit = 1ull << core;

	*revoke = (grants->stale[set->id] & bit) != 0;
	return set->cores & bit ? 0 : set->count + *revoke;
}

void grants_told(struct grants *grants, struct grant_set *set, unsigned core)
{
	uint64_t bit = 1ull << core;

	set->cores |= bit;
	grants->stale[set->id] &= ~bit;
}

uint64_t grants_nbytes(const struct grant_set *set)
{
	uint64_t nbytes = 0;

	for (unsigned i = 0; i < set->count; i++)
		if (set->uses[i].grant.extent)
			nbytes += set->uses[i].grant.extent->asked;
	return nbytes;
}
