/* front_run.h - runs nprocc as its users do, and compares what it says. */
#ifndef NEARSIDE_TESTS_COMPILER_FRONT_RUN_H
#define NEARSIDE_TESTS_COMPILER_FRONT_RUN_H

#include <stddef.h>

/* What a run of nprocc left behind. */
struct run {
	int status;   /* exit code, or 128 + signal */
	char *output; /* what it wrote to standard error, a string to be freed */
};

/* Compiles the kernels of one file: nprocc -c PATH -o SCRATCH EXTRA. `extra` may be NULL. */
void run_nprocc(struct run *run, const char *path, const char *extra);

/* A folder for this test's files, removed with all that is in it by run_clean(). */
const char *run_folder(void);
void run_clean(void);

/* Writes a file into that folder; returns its path, to be freed. */
char *run_file(const char *name, const void *bytes, size_t nbytes);

/* Fails unless the run's output is `expected`, in which %s stands for `path`. */
void assert_output(const struct run *run, const char *path, const char *expected);

#endif
