/* needs.h - what this machine must have so that QEMU can emulate others on it. */
#ifndef NEARSIDE_EMU_VM_NEEDS_H
#define NEARSIDE_EMU_VM_NEEDS_H

#include <stdbool.h>
#include <stddef.h>

enum vm_need {
	VM_NEEDS_RISCV = 1 << 0, /* cores */
	VM_NEEDS_GUEST = 1 << 1, /* an x86-64 machine with CXL, and what runs on it */
};

/*
 * False: `missing` says what is, and what to install. A set of enum vm_need; found, if it is not
 * NULL, gets a line for each thing that is there.
 */
bool vm_needs_check(unsigned needs, char *missing, size_t nbytes, char *found, size_t found_nbytes);

#endif
