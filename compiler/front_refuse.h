/*
 * front_refuse.h - what was found wrong with the kernels of a file, gathered and then reported in
 * the order of the source, each place and reason once.
 */
#ifndef NEARSIDE_COMPILER_FRONT_REFUSE_H
#define NEARSIDE_COMPILER_FRONT_REFUSE_H

#include <clang-c/Index.h>
#include <stddef.h>

#include "compiler/front_parse.h"

/* Something said about a place; text is NULL when nothing is. */
struct remark {
	struct place place;
	const char *text;
};

enum {
	RELATED_MAX = 4
};

struct refusal {
	struct remark reason;
	const char *rewrite; /* how to write it instead; NULL where the reason says enough */
	struct remark related[RELATED_MAX]; /* declarations and macros that belong to it */
	const char *context; /* why this code is kernel code; NULL where that is plain */
};

struct refusals {
	struct refusal *items;
	size_t count;
};

void front_refuse(struct refusals *refusals, const struct refusal *refusal);

/* The same, where nothing is said about that place yet. */
void front_refuse_once(struct refusals *refusals, const struct refusal *refusal);

/* Reports all of them; returns how many there were. */
size_t front_report(struct refusals *refusals);

#endif
