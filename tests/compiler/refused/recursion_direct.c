#include <nearside/kernel.h>

static uint64_t factorial(uint64_t n)
{
	return n < 2 ? 1 : n * factorial(n - 1);
}

NPROC_KERNEL int64_t compute(uint64_t n)
{
	return (int64_t)factorial(n);
}


// expect: 5:25: error: recursion: factorial -> factorial
// expect: note: write a loop; where it must remember a path, keep it in an array of fixed size or in far memory
// expect: note: 'factorial' runs in a kernel: compute -> factorial
