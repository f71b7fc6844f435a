/*
 * random_kernel.h - writes kernels that nobody would: of the form of accepted/ (native.h), without
 * anything that C leaves undefined, so that every compiler has to make the same of them.
 */
#ifndef NEARSIDE_TESTS_COMPILER_RANDOM_KERNEL_H
#define NEARSIDE_TESTS_COMPILER_RANDOM_KERNEL_H

#include <stdint.h>
#include <stdio.h>

/* What the kernels of one file need before them. */
void random_kernel_begin(FILE *out);

/* Kernel random_SEED and its helper functions; the same for the same seed. */
void random_kernel_write(FILE *out, uint64_t seed);

#endif
