/*
 * core_loop.h - what a core does for ever, whoever executes it: step; when idle look again for a
 * while; then sleep by its wake word (channels/wake.h).
 *
 *     step ... step                     something was done
 *     look_again()                      nothing was: once more at once?
 *     ndev_core_may_sleep()             sends reports that are due
 *     announce, fence(), may_sleep()    a line that came before the fence is seen here,
 *     sleep()                           one that comes after it wakes the core
 */
#ifndef NEARSIDE_EMU_CORE_LOOP_H
#define NEARSIDE_EMU_CORE_LOOP_H

#include "device/core.h"

/* What differs between executors. */
struct nemu_idle {
	/*
	 * The core is to end; asked after each step and before sleep. Who makes it true wakes the
	 * core afterwards.
	 */
	bool (*is_over)(void *context);
	/*
	 * After each step, with what it returned: false once the core has been idle for long
	 * enough.
	 */
	bool (*look_again)(void *context, bool was_busy);
	/* Orders the announcement against the senders' lines. */
	void (*fence)(void *context);
	/* Returns when *word is not 1, or earlier. */
	void (*sleep)(void *context, uint64_t *word);
	void *context;
};

void nemu_core_loop(struct ndev_core *core, const struct nemu_idle *idle);

#endif
