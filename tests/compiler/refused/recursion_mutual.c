#include <nearside/kernel.h>

static int is_odd(unsigned n);

static int is_even(unsigned n)
{
	return n == 0 || is_odd(n - 1);
}

static int is_odd(unsigned n)
{
	return n != 0 && is_even(n - 1);
}

NPROC_KERNEL int64_t parity(unsigned n)
{
	return is_odd(n);
}


// expect: 7:19: error: recursion: is_odd -> is_even -> is_odd
// expect: note: write a loop; where it must remember a path, keep it in an array of fixed size or in far memory
// expect: note: 'is_even' runs in a kernel: parity -> is_odd -> is_even
