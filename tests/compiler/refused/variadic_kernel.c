#include <nearside/kernel.h>

NPROC_KERNEL int64_t many(int count, ...)
{
	return count;
}


// expect: 3:22: error: function 'many' takes a variable number of arguments
// expect: note: give it as many parameters as it needs, or an array and a count
