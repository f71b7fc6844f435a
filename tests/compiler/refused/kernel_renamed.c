#include <nearside/kernel.h>

NPROC_KERNEL int64_t visible(void) __asm__("hidden");

NPROC_KERNEL int64_t visible(void)
{
	return 0;
}

NPROC_KERNEL __attribute__((overloadable)) int64_t overloaded(int n)
{
	return n;
}


// expect: 5:22: error: kernel 'visible' has another name for the linker
// expect: note: leave out the asm label or attribute that renames it
// expect: 10:52: error: kernel 'overloaded' has another name for the linker
// expect: note: leave out the asm label or attribute that renames it
