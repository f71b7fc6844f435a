/*
 * cores.h - who executes the device: a machine of RISC-V cores whose RAM is a file, or
 * nearside-device, which serves that file.
 */
#ifndef NEARSIDE_EMU_VM_CORES_H
#define NEARSIDE_EMU_VM_CORES_H

#include "emu/riscv/parameters.h"
#include "emu/vm/child.h"
#include "emu/vm/options.h"
#include "host/device.h"

struct vm_cores {
	struct vm_child child;
	int console; /* this program's end of a socket; -1: it was not started */
};

struct vm_cores_plan {
	enum vm_device_kind kind;
	unsigned gdb_port; /* 0: none */
	int memory;        /* descriptor of the file */
	uint64_t memory_nbytes;
	struct riscv_parameters parameters;
	struct nreg_identity identity;
};

/*
 * All but the descriptor and which machine's programs are near, from the options. memory_nbytes is
 * a multiple of VM_FAR_ALIGN.
 */
int vm_cores_plan(
	struct vm_cores_plan *plan, const struct vm_options *options, struct nhost_error *error);

/* On failure nothing is left. */
int vm_cores_start(
	struct vm_cores *cores, const struct vm_cores_plan *plan, struct nhost_error *error);
void vm_cores_end(struct vm_cores *cores);

#endif
