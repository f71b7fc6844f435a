#include <nearside/kernel.h>

static int a(int n);
static int b(int n);
static int c(int n);

static int a(int n)
{
	return b(n - 1);
}

static int b(int n)
{
	return c(n - 1) + b(n - 2);
}

static int c(int n)
{
	return n < 0 ? 0 : a(n - 1);
}

NPROC_KERNEL int64_t knot(int n)
{
	return a(n);
}


// expect: 14:20: error: recursion: b -> b
// expect: note: write a loop; where it must remember a path, keep it in an array of fixed size or in far memory
// expect: note: 'b' runs in a kernel: knot -> a -> b
// expect: 19:21: error: recursion: a -> b -> c -> a
// expect: note: write a loop; where it must remember a path, keep it in an array of fixed size or in far memory
// expect: note: 'c' runs in a kernel: knot -> a -> b -> c
