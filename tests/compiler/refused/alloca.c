#include <alloca.h>
#include <nearside/kernel.h>

NPROC_KERNEL int64_t fill(unsigned n)
{
	char *a = alloca(n);
	char *b = __builtin_alloca_with_align(n, 64);
	a[0] = b[0] = 1;
	return a[0];
}


// expect: 6:12: error: '__builtin_alloca' would grow the frame of the process, whose size is fixed
// expect: note: use an array of constant size, and check the length; large buffers belong into far memory
// expect: 7:12: error: '__builtin_alloca_with_align' would grow the frame of the process, whose size is fixed
// expect: note: use an array of constant size, and check the length; large buffers belong into far memory
