/*
 * compare.h - what a kernel does as a process of the fake device, beside what it does as a
 * function.
 */
#ifndef NEARSIDE_TESTS_COMPILER_COMPARE_H
#define NEARSIDE_TESTS_COMPILER_COMPARE_H

#include "fake_device.h"
#include "native.h"

struct comparison {
	struct fake_image *image;
	const char *name; /* in the image */
	native_kernel *kernel;
};

/*
 * Fails the test unless both leave the same in memory and pipes, and the same exit code. `blocks`:
 * every call of a pipe has to wait first.
 */
void compare(const struct comparison *comparison, size_t nbytes, uint64_t seed, bool blocks);

#endif
