#include <nearside/kernel.h>

NPROC_KERNEL int64_t large(uint64_t n)
{
	NPROC_SCRATCH uint8_t one[40000];
	NPROC_SCRATCH uint8_t two[40000];
	one[n] = 1;
	two[n] = 2;
	return one[n / 2] + two[n / 3];
}

// expect: 3:1: error: kernel 'large' has more than 65536 bytes of scratch memory
// expect: note: work on smaller parts; a helper function's variables count each time that it is called
