#include <nearside/kernel.h>

static unsigned long factorial(unsigned long n)
{
	return n < 2 ? 1 : n * factorial(n - 1);
}

static int shared(int n)
{
	return n + 1;
}

NPROC_KERNEL int64_t compute(int n)
{
	return shared(shared(n));
}

int main(void)
{
	return (int)factorial(5) + shared(1);
}
