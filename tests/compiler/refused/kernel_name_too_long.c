#include <nearside/kernel.h>

NPROC_KERNEL int64_t a23456789_b23456789_c23456789_d23456789_e23456789_f23456789_123(void)
{
	return 0;
}

NPROC_KERNEL int64_t a23456789_b23456789_c23456789_d23456789_e23456789_f23456789_1234(void)
{
	return 0;
}


// expect: 8:22: error: the name of a kernel has at most 63 characters, this one has 64
// expect: note: choose a shorter name
