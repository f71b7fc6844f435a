#include <math.h>
#include <nearside/kernel.h>
#include <stdlib.h>

NPROC_KERNEL int64_t compute(double a, float b, int n)
{
	double root = sqrt(fabs(a)) + copysign(a, -1.0) + (double)(sqrtf(fabsf(b)) + copysignf(b, 1.0f));
	if (isnan(root) || isinf(root))
		return -1;
	return (int64_t)root + abs(n) + labs(n) + __builtin_popcount((unsigned)n) + __builtin_clz((unsigned)n | 1);
}
