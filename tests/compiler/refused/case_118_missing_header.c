#include <nearside/kernel.h>
#include "no_such_header.h"

NPROC_KERNEL int64_t work(int n)
{
	return n;
}

// expect: 2:10: error: 'no_such_header.h' file not found
