/*
 * native.h - kernels as ordinary functions of this program: what their compiled code is compared
 * with.
 */
#ifndef NEARSIDE_TESTS_COMPILER_NATIVE_H
#define NEARSIDE_TESTS_COMPILER_NATIVE_H

#include "world.h"

/* The form of every kernel in accepted/, which is named like its file. */
typedef int64_t native_kernel(uint8_t *memory, uint64_t nbytes, uint64_t seed);

struct native {
	const char *name;
	native_kernel *kernel;
};

/* Made by CMake from the files in accepted/; ends with a NULL name. */
extern const struct native native_kernels[];

/* Runs a kernel in a world; returns its exit code. */
int64_t native_run(native_kernel *kernel, struct world *world, uint64_t seed);

#endif
