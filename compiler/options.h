/* options.h - the command line. */
#ifndef NEARSIDE_COMPILER_OPTIONS_H
#define NEARSIDE_COMPILER_OPTIONS_H

#include "compiler/nprocc.h"

/* Exit codes, as --help lists them. */
enum {
	NPROCC_OK = 0,
	NPROCC_REFUSED = 1,
	NPROCC_FAILED = 2,
};

/*
 * True: go on and compile. False: *status is the exit code; what was to be said has been printed.
 */
bool options_parse(struct options *options, int argc, const char *const *argv, int *status);

/* -o - */
bool options_writes_to_standard_output(const struct options *options);

#endif
