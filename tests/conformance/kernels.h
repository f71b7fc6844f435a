/* kernels.h - what kernels.c and the tests agree on. */
#ifndef NEARSIDE_TESTS_CONFORMANCE_KERNELS_H
#define NEARSIDE_TESTS_CONFORMANCE_KERNELS_H

#include <stdint.h>

#ifndef far /* nearside/kernel.h has it */
#define far
#endif

enum {
	ECHO_MAX = 400,
	RECORD_BYTES = 56,
};

struct one {
	uint8_t byte;
};

struct three {
	uint8_t bytes[3];
};

struct twelve {
	uint32_t words[3];
};

struct most {
	uint8_t bytes[32];
};

struct list_node {
	const far struct list_node *next;
	int64_t value;
};

#endif
