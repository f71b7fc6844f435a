#include <nearside/kernel.h>

static int64_t apply(int64_t (*operation)(int64_t), int64_t value)
{
	return operation(value);
}

static int64_t twice(int64_t value)
{
	return value * 2;
}

NPROC_KERNEL int64_t indirect(int64_t value)
{
	return apply(twice, value);
}


// expect: 5:9: error: call through a function pointer
// expect: note: call the function by its name; where one of several is meant, choose with switch or if
// expect: note: 'apply' runs in a kernel: indirect -> apply
// expect: 15:15: error: the address of function 'twice' is taken
// expect: note: call the function by its name; where one of several is meant, choose with switch or if
