#include <nearside/kernel.h>

static int64_t zero(void)
{
	return 0;
}

static int64_t one(void)
{
	return 1;
}

static int64_t (*const table[])(void) = {zero, one};

NPROC_KERNEL int64_t dispatch(unsigned which)
{
	return table[which & 1]();
}


// expect: 13:42: error: the address of function 'zero' is taken
// expect: note: call the function by its name; where one of several is meant, choose with switch or if
// expect: 13:48: error: the address of function 'one' is taken
// expect: note: call the function by its name; where one of several is meant, choose with switch or if
// expect: 17:9: error: call through a function pointer
// expect: note: call the function by its name; where one of several is meant, choose with switch or if
