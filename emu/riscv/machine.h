/*
 * machine.h - a machine of bare RISC-V harts that runs the firmware: start, idle, end.
 *
 *     start.S         every hart comes to firmware_main(), which the program provides
 *     machine_open()  one hart makes region and firmware
 *     machine_core()  each hart that is a core stays in here
 */
#ifndef NEARSIDE_EMU_RISCV_MACHINE_H
#define NEARSIDE_EMU_RISCV_MACHINE_H

#include "device/core.h"

struct machine {
	void *region; /* where it lies for this machine; identity.base is where the host sees it */
	void *memory; /* the firmware's own, then memory for code */
	char *code;
	uint64_t code_bytes;
	struct ndev_device *device;
};

/* Provided by the program; does not return. */
void firmware_main(uint64_t hart);

/*
 * Lays out free memory, at least from `begin` to `end`, as region, firmware's memory and code,
 * zeroes it and starts the firmware. Of *identity, sizes and base are the caller's; offsets and
 * what describes this machine are filled in. False: too little memory.
 */
bool machine_open(
	struct machine *machine, struct nreg_identity *identity, uint64_t begin, uint64_t end);

/* The hart is core `index` from now on. */
void machine_core(struct machine *machine, unsigned index);

/*
 * Nothing to do for a moment: looks again soon, later if it was idle for long. `rounds`: since
 * there was something.
 */
void machine_idle(uint64_t hart, uint64_t rounds);

/* QEMU ends, with this exit status. */
_Noreturn void machine_exit(unsigned status);

#endif
