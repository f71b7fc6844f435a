#include "runtime/lock.h"

enum {
	LOOKS = 100
};

static const int64_t unfenced_sleep_ns = 1000 * 1000;

/* Each look is a load only: who holds the lock keeps its cache line. */
static bool spin(struct lock *lock)
{
	for (unsigned i = 0; i < LOOKS; i++) {
		if (!__atomic_load_n(&lock->word, __ATOMIC_RELAXED) && lock_try(lock))
			return true;
		nhost_pause();
	}
	return false;
}

/*
 * After the fence either the holder's release is seen here, or this sleeper is seen there. A system
 * without membarrier never sleeps for long.
 */
static void sleep_until_taken(struct lock *lock)
{
	bool can_fence = nhost_fence_prepare();

	__atomic_fetch_add(&lock->sleepers, 1, __ATOMIC_RELAXED);
	while (!lock_try(lock)) {
		if (can_fence)
			nhost_fence();
		nhost_sleep(&lock->word, can_fence ? -1 : nhost_clock_ns() + unfenced_sleep_ns);
	}
	__atomic_fetch_sub(&lock->sleepers, 1, __ATOMIC_RELAXED);
}

void lock_take_slowly(struct lock *lock)
{
	__atomic_fetch_add(&lock->wanted, 1, __ATOMIC_RELAXED);
	if (!spin(lock))
		sleep_until_taken(lock);
	__atomic_fetch_sub(&lock->wanted, 1, __ATOMIC_RELAXED);
}

void lock_wake_one(struct lock *lock)
{
	nhost_wake(&lock->word);
}
