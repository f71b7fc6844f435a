/* random_writer.h - what random_kernel.c and random_expression.c, its expressions, share. */
#ifndef NEARSIDE_TESTS_COMPILER_RANDOM_WRITER_H
#define NEARSIDE_TESTS_COMPILER_RANDOM_WRITER_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum {
	SCALARS = 12,
	ARRAYS = 4,
	ARRAY_LENGTH = 16, /* a power of two */
	STRUCTS = 2,
	HELPERS = 3,
	DEPTH_MAX = 4,
	LOOPS_MAX = 3
};

struct writer {
	FILE *out;
	uint64_t seed, state;
	unsigned indent;
	unsigned loops;      /* around this statement */
	unsigned statements; /* still to be written */
	bool may_wait;       /* and use what only the kernel itself has */
};

/* A number below `count`, which changes the state. */
uint64_t random_draw(struct writer *writer, uint64_t count);

__attribute__((format(printf, 2, 3))) void random_put(
	struct writer *writer, const char *format, ...);

/* The type of scalar v0, v1..., of elements of array a0, a1... */
const char *random_type(unsigned scalar);
const char *random_array_type(unsigned array);

/*
 * An expression of integer type; something that can be assigned to. `depth` is how many they are
 * in.
 */
void random_expression(struct writer *writer, unsigned depth);
void random_place(struct writer *writer, unsigned depth);

#endif
