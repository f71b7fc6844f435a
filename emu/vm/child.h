/* child.h - other programs, run by this one. */
#ifndef NEARSIDE_EMU_VM_CHILD_H
#define NEARSIDE_EMU_VM_CHILD_H

#include <stddef.h>

/*
 * Runs a program of PATH to its end and keeps the beginning of its standard output, as a string.
 * Its exit code; 128 and the signal that ended it; 127: not found.
 */
int vm_capture(const char *const *arguments, char *output, size_t nbytes);

#endif
