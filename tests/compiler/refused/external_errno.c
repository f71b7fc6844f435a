#include <errno.h>
#include <nearside/kernel.h>

NPROC_KERNEL int64_t send(int n)
{
	return npipe_write(1, &n, sizeof n) < 0 ? errno : 0;
}


// expect: 6:44: error: '__errno_location' (of errno) does not exist on the device
// expect: note: calls of a kernel return a negative errno: compare the result, e.g. with -EPIPE
