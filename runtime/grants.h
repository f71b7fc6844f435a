/*
 * grants.h - grant sets: what a process may touch, one segment for each far pointer parameter of
 * its kernel.
 *
 * Equal lists are one set, so a thousand processes with the same arguments share it, and a core is
 * told of it once. A set without living processes is kept for the next spawn until its memory is
 * freed or its number is needed.
 *
 *     far_extent --uses--> grant_use ... grant_use <--part of-- grant_set
 */
#ifndef NEARSIDE_RUNTIME_GRANTS_H
#define NEARSIDE_RUNTIME_GRANTS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>

#include "device/abi/kernel.h"
#include "runtime/far.h"
#include "runtime/ids.h"

/* One parameter's argument. */
struct grant {
	struct far_extent *extent; /* NULL: a null pointer */
	bool is_writable;
};

struct grant_set;

/* In the list of its extent. */
struct grant_use {
	struct grant_set *set;
	struct grant grant;
	struct grant_use *next, **link;
};

struct grant_set {
	struct grant_set *next_in_bucket;
	TAILQ_ENTRY(grant_set) unused; /* in the list of unused sets while living is 0 */
	uint64_t cores;                /* bit per core that was told of it */
	uint32_t living;               /* processes, and spawns on their way */
	uint16_t id;
	uint8_t count;
	struct grant_use uses[];
};

struct grants {
	struct ids ids;
	struct grant_set **buckets;
	uint64_t *stale; /* [id]: bit per core that still knows the set that had this id before */
	TAILQ_HEAD(, grant_set) unused; /* the longest unused first */
};

/* sets_max: numbers are 1..sets_max, at most 65535. -ENOMEM */
int grants_create(struct grants *grants, uint32_t sets_max);
/* Also of grants that could not be created. */
void grants_destroy(struct grants *grants);

/*
 * The set for this list of 1..NK_PARAMS_MAX grants, counted as living once more; grants_put()
 * undoes that.
 * -EAGAIN  every number is in use by living processes
 * -ENOMEM
 */
int grants_get(
	struct grants *grants, const struct grant *list, unsigned count, struct grant_set **set);
void grants_put(struct grants *grants, struct grant_set *set);

/*
 * Forgets the sets that name this extent. -EBUSY: a living process was granted it; nothing is
 * changed.
 */
int grants_forget(struct grants *grants, struct far_extent *extent);

/*
 * Lines that a core must be sent before a spawn with this set: 0 once it was told. REVOKE first if
 * *revoke.
 */
unsigned grants_lines_due(
	const struct grants *grants, const struct grant_set *set, unsigned core, bool *revoke);
void grants_told(struct grants *grants, struct grant_set *set, unsigned core);

uint64_t grants_nbytes(const struct grant_set *set);

#endif
