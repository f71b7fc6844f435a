/*
 * served.h - devices of `nearside-device serve` for tests: a program and a file for each, which end
 * with the test.
 */
#ifndef NEARSIDE_TESTS_CONFORMANCE_SERVED_H
#define NEARSIDE_TESTS_CONFORMANCE_SERVED_H

#include <sys/types.h>

enum {
	SERVED_MAX = 16 /* at once */
};

/*
 * Starts one with these options of a device ("cores=2,far=1M"), and waits until it can be opened.
 * Its name for nproc_device_open(), valid until it is stopped; NULL: standard error says why.
 */
const char *served_start(const char *options);

/* NULL: all. */
void served_stop(const char *name);

/*
 * Runs a program, which ends with this one, until its first line on standard output: its process,
 * or -1. arguments[0] is its path; NULL-terminated.
 */
pid_t served_run(char **arguments);

/* Sends the signal and waits for its end. */
void served_end(pid_t pid, int signal);

#endif
