#include <nearside/kernel.h>

static int down(int n)
{
	return n ? (*down)(n - 1) + (&down)(n - 2) : 0;
}

NPROC_KERNEL int64_t depth(int n)
{
	return (down)(n);
}


// expect: 5:15: error: recursion: down -> down
// expect: note: write a loop; where it must remember a path, keep it in an array of fixed size or in far memory
// expect: note: 'down' runs in a kernel: depth -> down
// expect: 5:32: error: recursion: down -> down
// expect: note: write a loop; where it must remember a path, keep it in an array of fixed size or in far memory
// expect: note: 'down' runs in a kernel: depth -> down
