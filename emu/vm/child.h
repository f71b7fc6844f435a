/*
 * child.h - other programs, run by this one. They end with it, whatever ends it.
 */
#ifndef NEARSIDE_EMU_VM_CHILD_H
#define NEARSIDE_EMU_VM_CHILD_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

enum {
	VM_NOT_FOUND = 127, /* as shells say it */
};

/*
 * Runs a program of PATH to its end and keeps the beginning of its standard output, as a string.
 * Its exit code; 128 and the signal that ended it; VM_NOT_FOUND.
 */
int vm_capture(const char *const *arguments, char *output, size_t nbytes);

struct vm_child {
	pid_t pid;  /* 0: not started, or ended and told */
	int status; /* as of vm_capture(), when it has ended */
};

/*
 * Starts a program of PATH in a process group of its own, without standard input, both outputs at
 * `output`, and with the descriptors of the list `kept` (-1 ends it), which have CLOEXEC here.
 * False: errno says why.
 */
bool vm_child_start(
	struct vm_child *child, const char *const *arguments, int output, const int *kept);

/* Likewise, with this program's streams, and in its process group. */
bool vm_child_start_here(struct vm_child *child, const char *const *arguments);

/* Whether it has ended, without waiting for that. */
bool vm_child_has_ended(struct vm_child *child);

/* Waits until it has. */
void vm_child_wait(struct vm_child *child);

/* Ends it, if it runs, and waits for that. */
void vm_child_end(struct vm_child *child);

#endif
