/*
 * lower_object.h - which private object a pointer points into, and where.
 *
 * Both are values computed beside the pointer: of `p = c ? a + i : b` the size is c ? sizeof a :
 * sizeof b and the offset c ? i * sizeof *a : 0.
 */
#ifndef NEARSIDE_COMPILER_LOWER_OBJECT_H
#define NEARSIDE_COMPILER_LOWER_OBJECT_H

#include "compiler/lower.h"

struct object {
	/* Bytes of the object; NULL: the pointer traces to no object that is known. */
	LLVMValueRef size;
	LLVMValueRef offset; /* of the pointer in it; may be outside */
	const char *unknown; /* then why not, in words */
};

struct tracer {
	struct lower *lower;
	bool for_write; /* constants then have no bytes */
	struct traced *traced;
	size_t traced_count;
};

/*
 * New instructions stand right after those that they describe, so they are there wherever the
 * pointer is.
 */
struct object object_of(struct tracer *tracer, LLVMValueRef pointer);

/* The constant number of bytes that a getelementptr adds, or NULL when it is none. */
LLVMValueRef object_bytes_added(struct lower *lower, LLVMValueRef element);

#endif
