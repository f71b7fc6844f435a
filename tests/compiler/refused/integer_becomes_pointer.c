#include <nearside/kernel.h>

NPROC_KERNEL int64_t forge(uint64_t address)
{
	int *cell = address;
	return *cell;
}

// expect: 5:7: error: incompatible integer to pointer conversion initializing 'int *' with an expression of type 'uint64_t' (aka 'unsigned long')
