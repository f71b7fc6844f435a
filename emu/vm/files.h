/* files.h - what a program of this machine is made of. */
#ifndef NEARSIDE_EMU_VM_FILES_H
#define NEARSIDE_EMU_VM_FILES_H

#include <stdbool.h>

#include "emu/vm/place.h"
#include "host/device.h"

/* A program by its path, or by its name in PATH. */
bool vm_files_find(const char *name, struct vm_path *path);

/* Where a relative path leads. "": the current folder, and a slash. */
struct vm_path vm_files_absolute(const char *path);

bool vm_files_is_regular(const char *path);

/*
 * Calls `each` with the file and, if it is a program, with the libraries that it is linked with;
 * with a script's interpreter, too. The first result that is not 0.
 */
int vm_files_each_of_program(const char *path,
	int (*each)(void *context, const char *path, struct nhost_error *error), void *context,
	struct nhost_error *error);

#endif
