#include <nearside/kernel.h>

static _Thread_local int depth;

NPROC_KERNEL int64_t enter(void)
{
	static __thread const int one = 1;
	return ++depth + one;
}


// expect: 7:28: error: 'one' is thread-local, but a process has no threads
// expect: note: use a local variable of the kernel, and pass its address to helper functions
// expect: 8:11: error: 'depth' is thread-local, but a process has no threads
// expect: note: use a local variable of the kernel, and pass its address to helper functions
// expect: 3:26: note: 'depth' is declared here
