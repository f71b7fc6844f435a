#include <nearside/kernel.h>

struct operations {
	int64_t (*run)(int64_t);
};

static int64_t run(int64_t value)
{
	return value;
}

NPROC_KERNEL int64_t object(int64_t value)
{
	struct operations operations = {.run = run};
	return operations.run(value);
}


// expect: 14:41: error: the address of function 'run' is taken
// expect: note: call the function by its name; where one of several is meant, choose with switch or if
// expect: 15:9: error: call through a function pointer
// expect: note: call the function by its name; where one of several is meant, choose with switch or if
