#include <nearside/kernel.h>

NPROC_KERNEL int64_t counts(uint64_t n)
{
	for (uint64_t i = 0; i < n; i++)
		NPROC_YIELD_AFTER(n);
	for (uint64_t i = 0; i < n; i++)
		NPROC_YIELD_AFTER(0);
	return 0;
}

// expect: 6:3: error: static assertion expression is not an integral constant expression
// expect: 8:3: error: static assertion failed due to requirement '(0) >= 1': NPROC_YIELD_AFTER() takes a constant of 1 or more
