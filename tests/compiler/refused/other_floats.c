#include <complex.h>
#include <nearside/kernel.h>

NPROC_KERNEL int64_t add(double a, double b)
{
	_Float16 small = (_Float16)a;
	__float128 large = b;
	double _Complex both = a + b * I;
	return (int64_t)small + (int64_t)large + (int64_t)__real__ both;
}


// expect: 6:11: error: type '_Float16' is no type of the device
// expect: note: use float
// expect: 6:19: error: type '_Float16' is no type of the device
// expect: note: use float
// expect: 7:13: error: type '__float128' has another size and precision on each device
// expect: note: use double
// expect: 8:18: error: type '_Complex double' needs library calls that the device does not have
// expect: note: use a struct of two doubles and write the formulas
// expect: 8:33: error: type '_Complex float' needs library calls that the device does not have
// expect: note: use a struct of two doubles and write the formulas
