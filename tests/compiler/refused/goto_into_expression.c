#include <nearside/kernel.h>

NPROC_KERNEL int64_t jump(int n)
{
	if (n)
		goto inside;
	return ({
	inside:
		n;
	});
}

// expect: 6:3: error: cannot jump from this goto statement to its label
// expect: 7:9: note: jump enters a statement expression
