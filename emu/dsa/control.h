/*
 * control.h - trouble that the DSA model is asked for: one page that its client may map, at the
 * path in the environment variable NEARSIDE_DSA_MODEL. What stands there counts from the next
 * descriptor on. Options of the command are its first values.
 */
#ifndef NEARSIDE_EMU_DSA_CONTROL_H
#define NEARSIDE_EMU_DSA_CONTROL_H

#include <stdint.h>

#define NDSA_VARIABLE "NEARSIDE_DSA_MODEL"
#define NDSA_NEVER    UINT64_MAX

/* All members are loaded and stored as a whole, with relaxed order. */
struct ndsa_control {
	uint64_t fault_at; /* a page is not there for this byte, counted from the first one done */
	uint64_t fault_is_write; /* 1: of the destination */
	uint64_t faults;         /* to come; the model counts down */
	uint64_t lose;           /* completions that are not stored, of work that is done */
	uint64_t swallow;        /* descriptors that are taken, and nothing is done */
	uint64_t shuffle;        /* so many are collected, then done last first; 0, 1: in order */
	uint64_t stall;          /* 1: nothing is taken, so the queue fills */
	uint64_t refuse;       /* ENQCMDs that are answered with "try again", by who emulates it */
	uint64_t halt_after;   /* descriptors; then the device halts */
	uint64_t vanish_after; /* descriptors; then device and queues are gone */
	uint64_t status;       /* stored in place of doing anything; 0: none */
	/* Counted by the model. */
	uint64_t descriptors; /* that were done; those of batches, too */
	uint64_t batches;
	uint64_t idle;     /* looks that found nothing to do */
	uint64_t to_cache; /* descriptors that asked for the destination in the cache */
};

static inline uint64_t ndsa_get(const uint64_t *word)
{
	return __atomic_load_n(word, __ATOMIC_RELAXED);
}

static inline void ndsa_set(uint64_t *word, uint64_t value)
{
	__atomic_store_n(word, value, __ATOMIC_RELAXED);
}

#endif
