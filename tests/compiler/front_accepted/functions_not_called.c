#include <nearside/kernel.h>
#include <stdio.h>

/* Names whose operands are never evaluated, and branches that _Generic does not choose. */
static int of_int(int n)
{
	return n;
}

static double of_double(double x)
{
	printf("%f\n", x);
	return x;
}

#define of(x) _Generic((x), int: of_int, double: of_double)(x)

NPROC_KERNEL int64_t choose(int n)
{
	return of(n) + (int64_t)sizeof(printf("")) + (int64_t)_Alignof(long double) + (int64_t)sizeof(of_double(1));
}
