#include <nearside/kernel.h>

NPROC_KERNEL int64_t fill(unsigned n, far int *to)
{
	int flat[n], matrix[2][n];
	for (unsigned i = 0; i < n; i++)
		flat[i] = matrix[0][i] = (int)i;
	*to = flat[0] + matrix[0][0];
	return 0;
}


// expect: 5:6: error: the length of array 'flat' is not constant, but the frame of a process has a fixed size
// expect: note: give it the largest length that it needs and check that; large buffers belong into far memory
// expect: 5:15: error: the length of array 'matrix' is not constant, but the frame of a process has a fixed size
// expect: note: give it the largest length that it needs and check that; large buffers belong into far memory
