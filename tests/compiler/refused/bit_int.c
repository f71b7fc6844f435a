#include <nearside/kernel.h>

NPROC_KERNEL int64_t wide(uint64_t a)
{
	unsigned _BitInt(256) big = a;
	return (int64_t)(big * big >> 128);
}


// expect: 5:24: error: type 'unsigned _BitInt(256)' is no type of C11
// expect: note: use the next larger intN_t
