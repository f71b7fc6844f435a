/*
 * wait.h - how a thread of this program waits for lines: it spins for a while where that pays, then
 * sleeps on its wake word (channels/wake.h).
 *
 *     nhost_awake_add(1)                 at the start of a thread that takes lines; -1 at its end
 *     while (!there is something)
 *         if (!nhost_spin(&spin))        for a while: a pause
 *             announce, nhost_fence(), look again, nhost_sleep(word, deadline)
 *     nhost_spin_found(&spin)
 *
 * Who waits never holds up who works: as soon as more threads are awake than the program has
 * processors, a waiting thread lends its processor to the others instead of pausing, and with one
 * processor it sleeps at once.
 */
#ifndef NEARSIDE_HOST_WAIT_H
#define NEARSIDE_HOST_WAIT_H

#include <stdbool.h>
#include <stdint.h>

/* CLOCK_MONOTONIC, in ns. */
int64_t nhost_clock_ns(void);

/* When so much time from now will have passed; -1, never: it is negative, or past all clocks. */
int64_t nhost_deadline_ns(int64_t timeout_ns);

/* Once before the first nhost_fence(), or again. False: this system has no membarrier. */
bool nhost_fence_prepare(void);

/* A full fence on every processor that runs a thread of this program. */
void nhost_fence(void);

/*
 * Sleeps while *word is 1, until woken or the clock reaches deadline_ns (negative: never), or for
 * no reason.
 */
void nhost_sleep(uint64_t *word, int64_t deadline_ns);

/* Wakes the thread of this program that sleeps on the word. */
void nhost_wake(uint64_t *word);

/* ---- with other programs --------------------------------------------------------------------- */

/*
 * The same where sleepers and senders are programs of one machine that map the same memory. False:
 * this system has no such membarrier.
 */
bool nhost_fence_prepare_shared(void);

/* A full fence on every processor that runs a thread of a program that has prepared for it. */
void nhost_fence_shared(void);

/* Sleeps while the lower half of *word is `value`, as nhost_sleep(). */
void nhost_sleep_shared(uint64_t *word, uint32_t value, int64_t deadline_ns);

/* Wakes all threads, of any program, that sleep on the word. */
void nhost_wake_shared(uint64_t *word);

/* ---- spinning -------------------------------------------------------------------------------- */

/* Of one waiting thread. All zero at first but for processors. */
struct nhost_spin {
	unsigned processors; /* that this program may use: nhost_processors() */
	bool is_waiting;
	bool gave_up;   /* in this wait */
	uint64_t began; /* of this wait, in ticks */
	uint64_t limit; /* spin so long before sleep: long if the last wait was short */
};

unsigned nhost_processors(void);

/* Threads that are awake to take lines, beside the program's first one. May be below 0. */
void nhost_awake_add(int threads);

/*
 * Looks of a waiting thread, with a pause after each, between calls of nhost_spin(): what waits
 * does as little as it can, because it may share its processor's core with who is waited for.
 */
enum {
	NHOST_LOOKS = 16
};

static inline void nhost_pause(void)
{
	__builtin_ia32_pause();
}

/*
 * More threads are awake than there are processors: who waits should hold nothing that others want.
 */
bool nhost_is_crowded(const struct nhost_spin *spin);

/* Nothing was found: pauses or yields; true: look once more before you sleep. */
bool nhost_spin(struct nhost_spin *spin);

/* Something was found; also after sleep. */
void nhost_spin_found(struct nhost_spin *spin);

#endif
