#include <nearside/kernel.h>

int elsewhere(int n);

NPROC_KERNEL int64_t ask(int n)
{
	return elsewhere(n);
}


// expect: 7:9: error: 'elsewhere' has no body in this file, and is not in the kernel library
// expect: note: define it in this file or as static inline in a header; nearside/kernel.h lists the kernel library
