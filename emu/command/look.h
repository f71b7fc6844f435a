/*
 * look.h - asks the cores of a device that is viewed (view.h) what their processes do. What comes
 * back was written by others: it is checked, on a copy, and its texts are made fit for a terminal.
 */
#ifndef NEARSIDE_EMU_COMMAND_LOOK_H
#define NEARSIDE_EMU_COMMAND_LOOK_H

#include "emu/command/view.h"

struct look_process {
	unsigned core;
	struct nreg_process process;
};

struct look {
	struct look_process *processes; /* core by core, in the order of their ids */
	size_t count, capacity;
	uint64_t silent; /* bit per core: it has not answered, or what makes no sense */
};

/*
 * All of them, while they go on: none is stopped. Waits for a second at most for a core that does
 * nothing else than answer. -ENOMEM. To be freed either way.
 */
int look_at_processes(struct view *view, struct look *look);
void look_free(struct look *look);

#endif
