/*
 * lock.h - a lock for short sections: one atomic operation each way while nobody else wants it.
 *
 * Who finds it taken spins for a moment and then sleeps. Never held while waiting for a device or running foreign
 * code. Not fair, not recursive.
 */
#ifndef NEARSIDE_RUNTIME_LOCK_H
#define NEARSIDE_RUNTIME_LOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "host/wait.h"

struct lock {
	uint64_t word; /* zero at first */
};

enum lock_word {
	LOCK_FREE,
	LOCK_WANTED, /* held, and somebody sleeps: the value that nhost_sleep() sleeps on */
	LOCK_HELD,
};

void lock_take_slowly(struct lock *lock);

/* Tells the processor that this is a loop that waits. */
static inline void lock_pause(void)
{
#if defined(__x86_64__)
	__builtin_ia32_pause();
#endif
}

static inline bool lock_try(struct lock *lock)
{
	uint64_t expected = LOCK_FREE;

	return __atomic_compare_exchange_n(
		&lock->word, &expected, LOCK_HELD, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}

static inline void lock_take(struct lock *lock)
{
	if (__builtin_expect(!lock_try(lock), 0))
		lock_take_slowly(lock);
}

static inline void lock_release(struct lock *lock)
{
	if (__builtin_expect(
		    __atomic_exchange_n(&lock->word, LOCK_FREE, __ATOMIC_RELEASE) == LOCK_WANTED,
		    0))
		nhost_wake(&lock->word);
}

#endif
