/*
 * machine.h - a machine of bare RISC-V harts that runs the firmware: start, idle, traps, end.
 *
 *     start.S         every hart comes to firmware_main(), which the program provides
 *     machine_begin() one hart makes region and firmware ready
 *     machine_core()  each hart that is a core stays in here, until it is stopped
 */
#ifndef NEARSIDE_EMU_RISCV_MACHINE_H
#define NEARSIDE_EMU_RISCV_MACHINE_H

#include "device/context.h"
#include "device/core.h"
#include "emu/riscv/code.h"
#include "emu/riscv/layout.h"

/* What other harts ask of one, and what it runs. */
struct machine_hart {
	_Alignas(1 << LAYOUT_HART_SHIFT) uint64_t fence_wanted; /* the assembly looks at these */
	uint64_t fence_done;
	uint64_t stop_wanted;
	uint64_t is_core; /* 1: it runs machine_core() */
	struct ndev_core *core;
	struct ndev_context parked; /* before it was a core */
};

extern struct machine_hart machine_harts[LAYOUT_HARTS];

struct machine {
	void *region; /* where it lies for this machine; identity.base is where the host sees it */
	void *memory; /* the firmware's own: ndev_memory_bytes() */
	struct code code;
	const struct nchan_caches *caches; /* NULL: memory is coherent with hosts' */
	struct ndev_device *device;
};

/* Provided by the program; does not return. */
void firmware_main(uint64_t hart);

/*
 * The firmware, with its memory cleared, over the region, whose identity is complete. Code of
 * images that were loaded before is forgotten.
 */
void machine_begin(struct machine *machine);

/* The hart is core `index` from now on. Returns when it was told to stop. */
void machine_core(struct machine *machine, unsigned index);

/* Makes a hart leave machine_core(), whatever its kernel does, and waits for that. */
void machine_stop(uint64_t hart);

/* Every hart that is a core sees the code that this one has written. */
void machine_fence_code(void);

/*
 * Nothing to do for a moment: looks again soon, later if it was idle for long. `rounds`: since
 * there was something.
 */
void machine_idle(uint64_t rounds);

/* Sleeps for about so long. */
void machine_nap(uint64_t ns);

uint64_t machine_now_ns(void);
uint64_t machine_this_hart(void);

/* QEMU ends, with this exit status. */
_Noreturn void machine_exit(unsigned status);

#endif
