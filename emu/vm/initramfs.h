/*
 * initramfs.h - the guest's file system: its first program, busybox, kernel modules, and a program
 * of this machine with the libraries that it is linked with and the files that its arguments name.
 */
#ifndef NEARSIDE_EMU_VM_INITRAMFS_H
#define NEARSIDE_EMU_VM_INITRAMFS_H

#include <stdbool.h>
#include <stddef.h>

#include "host/device.h"

struct vm_program {
	char *const *arguments;   /* ends with NULL; [0] is a path, or a name of PATH */
	const char *const *files; /* more files that it needs */
	size_t file_count;
	const char *device; /* for its environment, as NEARSIDE_DEVICE */
	bool has_terminal;
	bool has_cxl; /* the guest makes /dev/dax0.0 first */
};

/* Into an empty file. Everything lies in the guest where it lies here. */
int vm_initramfs_write(int fd, const struct vm_program *program, struct nhost_error *error);

#endif
