#include <nearside/kernel.h>

static int twice(int n)
{
	return 2 * n;
}

NPROC_KERNEL int64_t call(int n)
{
	return (twice)(n) + (*twice)(n) + (&twice)(n) + (**twice)(n);
}
