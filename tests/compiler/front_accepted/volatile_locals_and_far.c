#include <nearside/kernel.h>

NPROC_KERNEL int64_t watch(const volatile far int *flag)
{
	volatile int seen = 0;
	while (!*flag) {
		seen++;
		nproc_yield();
	}
	return seen;
}
