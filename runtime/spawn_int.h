/*
 * spawn_int.h - the parts of a spawn, for the program (spawn.c) and for a process that asked for it
 * (birth.c).
 */
#ifndef NEARSIDE_RUNTIME_SPAWN_INT_H
#define NEARSIDE_RUNTIME_SPAWN_INT_H

#include "runtime/arguments.h"
#include "runtime/device_int.h"
#include "runtime/spawn_lines.h"

struct spawn {
	struct nproc_device *device;
	struct nproc_image *image;
	const struct nproc_attr *attr;
	unsigned kernel;
	unsigned core;
	uint32_t id;
	struct grant_set *grants;
	unsigned grant_lines; /* of them, how many the core must be sent first */
	bool revoke;
	unsigned lines_wanted;
	uint32_t lent; /* bit per end: a reading one of a pipe whose home stays the host */
	/* Two kilobytes that are not cleared: that would take longer than all else. */
	struct arguments arguments;
	struct spawn_lines lines;
};

/* ---- spawn_check.c --------------------------------------------------------------------------- */

/* 0, or why not (detail). */
int spawn_check_attr(const struct spawn *spawn);
int spawn_check_ends(const struct spawn *spawn);
/*
 * Where all reading ends of a pipe go together, it gets its home there; else that stays the host's.
 */
bool spawn_lends(const struct spawn *spawn, const struct npipe *end);

/* ---- spawn.c --------------------------------------------------------------------------------- */

/* Grants for its pointers, a core, an id: 0, or why not (detail). */
int spawn_take(struct spawn *spawn);
void spawn_put_back(struct spawn *spawn);

/* Its lines, under the name that the next process gets. */
void spawn_join(struct spawn *spawn);

/* A process, of which nobody but the caller knows. NULL: no memory. */
struct nproc *spawn_enlist(struct spawn *spawn);

/* Sends it and its ends to the core. False: there is no room for all lines. */
bool spawn_send(struct spawn *spawn);

#endif
