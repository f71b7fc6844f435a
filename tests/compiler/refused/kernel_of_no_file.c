#include <nearside/kernel.h>

NPROC_KERNEL int64_t in_another_file(int n);

NPROC_KERNEL int64_t outer(int n)
{
	return nproc_spawn(NPROC_HERE, in_another_file(n));
}

// expect: nprocc: error: kernel 'in_another_file' is started by another, but is in no file of the image
// expect: note: name the file that defines it, too
