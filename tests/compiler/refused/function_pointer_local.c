#include <nearside/kernel.h>

static int add(int a, int b)
{
	return a + b;
}

static int subtract(int a, int b)
{
	return a - b;
}

NPROC_KERNEL int64_t choose(int which, int a, int b)
{
	int (*operation)(int, int) = which ? add : &subtract;
	return operation(a, b) + (*operation)(b, a) + (which ? add : subtract)(a, a);
}


// expect: 15:39: error: the address of function 'add' is taken
// expect: note: call the function by its name; where one of several is meant, choose with switch or if
// expect: 15:46: error: the address of function 'subtract' is taken
// expect: note: call the function by its name; where one of several is meant, choose with switch or if
// expect: 16:9: error: call through a function pointer
// expect: note: call the function by its name; where one of several is meant, choose with switch or if
// expect: 16:27: error: call through a function pointer
// expect: note: call the function by its name; where one of several is meant, choose with switch or if
// expect: 16:48: error: call through a function pointer
// expect: note: call the function by its name; where one of several is meant, choose with switch or if
// expect: 16:57: error: the address of function 'add' is taken
// expect: note: call the function by its name; where one of several is meant, choose with switch or if
// expect: 16:63: error: the address of function 'subtract' is taken
// expect: note: call the function by its name; where one of several is meant, choose with switch or if
