/*
 * lock.h - a lock for short sections: one atomic operation to take it, none to give it back, while
 * nobody else wants it.
 *
 *     holder                          who finds it taken
 *     word = 0                        wanted + 1; spins for a while
 *     compiler barrier only           sleepers + 1; membarrier
 *     if sleepers: wakes one          sleeps while word is 1
 *
 * As with wake words (channels/wake.h), who must sleep pays for the order of the holder's store and
 * load. A holder that waits for something else meanwhile looks at lock_is_wanted() and lets go.
 * Never held while running foreign code. Not fair, not recursive.
 */
#ifndef NEARSIDE_RUNTIME_LOCK_H
#define NEARSIDE_RUNTIME_LOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "host/wait.h"

/* All zero at first. */
struct lock {
	uint64_t word;     /* 1: held; the value that nhost_sleep() sleeps on */
	uint32_t wanted;   /* threads that found it held and still want it */
	uint32_t sleepers; /* of them, those that spun in vain */
};

void lock_take_slowly(struct lock *lock);
void lock_wake_one(struct lock *lock);

static inline bool lock_try(struct lock *lock)
{
	uint64_t expected = 0;

	return __atomic_compare_exchange_n(
		&lock->word, &expected, 1, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}

static inline void lock_take(struct lock *lock)
{
	if (__builtin_expect(!lock_try(lock), 0))
		lock_take_slowly(lock);
}

/* To the holder: somebody waits for it. */
static inline bool lock_is_wanted(const struct lock *lock)
{
	return __builtin_expect(__atomic_load_n(&lock->wanted, __ATOMIC_RELAXED) != 0, 0);
}

static inline void lock_release(struct lock *lock)
{
	__atomic_store_n(&lock->word, 0, __ATOMIC_RELEASE);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	if (__builtin_expect(__atomic_load_n(&lock->sleepers, __ATOMIC_RELAXED) != 0, 0))
		lock_wake_one(lock);
}

#endif
