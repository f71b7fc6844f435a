/*
 * wake.h - how a place sleeps without making senders pay for it.
 *
 * A place has one wake word. The sender of a line only loads it; the sleeper bears the cost of the
 * fence:
 *
 *     sleeper                                   sender
 *     word = 1                                  store the line
 *     membarrier (all threads of all senders)   compiler barrier only
 *     look again for lines                      if word is 1: word = 0, futex wake
 *     futex wait while word is 1
 *     word = 0
 *
 * membarrier makes every sender's processor order its earlier store before its later load, or its
 * store before the sleeper's second look: either the sleeper sees the line or the sender
 * sees the 1. Without it both can miss (channels/model/wake.pml shows the lost wake-up).
 *
 * The word is the exception to "one writer a line": sleeper and senders store it. That is safe
 * because all senders store the same 0, after their line: a late 0 only wakes the sleeper once too
 * often. It exists only where the region says NREG_CAN_WAKE; elsewhere it stays 0 and sleepers
 * poll.
 */
#ifndef NEARSIDE_CHANNELS_WAKE_H
#define NEARSIDE_CHANNELS_WAKE_H

#include <stdbool.h>

#include "channels/memory.h"

static inline void nchan_wake_announce(uint64_t *word)
{
	nchan_store(word, 1);
}

static inline void nchan_wake_withdraw(uint64_t *word)
{
	nchan_store(word, 0);
}

/* The sender's half, after its line: true when the caller must wake the sleeper. */
static inline bool nchan_wake_needed(uint64_t *word)
{
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	if (nchan_likely(nchan_load(word) != 1))
		return false;
	nchan_store(word, 0);
	return true;
}

#endif
