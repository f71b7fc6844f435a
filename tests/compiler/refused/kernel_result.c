#include <nearside/kernel.h>

NPROC_KERNEL int number(void)
{
	return 0;
}

NPROC_KERNEL void nothing(void)
{
}

NPROC_KERNEL uint64_t without_sign(void)
{
	return 0;
}

NPROC_KERNEL double fraction(void)
{
	return 0;
}

NPROC_KERNEL long long fine(void)
{
	return 0;
}


// expect: 3:18: error: kernel 'number' returns 'int' instead of int64_t, the exit code of its process
// expect: note: NPROC_KERNEL int64_t number(...), and `return 0;` where there is nothing to say
// expect: 8:19: error: kernel 'nothing' returns 'void' instead of int64_t, the exit code of its process
// expect: note: NPROC_KERNEL int64_t nothing(...), and `return 0;` where there is nothing to say
// expect: 12:23: error: kernel 'without_sign' returns 'uint64_t' instead of int64_t, the exit code of its process
// expect: note: NPROC_KERNEL int64_t without_sign(...), and `return 0;` where there is nothing to say
// expect: 17:21: error: kernel 'fraction' returns 'double' instead of int64_t, the exit code of its process
// expect: note: NPROC_KERNEL int64_t fraction(...), and `return 0;` where there is nothing to say
