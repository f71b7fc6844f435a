#include <nearside/kernel.h>

__attribute__((noinline, cold)) static int twice(int n)
{
	return 2 * n;
}

NPROC_KERNEL int64_t call(int n)
{
	return (twice)(n) + (*twice)(n) + (&twice)(n) + (**twice)(n);
}
