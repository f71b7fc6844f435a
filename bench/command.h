/* command.h - running other programs. */
#ifndef NEARSIDE_BENCH_COMMAND_H
#define NEARSIDE_BENCH_COMMAND_H

#include <stddef.h>

struct bench_command_result {
	char output[1024]; /* the beginning of what it printed, on either stream, as one line */
	int exit_code;     /* 127: not found */
	double ns, cpu_ns;
};

/*
 * Runs it on processors 0 and 1, to its end. arguments end with NULL; [0] is a path or a name of
 * PATH.
 */
void bench_command(const char *const *arguments, struct bench_command_result *result);
/* The path of a file beside this program. Returns buffer. */
const char *bench_beside(const char *name, char *buffer, size_t nbytes);

#endif
