/*
 * guest.h - the guest: an x86-64 machine of QEMU with far memory that lies in a file, started with
 * an initramfs (initramfs.h).
 */
#ifndef NEARSIDE_EMU_VM_GUEST_H
#define NEARSIDE_EMU_VM_GUEST_H

#include <stdint.h>

#include "emu/vm/child.h"
#include "host/device.h"

/* What its sockets carry; the guest knows them by these names (guest/init.c). */
#define VM_PORTS(X) \
	X(IN, "in") X(OUT, "out") X(ERR, "err") X(CONTROL, "control") X(TERMINAL, "terminal")

enum vm_port {
#define NAME(port, name) VM_PORT_##port,
	VM_PORTS(NAME)
#undef NAME
	VM_PORT_COUNT
};

enum vm_far {
	VM_FAR_CXL,  /* behind a CXL memory device */
	VM_FAR_NUMA, /* a NUMA node without processors */
};

enum {
	/* Far memory of a CXL device comes in multiples of this. */
	VM_FAR_ALIGN = 256 * 1024 * 1024,
};

struct vm_guest {
	struct vm_child child;
	int port[VM_PORT_COUNT]; /* this program's ends of the sockets */
	int console;             /* what the kernel and QEMU have to say */
};

/* One that was not started: vm_guest_end() does nothing. */
#define VM_GUEST_NONE ((struct vm_guest){.port = {-1, -1, -1, -1, -1}, .console = -1})

struct vm_guest_plan {
	int memory; /* descriptor of the file */
	uint64_t memory_nbytes;
	enum vm_far far;
	int initramfs; /* descriptor */
};

/* On failure nothing is left. */
int vm_guest_start(
	struct vm_guest *guest, const struct vm_guest_plan *plan, struct nhost_error *error);

/* Ends it, whatever it does. */
void vm_guest_end(struct vm_guest *guest);

#endif
