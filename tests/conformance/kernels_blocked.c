/* kernels_blocked.c - kernels that wait for what may never happen; part of the image. */
#include <errno.h>

#include <nearside/kernel.h>

#include "tests/conformance/kernels.h"

NPROC_KERNEL int64_t wait_for_end(void);
NPROC_KERNEL int64_t write_until_error(void);

/*
 * Waits for two children that read a pipe of its own, which it does not write; and, where it has
 * an end 0, for one that reads that. The number of the first to end.
 */
NPROC_KERNEL int64_t wait_for_readers(bool has_end)
{
	struct nproc_start how = NPROC_START_INIT;
	int pipe[2];

	if (npipe_create(pipe))
		return -1;
	how.end_count = 1;
	how.ends[0] = npipe_dup(pipe[0]);
	nproc_spawn(how, wait_for_end());
	how.ends[0] = pipe[0];
	nproc_spawn(how, wait_for_end());
	how.ends[0] = 0;
	if (has_end)
		nproc_spawn(how, wait_for_end());
	return nproc_wait(NPROC_ANY_CHILD, NULL);
}

/* Likewise, for one child on another core, which waits for this process. */
NPROC_KERNEL int64_t wait_for_writer_abroad(int32_t core)
{
	struct nproc_start how = NPROC_START_INIT;
	int child;

	how.core = core;
	how.end_count = 1;
	how.ends[0] = 1;
	while ((child = nproc_spawn(how, write_until_error())) == -EBUSY)
		nproc_yield();
	return nproc_wait(child, NULL);
}
