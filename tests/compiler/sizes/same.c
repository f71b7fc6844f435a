#include <nearside/kernel.h>

/* The name of another kernel, in frame.c. */
NPROC_KERNEL int64_t too_large(uint64_t n)
{
	return (int64_t)n;
}
