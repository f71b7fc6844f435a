#include <nearside/kernel.h>

NPROC_KERNEL int64_t inner(int n)
{
	return n;
}

NPROC_KERNEL int64_t outer(int n)
{
	return inner(n) + outer(n - 1);
}


// expect: 10:9: error: kernel 'inner' is called like a function
// expect: note: a kernel runs as a process of its own: nproc_spawn(NPROC_HERE, kernel(arguments)) starts it; move what both need into a helper function
// expect: 10:20: error: kernel 'outer' is called like a function
// expect: note: a kernel runs as a process of its own: nproc_spawn(NPROC_HERE, kernel(arguments)) starts it; move what both need into a helper function
