/*
 * cpio.h - writes an archive that Linux unpacks as its first file system ("newc", see the kernel's
 * buffer-format.rst). Failures are remembered, vm_cpio_end() tells.
 */
#ifndef NEARSIDE_EMU_VM_CPIO_H
#define NEARSIDE_EMU_VM_CPIO_H

#include <stddef.h>
#include <stdio.h>

struct vm_cpio {
	FILE *file; /* the caller's */
	unsigned entries;
	int error; /* the first one, a negative errno */
};

/* The folders on the way to path, which is absolute. */
void vm_cpio_parents(struct vm_cpio *cpio, const char *path);
void vm_cpio_folder(struct vm_cpio *cpio, const char *path);
void vm_cpio_link(struct vm_cpio *cpio, const char *path, const char *target);
void vm_cpio_bytes(struct vm_cpio *cpio, const char *path, const void *bytes, size_t nbytes);
/* A copy of a file of this machine, with its mode. 0 or a negative errno, which counts at once. */
int vm_cpio_file(struct vm_cpio *cpio, const char *path, const char *from);
int vm_cpio_end(struct vm_cpio *cpio);

#endif
