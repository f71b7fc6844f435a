/*
 * watch.h - waits for what the machines, the user and the clock have to say, all in one place.
 */
#ifndef NEARSIDE_EMU_VM_WATCH_H
#define NEARSIDE_EMU_VM_WATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "emu/vm/pump.h"

enum {
	VM_PUMPS_MAX = 8
};

struct vm_watch {
	int signals;         /* signalfd */
	int64_t deadline_ns; /* of nhost_clock_ns(); -1: none */
	struct vm_pump pump[VM_PUMPS_MAX];
	unsigned count;
	int signal; /* that asked this program to end; 0: none */
	int error;  /* why nothing can be waited for any more; 0: it can */
	bool is_late;
};

/* From now on the signals that end programs are kept for vm_watch_step(), and those of children. */
bool vm_watch_begin(struct vm_watch *watch, unsigned timeout_s);
void vm_watch_end(struct vm_watch *watch);

struct vm_pump *vm_watch_add(struct vm_watch *watch, int from, int to);

/*
 * Waits until something happens, and moves what can be moved. False: a signal or the clock says
 * that it is over.
 */
bool vm_watch_step(struct vm_watch *watch);

#endif
