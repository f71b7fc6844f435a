#include <nearside/kernel.h>

NPROC_KERNEL int64_t shift(int64_t a)
{
	return a << 64;
}

// expect: 5:11: error: shift count >= width of type
