#include <nearside/kernel.h>

static int64_t sign(int64_t a)
{
	if (a < 0)
		return -1;
	else if (a > 0)
		return 1;
}

static int64_t none(void)
{
}

static int64_t size(int64_t a)
{
	switch (a & 1) {
	case 0:
		return 1;
	case 1:
		nproc_exit(2);
	default:
		__builtin_unreachable();
	}
}

int host_only(int a)
{
	if (a)
		return 1;
}

NPROC_KERNEL int64_t report(int64_t a)
{
	for (;;) {
		if (sign(a) + size(a) + none())
			return 1;
	}
}

// expect: 3:16: error: the end of 'sign' can be reached without a result
// expect: note: end every path with return or nproc_exit(), or with __builtin_unreachable(), which is a fault where it is reached
// expect: note: 'sign' runs in a kernel: report -> sign
// expect: 11:16: error: the end of 'none' can be reached without a result
// expect: note: end every path with return or nproc_exit(), or with __builtin_unreachable(), which is a fault where it is reached
// expect: note: 'none' runs in a kernel: report -> none
