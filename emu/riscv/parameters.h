/*
 * parameters.h - how far memory and firmware share the RAM of QEMU's virt machine, and what the
 * firmware is told. Whoever starts the machine stores the parameters in the page before the
 * firmware (QEMU: -device loader,addr=...,data=...,data-len=8).
 *
 *   0x80000000   region, as hosts see it: offset 0 of the file that is the RAM
 *   its end      RISCV_PARAMETERS_BYTES of parameters, then the firmware
 *   behind       what the firmware needs for itself: processes, frames, code of images
 *   the end      what QEMU leaves there at start: a device tree. Of RAM beyond 1 GiB it uses the
 *                end of the first, which may be far memory; the firmware clears it.
 */
#ifndef NEARSIDE_EMU_RISCV_PARAMETERS_H
#define NEARSIDE_EMU_RISCV_PARAMETERS_H

#include <stdbool.h>
#include <stdint.h>

#include "device/abi/region.h"

#define RISCV_TREE_END 0xc0000000u /* at most */

enum {
	RISCV_PARAMETERS_BYTES = 4096,
	RISCV_FIRMWARE_BYTES = 4 * 1024 * 1024, /* with stacks; no more than that */
	RISCV_CODE_BYTES = 16 * 1024 * 1024,    /* at least, for images */
	RISCV_TREE_BYTES = 2 * 1024 * 1024,
};

struct riscv_parameters {
	uint64_t ram_nbytes;
	uint64_t cores; /* the machine has a hart more */
	uint64_t far_nbytes;
	uint64_t base;          /* where hosts see the region */
	uint64_t processes;     /* of a core */
	uint64_t pipes;         /* of the device */
	uint64_t port;          /* enum nchan_port_kind */
	uint64_t suspect_ns;    /* without a host's heartbeat */
	uint64_t machine;       /* of nearby hosts, as in struct nreg_identity; 0: none */
	uint64_t is_zero;       /* 1: nothing was in the RAM before QEMU started */
	uint64_t is_incoherent; /* 1: treat memory as not coherent with hosts' caches */
};

/* What the device says of itself. False: the parameters make no sense. */
bool riscv_identity(const struct riscv_parameters *parameters, struct nreg_identity *identity);

/* How much RAM the machine needs for it, at least. */
uint64_t riscv_ram_nbytes(const struct nreg_identity *identity);

#endif
