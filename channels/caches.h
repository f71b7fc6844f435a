/*
 * caches.h - memory that is not coherent: what one side stores reaches the other only when its
 * caches are told to write it back, and is seen there only when theirs are told to forget what they
 * have.
 *
 *     writer                                reader
 *     stores
 *     publish: the lines are in memory      refresh: the next loads come from memory
 *                                           loads
 *
 * A side is the host with all its threads, or the device with all its cores; within one, memory is
 * coherent. The line is the unit: what is published, or thrown out of a cache by chance, goes to
 * memory as a whole line. So a line has one writer, or its writers take turns.
 *
 * A NULL `caches` is coherent memory, where all of this is nothing. Freestanding.
 */
#ifndef NEARSIDE_CHANNELS_CACHES_H
#define NEARSIDE_CHANNELS_CACHES_H

#include "channels/line.h"
#include "channels/memory.h"

struct nchan_caches {
	/*
	 * The lines that these bytes lie in are in memory, as this side sees them, before anything
	 * that is published later.
	 */
	void (*publish)(const struct nchan_caches *caches, const void *bytes, uint64_t nbytes);
	/*
	 * What is loaded afterwards from these lines was in memory at the time of the call, or
	 * later. What this side has stored there, and not published, goes to memory first.
	 */
	void (*refresh)(const struct nchan_caches *caches, const void *bytes, uint64_t nbytes);
};

/* Goes through the lines that these bytes lie in: `line` is the first byte of each. */
#define NCHAN_FOR_EACH_LINE(line, bytes, nbytes)                                               \
	for (const char *line = (const char *)(bytes) - (uintptr_t)(bytes) % NCHAN_LINE_BYTES, \
			*line##_end = (const char *)(bytes) + (nbytes);                        \
		(nbytes) && line < line##_end; line += NCHAN_LINE_BYTES)

static inline void nchan_publish(
	const struct nchan_caches *caches, const void *bytes, uint64_t nbytes)
{
	if (nchan_unlikely(caches != NULL))
		caches->publish(caches, bytes, nbytes);
}

static inline void nchan_refresh(
	const struct nchan_caches *caches, const void *bytes, uint64_t nbytes)
{
	if (nchan_unlikely(caches != NULL))
		caches->refresh(caches, bytes, nbytes);
}

/* A word for the other side. Who hears it sees all that was stored, or published, before. */
static inline void nchan_tell(const struct nchan_caches *caches, uint64_t *word, uint64_t value)
{
	nchan_store_release(word, value);
	nchan_publish(caches, word, sizeof(*word));
}

/* A word of the other side. */
static inline uint64_t nchan_hear(const struct nchan_caches *caches, const uint64_t *word)
{
	nchan_refresh(caches, word, sizeof(*word));
	return nchan_load_acquire(word);
}

#endif
