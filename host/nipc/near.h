/*
 * near.h - whether copied bytes go to the cache or past it: by how much is copied before they are
 * used, and learned from how long copies take.
 *
 * What is used so late that it would have left the cache before goes past it. For the rest, which
 * one is better depends on where the reader runs: through a cache that both have, the cache
 * is twice as fast; where they have none in common, every line that is fetched from the other's
 * cache costs more than one from memory. The copies show it: the lines that they overwrite are
 * those that the reader had last.
 */
#ifndef NEARSIDE_HOST_NIPC_NEAR_H
#define NEARSIDE_HOST_NIPC_NEAR_H

#include <stdbool.h>
#include <stdint.h>

#include "host/engine.h"

/* All zero at first. */
struct ipc_near {
	uint64_t ticks[2]; /* for 64 KB to the cache, and past it: what is usual */
	uint32_t turn;
	bool is_told; /* of how long copies take: others do them without a word about that */
};

/* What seems to be better. */
bool ipc_near_is_past(const struct ipc_near *learned);

/* For bytes that are used when so many have been copied, they among them. */
enum nhost_near ipc_near_by_distance(uint64_t distance);

/* For a copy of so many bytes, where the caller has no wish. */
enum nhost_near ipc_near_choose(struct ipc_near *learned, uint64_t nbytes, uint64_t distance);

/* What such a copy took, of the time stamp counter; of 0 nothing is known. */
void ipc_near_learn(
	struct ipc_near *learned, enum nhost_near near, uint64_t nbytes, uint64_t ticks);

#endif
