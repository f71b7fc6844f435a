/* place.h - where the files of emulated machines lie. */
#ifndef NEARSIDE_EMU_VM_PLACE_H
#define NEARSIDE_EMU_VM_PLACE_H

enum {
	VM_PATH_BYTES = 4096 /* as long as Linux takes them */
};

struct vm_path {
	char text[VM_PATH_BYTES];
};

/* A file that was built or installed with this program: lib/nearside/NAME beside its bin/. */
struct vm_path vm_place_library(const char *name);

/* A program beside this one. */
struct vm_path vm_place_program(const char *name);

/*
 * A file that was fetched once and is kept: of the build folder if this program lies in one, else
 * of the user's cache (XDG_CACHE_HOME or .cache).
 */
struct vm_path vm_place_cached(const char *name);

#endif
