/*
 * far.h - which bytes of far memory are allocated. All bookkeeping lies in host memory; far memory
 * itself is never read or written here.
 *
 * Far memory is a chain of extents without gaps, each used or free; no two free ones are
 * neighbours. Used ones are in a tree by address, free ones in a tree by size: the smallest that
 * fits is taken, from its start.
 */
#ifndef NEARSIDE_RUNTIME_FAR_H
#define NEARSIDE_RUNTIME_FAR_H

#include <stdbool.h>

#include "runtime/pool.h"
#include "runtime/tree.h"

struct grant_use;

struct far_extent {
	struct tree_node node; /* used: by base; free: by nbytes, base */
	struct far_extent *before, *behind;
	uint64_t base;
	uint64_t nbytes;        /* a multiple of NMEM_ALIGN */
	uint64_t asked;         /* of them, how many were asked for; 0: free */
	bool is_arena;          /* the owner's mark */
	struct grant_use *uses; /* grant sets that name it (grants.h) */
};

struct far_memory {
	uint64_t base;
	uint64_t nbytes;
	uint64_t free_nbytes;
	uint64_t touched_end; /* from here on no byte was ever allocated */
	struct tree used, free;
	struct pool extents;
};

/* Multiples of NMEM_ALIGN. -ENOMEM */
int far_create(struct far_memory *far, uint64_t base, uint64_t nbytes);
void far_destroy(struct far_memory *far);

/*
 * At least one byte. *stale_nbytes: so many of the first bytes may have been used before.
 * NULL: no free extent is large enough, or no memory for the bookkeeping.
 */
struct far_extent *far_alloc(struct far_memory *far, uint64_t nbytes, uint64_t *stale_nbytes);
void far_free(struct far_memory *far, struct far_extent *extent);

/* The allocation that holds the byte at this address; NULL: none does. */
struct far_extent *far_find(const struct far_memory *far, uint64_t address);

/* The largest allocation possible now. */
uint64_t far_largest(const struct far_memory *far);

#endif
