#include "runtime/lock.h"

enum {
	LOOKS = 100
};

void lock_take_slowly(struct lock *lock)
{
	for (unsigned i = 0; i < LOOKS; i++) {
		if (__atomic_load_n(&lock->word, __ATOMIC_RELAXED) == LOCK_FREE && lock_try(lock))
			return;
		lock_pause();
	}
	while (__atomic_exchange_n(&lock->word, LOCK_WANTED, __ATOMIC_ACQUIRE) != LOCK_FREE)
		nhost_sleep(&lock->word, -1);
}
