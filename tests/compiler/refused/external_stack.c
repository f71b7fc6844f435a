#include <nearside/kernel.h>

NPROC_KERNEL int64_t caller(void)
{
	return (int64_t)(uintptr_t)__builtin_return_address(0);
}


// expect: 5:29: error: '__builtin_return_address' needs a stack or thread of its own, which a process does not have
// expect: note: leave it out
