#include "kernel_in_header.h"

NPROC_KERNEL int64_t second(int n)
{
	return shared_helper(n);
}


// expect: kernel_in_header.h:8:33: error: parameter 'n' is a private pointer: the host's memory is not the device's
// expect: note: allocate with nmem_alloc() on the host and declare it `far int *`
