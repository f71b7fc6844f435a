/*
 * lower_far.h - the parts of the far step: single checks (lower_far_check.c), memory intrinsics
 * (lower_far_memory.c), masked vectors (lower_far_masked.c), counts of bytes (lower_far_count.c),
 * and the walk over a resume function that groups what can be checked together (lower_far.c).
 */
#ifndef NEARSIDE_COMPILER_LOWER_FAR_H
#define NEARSIDE_COMPILER_LOWER_FAR_H

#include "compiler/lower_segment.h"

/* What is loaded of a segment once per resume. */
struct segment {
	LLVMValueRef base, len, writable, delta;
};

/* The first offset at which an access of nbytes no longer fits into a segment. */
struct limit {
	int segment;
	bool write;
	uint64_t nbytes;
	LLVMValueRef value;
};

struct access {
	LLVMValueRef instruction;
	unsigned operand; /* the pointer's */
	LLVMValueRef root;
	int64_t offset; /* from the root */
	uint64_t nbytes;
	bool read, write; /* both: an atomic read-modify-write */
	bool done;
};

enum far_direction {
	FAR_READ,
	FAR_WRITE
};

struct far {
	struct split split;
	struct lower *lower;
	LLVMValueRef self;
	LLVMValueRef segments; /* the process's table */
	LLVMValueRef prologue; /* once-per-resume code goes before it */
	LLVMValueRef counters; /* of the core, once something is counted */
	/* Variables, by enum far_direction; NULL: nothing is counted there. */
	LLVMValueRef counts[2];
	struct segment segment[NK_PARAMS_MAX];
	struct limit *limits;
	size_t limit_count;
	struct access *accesses; /* of the block at hand, since the last thing that can leave it */
	size_t access_count;
};

/*
 * A range of far memory to be checked, and how a fault finds its place: a site number, or a struct
 * nkl_group.
 */
struct range {
	LLVMValueRef root;
	int64_t offset; /* from the root */
	uint64_t nbytes;
	bool write;
	LLVMValueRef where;
};

/* Begins a resume function. */
void far_open(struct far *far, struct lower *lower, LLVMValueRef entry, LLVMValueRef resume);

/* What a check of nbytes at this pointer compares with; zeros when the kernel has no segment. */
void far_use(struct far *far, LLVMValueRef pointer, uint64_t nbytes, bool write,
	struct segment *segment, LLVMValueRef *limit);

/* The device's address of a range; `before` is where it is needed first. */
LLVMValueRef far_check(struct far *far, LLVMValueRef before, const struct range *range);

/* Counts bytes that are read or written at an instruction. */
void far_count(
	struct far *far, LLVMValueRef before, enum far_direction direction, LLVMValueRef nbytes);

/* At the end: all counts reach the core. */
void far_flush_counts(struct far *far);

/* True: the call was a memory intrinsic on far memory, and has been replaced. */
bool far_memory(struct far *far, LLVMValueRef call);

/* True: the call was a masked load or store of far memory, and has been replaced. */
bool far_masked(struct far *far, LLVMValueRef call);

#endif
