#include <nearside/kernel.h>

struct sum {
	long double total;
};

static long double half(long double value)
{
	return value / 2;
}

NPROC_KERNEL int64_t add(double a, double b)
{
	long double exact = a + 1.0L;
	struct sum sum;
	sum.total = (long double)b;
	return (int64_t)half(exact) + (int64_t)sum.total;
}


// expect: 7:37: error: type 'long double' has another size and precision on each device
// expect: note: use double
// expect: note: 'half' runs in a kernel: add -> half
// expect: 14:14: error: type 'long double' has another size and precision on each device
// expect: note: use double
// expect: 14:26: error: type 'long double' has another size and precision on each device
// expect: note: use double
// expect: 16:6: error: type 'long double' has another size and precision on each device
// expect: note: use double
// expect: 16:14: error: type 'long double' has another size and precision on each device
// expect: note: use double
// expect: 17:18: error: type 'long double' has another size and precision on each device
// expect: note: use double
// expect: 17:45: error: type 'long double' has another size and precision on each device
// expect: note: use double
