#include <nearside/kernel.h>

NPROC_KERNEL int64_t inner(const far int *numbers)
{
	return *numbers;
}

static int64_t helper(const far int *numbers)
{
	return *numbers;
}

NPROC_KERNEL int64_t outer(const far int *numbers)
{
	int64_t code = 1;
	nproc_spawn(NPROC_HERE, inner(numbers));
	return nproc_spawn(NPROC_HERE, helper(numbers)) + nproc_spawn(NPROC_HERE, code);
}

// expect: 17:33: error: the second argument of nproc_spawn() does not name a kernel
// expect: note: write the kernel's name and its arguments there: nproc_spawn(start, kernel(a, b))
// expect: 17:76: error: the second argument of nproc_spawn() does not name a kernel
// expect: note: write the kernel's name and its arguments there: nproc_spawn(start, kernel(a, b))
