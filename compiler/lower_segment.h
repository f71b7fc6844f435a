/*
 * lower_segment.h - which segment of its process a far pointer is thought to point into.
 *
 * A guess from where the pointer comes from: a parameter (loaded from the argument words, or from
 * the slot of the frame in which it was kept across a wait), or far memory reached through one.
 * Where the guess is wrong the check misses and the firmware searches, so a guess costs time, never
 * safety.
 */
#ifndef NEARSIDE_COMPILER_LOWER_SEGMENT_H
#define NEARSIDE_COMPILER_LOWER_SEGMENT_H

#include "compiler/lower.h"

/* The two functions that LLVM makes of a kernel's coroutine. */
struct split {
	struct lower *lower;
	const struct kernel *kernel;
	LLVMValueRef entry;
	LLVMValueRef resume;
	struct kept *kept; /* what either function keeps in the frame, found once */
	size_t kept_count;
};

void segment_open(struct split *split);

/* The number of the segment, or -1 when the kernel has none. */
int segment_of(const struct split *split, LLVMValueRef pointer);

/* What is left of a pointer without the constants added to it; *offset is their sum. */
LLVMValueRef segment_strip(struct lower *lower, LLVMValueRef pointer, int64_t *offset);

#endif
