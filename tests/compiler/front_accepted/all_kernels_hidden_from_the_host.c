#include <nearside/kernel.h>

static int helper(int n)
{
	return n + 1;
}

#ifdef NEARSIDE_COMPILING_KERNELS
NPROC_KERNEL int64_t hidden(int n)
{
	return helper(n);
}
#endif

int main(void)
{
	return helper(1);
}
