/*
 * front_refuse.h - what was found wrong with the kernels of a file, gathered and then reported in the order of
 * the source, each place and reason once.
 */
#ifndef NEARSIDE_COMPILER_FRONT_REFUSE_H
#define NEARSIDE_COMPILER_FRONT_REFUSE_H

#include <clang-c/Index.h>
#include <stdbool.h>
#include <stddef.h>

#include "compiler/front_parse.h"

struct refusal {
	const char *file;
	struct place place;
	const char *reason;
	const char *rewrite; /* how to write it instead */
	const char *context; /* why this code is kernel code; NULL where that is plain */
	CXCursor declared;   /* the declaration that it is about, or a null cursor */
};

struct refusals {
	struct refusal *items;
	size_t count;
};

void front_refuse(struct refusals *refusals, CXCursor at, const char *reason, const char *rewrite,
	const char *context, CXCursor declared);

/* Reports all of them; returns how many there were. */
size_t front_report(struct refusals *refusals);

#endif
