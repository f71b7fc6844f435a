#include <nearside/kernel.h>

static inline int shared_helper(int n)
{
	return n + 1;
}

NPROC_KERNEL int64_t first(int *n)
{
	return shared_helper(*n);
}
