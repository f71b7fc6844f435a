/* Kernel code that host code does not see, or sees otherwise. */
#include <nearside/kernel.h>

static int helper_of_device(int n)
{
	return n + 1;
}

static int helper_of_both(int n)
{
	return n + 2;
}

static const char *const names[2] = {"a", "b"};

NPROC_KERNEL int64_t both(int n)
{
#ifdef NEARSIDE_COMPILING_KERNELS
	return helper_of_device(n) + names[0][0];
#else
	return helper_of_both(n);
#endif
}

#ifdef NEARSIDE_COMPILING_KERNELS
static int hidden_helper(int n)
{
	return helper_of_both(n);
}

NPROC_KERNEL int64_t hidden(int n)
{
	return hidden_helper(n);
}
#endif

int main(void)
{
	return helper_of_both(1);
}
