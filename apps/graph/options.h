/* options.h - the command line of `nearside-graph bfs`. */
#ifndef NEARSIDE_GRAPH_OPTIONS_H
#define NEARSIDE_GRAPH_OPTIONS_H

#include "apps/graph/generate.h"
#include "apps/graph/graph.h"
#include "apps/graph/load.h"

/* What the program ends with. */
enum exit_code {
	EXIT_OK,
	EXIT_BAD_INPUT, /* or a result that is wrong, or cannot be written */
	EXIT_USAGE,
	EXIT_DEVICE,
};

enum graph_origin {
	FROM_NOWHERE,
	FROM_FILE,
	FROM_GENERATOR,
	FROM_APT
};

struct options {
	enum graph_origin origin;
	const char *path;
	const char *format; /* by name; NULL: as the file's name says */
	bool compact_ids;
	struct generate_options generate;
	struct graph_shape shape;
	bool allow_empty;

	const char *source; /* NULL: the first vertex that has an edge */
	const char *device; /* NULL: the default */
	unsigned cores;     /* 0: not said */

	bool verify, json;
	const char *output; /* NULL: none */
	unsigned top;       /* examples a level; 0: no table */
};

/*
 * Reads the arguments after the command. True: go on. False: *exit_code is what to end with; help
 * was asked for and printed, or the arguments were wrong and stderr says how.
 */
bool options_read(struct options *options, int argc, char **argv, enum exit_code *exit_code);

/* Prints to stdout what was asked for. If that fails stderr says why. */
enum exit_code options_print(const char *text);

/* What --help prints. */
extern const char options_help[];

#endif
