#include <nearside/kernel.h>

struct fits {
	char bytes[32];
};

struct large {
	char bytes[33];
};

NPROC_KERNEL int64_t take(struct fits fits, struct large large)
{
	return fits.bytes[0] + large.bytes[0];
}


// expect: 11:58: error: parameter 'large' is a struct of 33 bytes; 32 are the most that is passed by value
// expect: note: put it into far memory and pass a pointer to it (const far struct T *), or send it through a pipe
