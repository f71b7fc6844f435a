/*
 * sim_watch.h - a thread that looks after a simulation. The one thread that plays host and cores is
 * a kernel's for as long as that kernel does not suspend; if it never does, nobody inside can end
 * it. So this thread does, through the core's attention word, once a single turn has used up its
 * patience.
 *
 * Patience is processor time of the simulation's thread, so neither a busy machine nor a debugger's
 * stop counts. A turn that long is the one thing that a seed does not decide.
 */
#ifndef NEARSIDE_EMU_SIM_WATCH_H
#define NEARSIDE_EMU_SIM_WATCH_H

#include <stdint.h>

#include "emu/schedule.h"

struct sim_watch;

/*
 * Called by the thread that created the schedule. Both must outlive the watch. A positive errno:
 * there can be no such thread.
 */
int sim_watch_start(const struct nemu_schedule *schedule, void *region, struct sim_watch **watch);

/* NULL is allowed. */
void sim_watch_stop(struct sim_watch *watch);

/* From now on, of each turn; at first 20 s. */
void sim_watch_set_patience(struct sim_watch *watch, int64_t patience_ns);

#endif
