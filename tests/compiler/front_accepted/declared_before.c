#include <nearside/kernel.h>

NPROC_KERNEL int64_t serve(int n);
NPROC_KERNEL int64_t defined_in_another_file(int n);

static int helper(int n);

int64_t serve(int n)
{
	return helper(n);
}

static int helper(int n)
{
	return n;
}
