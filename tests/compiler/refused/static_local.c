#include <nearside/kernel.h>

static int next(void)
{
	static int last;
	return ++last;
}

NPROC_KERNEL int64_t serve(void)
{
	static const int fine = 1;
	static uint64_t served = 3;
	return next() + fine + (int64_t)served;
}


// expect: 5:13: error: 'last' is a mutable static variable: processes do not share one, and a device may run millions
// expect: note: use a local variable of the kernel, and pass its address to helper functions; a table is static const
// expect: note: 'next' runs in a kernel: serve -> next
// expect: 12:18: error: 'served' is a mutable static variable: processes do not share one, and a device may run millions
// expect: note: use a local variable of the kernel, and pass its address to helper functions; a table is static const
