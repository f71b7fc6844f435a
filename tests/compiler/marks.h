/*
 * marks.h - the marks in faults/: what a kernel, named like its file, does when its third argument
 * is that number.
 *
 *     // fault 7: BOUNDS      ends with that fault, which names this line
 *     // fault 7: NONE        no fault
 *     // killed 7             goes on until it is killed
 */
#ifndef NEARSIDE_TESTS_COMPILER_MARKS_H
#define NEARSIDE_TESTS_COMPILER_MARKS_H

#include <stddef.h>

struct mark {
	char kernel[64];
	unsigned line;
	unsigned number;
	char kind[32]; /* name of an enum nk_fault, "NONE", or "KILLED" */
};

/* All marks of a folder, in an array that stays; returns how many. */
size_t marks_read(const char *folder, const struct mark **marks);

/* "BOUNDS" of NK_FAULT_BOUNDS. */
const char *marks_kind(unsigned fault);

#endif
