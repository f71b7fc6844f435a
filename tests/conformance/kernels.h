/* kernels.h - what kernels.c and the tests agree on. */
#ifndef NEARSIDE_TESTS_CONFORMANCE_KERNELS_H
#define NEARSIDE_TESTS_CONFORMANCE_KERNELS_H

#include <stdint.h>

/* What kernel touch_far does. */
enum touch {
	TOUCH_READ,
	TOUCH_WRITE,
	TOUCH_CHANGE,
	TOUCH_COPY,
	TOUCH_SET,
	TOUCH_COMPARE,
	TOUCH_COUNT,      /* atomically */
	TOUCH_SOME,       /* reads the second half where the first is odd */
	TOUCH_READ_FAULT, /* reads, answers, reads again and faults */
};

/* How kernel answer_some leaves the last request. */
enum leave {
	LEAVE_AT_ONCE, /* without reading it */
	LEAVE_BY_RETURN,
	LEAVE_BY_CLOSE,
	LEAVE_BY_FAULT,
};

#ifndef far /* nearside/kernel.h has it */
#define far
#endif

enum {
	ECHO_MAX = 400,
	RECORD_BYTES = 56,
	CALL_BYTES = 56,
	WRITERS_MAX = 8, /* of words */
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

/* What processes that take turns share; `open` says when to begin. */
struct turns {
	uint64_t open; /* the host's */
	_Alignas(64) uint64_t count;
	uint8_t name[4096]; /* whose turn it was */
};

struct list_node {
	const far struct list_node *next;
	int64_t value;
};

#endif
