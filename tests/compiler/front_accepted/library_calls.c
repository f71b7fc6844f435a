#include <nearside/kernel.h>

/* Helpers may wait, log and end the process. */
static bool copy_line(int from, int to)
{
	char line[56];
	ssize_t nbytes = npipe_read(from, line, sizeof line);
	if (nbytes <= 0)
		return false;
	nproc_assert(nbytes <= 56);
	if (npipe_write(to, line, (size_t)nbytes) < 0)
		nproc_exit(2);
	nproc_yield();
	return true;
}

NPROC_KERNEL int64_t forward(const far char *name, int n)
{
	nproc_log("forward %d %p %s", n, (const far void *)name, "lines");
	while (copy_line(0, 1))
		n++;
	return npipe_close(1) + n;
}
