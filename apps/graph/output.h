/*
 * output.h - the file that --output names: had before the work begins, then complete or not there.
 *
 *     output_open()      a file without a name, in the folder where the result will lie
 *     output_begin()     what to write to
 *     output_commit()    it gets its name; a file that had the name is replaced in one step
 *     output_close()
 *
 * Without a name nothing is left behind by a program that is killed. Where the system has no such
 * files, output_open() only tries whether one can be made, and output_begin() makes FILE.PID.tmp.
 * What is no ordinary file (a terminal, a FIFO, /dev/null) is written to, not replaced.
 */
#ifndef NEARSIDE_GRAPH_OUTPUT_H
#define NEARSIDE_GRAPH_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

#include "apps/graph/problem.h"

struct output {
	const char *path; /* as the user gave it */
	int fd;           /* -1: none */
	char *target;     /* what the file becomes; NULL: it is written to where it lies */
	char *temporary;  /* its name until then; NULL: it has none */
};

/* A result that goes to standard output: `--output -`. */
bool output_is_stdout(const char *path);

/*
 * `path` must outlive the output; `input` is the file that the graph comes from (NULL: none), which
 * it must not be. Waits for a reader if path is a FIFO.
 */
int output_open(
	struct output *output, const char *path, const char *input, struct problem *problem);

/* The file to write to, which stays the output's, or an error. */
int output_begin(struct output *output, struct problem *problem);

/* All is written. */
int output_commit(struct output *output, struct problem *problem);

/* Gives up what was not committed. An output that is all zero but for fd -1 is allowed. */
void output_close(struct output *output);

/* An error, with errno's text, that names the output. */
int output_problem(const struct output *output, int error, struct problem *problem);

/* Whether all that was printed to standard output or error is with the system. */
int printed_all(FILE *file, struct problem *problem);

#endif
