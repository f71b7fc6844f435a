/*
 * front_externals.h - functions without a body: which of them kernels may call, and what to use for
 * the rest.
 */
#ifndef NEARSIDE_COMPILER_FRONT_EXTERNALS_H
#define NEARSIDE_COMPILER_FRONT_EXTERNALS_H

#include <stdbool.h>

/* What is wrong with a function (said after its name), and what to use instead. */
struct external {
	const char *names;
	const char *reason;
	const char *rewrite;
};

/* NULL: kernels may call it. */
const struct external *front_external(const char *name);

/* Does the library link a function of this name into every kernel that needs it? */
bool front_is_library_name(const char *name);

#endif
