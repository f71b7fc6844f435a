#include <nearside/kernel.h>

NPROC_KERNEL int64_t worker(int n)
{
	return n;
}

NPROC_KERNEL int64_t starter(int n)
{
	return (int64_t)(uintptr_t)worker + n;
}


// expect: 10:29: error: the address of kernel 'worker' is taken
// expect: note: the host starts kernels by name, kernels with nproc_spawn(start, kernel(arguments))
