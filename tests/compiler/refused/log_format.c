#include <nearside/kernel.h>

NPROC_KERNEL int64_t talk(int n, const far char *text)
{
	nproc_log("%s", n);
	nproc_log("%d", n, n);
	nproc_log("%p", text);
	nproc_log("fine %d", n);
	return 0;
}

// expect: 5:18: error: format specifies type 'char *' but the argument has type 'int'
// expect: 6:21: error: data argument not used by format string
