/* problem.h - what went wrong, in words for the person at the terminal. */
#ifndef NEARSIDE_GRAPH_PROBLEM_H
#define NEARSIDE_GRAPH_PROBLEM_H

struct problem {
	char text[1024];
};

/*
 * Fills in the text and returns `error`, a negative errno, so that a failing call is one statement.
 */
int problem_set(struct problem *problem, int error, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* -ENOMEM, with how much of what was asked for. */
int problem_no_memory(struct problem *problem, const char *what, unsigned long long nbytes);

#endif
