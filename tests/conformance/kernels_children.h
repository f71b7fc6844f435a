/* kernels_children.h - for kernels that start others: what became of a child. */
#ifndef NEARSIDE_TESTS_CONFORMANCE_KERNELS_CHILDREN_H
#define NEARSIDE_TESTS_CONFORMANCE_KERNELS_CHILDREN_H

#include <nearside/kernel.h>

/* Its exit code; or why it was not started, not waited for, or did not exit. */
static inline int64_t outcome_of(int child)
{
	struct nproc_outcome outcome;

	if (child < 0)
		return child;
	if (nproc_wait(child, &outcome) != child)
		return -1000;
	return outcome.state == NPROC_EXITED ? outcome.exit_code : -2000 - (int64_t)outcome.state;
}

#endif
