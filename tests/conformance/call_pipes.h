/* call_pipes.h - pipes of calls, for the claims about them. */
#ifndef NEARSIDE_TESTS_CONFORMANCE_CALL_PIPES_H
#define NEARSIDE_TESTS_CONFORMANCE_CALL_PIPES_H

#include "tests/conformance/suite.h"

struct call {
	struct npipe *asks, *answers;
};

/* Skips the test where memory is not coherent. */
struct call make_call(void);
/* With a process that answers: the end that asks. */
struct npipe *make_answered(int core, struct nproc **process);
void assert_answered(struct npipe *asks, uint64_t word);
/* What npipe_call() gives. */
int64_t call_word(struct npipe *asks);

/* The request was read; its answer is being thought about. */
struct told {
	struct call call;
	struct ends go, seen;
	struct nproc *process;
};

struct told begin_told(void);

#endif
