#include <math.h>
#include <nearside/kernel.h>

NPROC_KERNEL int64_t compute(double a, double b)
{
	double fine = sqrt(fabs(a)) + copysign(a, b);
	return (int64_t)(fine + sin(a) + pow(a, b) + floor(a) + fmin(a, b) + __builtin_fma(a, b, a));
}


// expect: 7:26: error: 'sin' does not exist on the device
// expect: note: kernels have sqrt, fabs and copysign: write the formula, or let the host fill a table
// expect: 7:35: error: 'pow' does not exist on the device
// expect: note: kernels have sqrt, fabs and copysign: write the formula, or let the host fill a table
// expect: 7:47: error: 'floor' does not exist on the device
// expect: note: convert to int64_t and back, and correct by one where that is not what is meant
// expect: 7:58: error: 'fmin' does not exist on the device
// expect: note: write a < b ? a : b, whose answer is the same on every device
// expect: 7:71: error: '__builtin_fma' does not exist on the device
// expect: note: kernels have sqrt, fabs and copysign: write the formula, or let the host fill a table
