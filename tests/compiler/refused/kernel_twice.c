#include <nearside/kernel.h>

NPROC_KERNEL int64_t same(void)
{
	return 0;
}

NPROC_KERNEL int64_t same(void)
{
	return 1;
}

// expect: 8:22: error: redefinition of 'same'
// expect: 3:22: note: previous definition is here
