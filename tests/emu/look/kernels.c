/* kernels.c - processes that wait in each way, for who looks at them. */
#include <nearside/kernel.h>

NPROC_KERNEL int64_t reader(void)
{
	int64_t sum = 0;
	char byte;

	while (npipe_read(0, &byte, 1) == 1) /* here waits the reader */
		sum += byte;
	return sum;
}

NPROC_KERNEL int64_t parent(void)
{
	struct nproc_start start = NPROC_START_INIT;
	struct nproc_outcome outcome = {0};

	start.end_count = 1;
	start.ends[0] = 0;
	int child = nproc_spawn(start, reader());
	nproc_wait(child, &outcome); /* here waits the parent */
	return outcome.exit_code;
}

/* Says that it runs, and does not wait any more. */
NPROC_KERNEL int64_t spinner(const far uint64_t *until)
{
	const volatile far uint64_t *word = until;

	npipe_write(0, "", 1);
	while (!*word)
		;
	return 0;
}
