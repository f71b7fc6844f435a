#include <nearside/kernel.h>

NPROC_KERNEL int64_t high(uint64_t a, uint64_t b)
{
	unsigned __int128 product = (unsigned __int128)a * b;
	product += a;
	product <<= 3;
	return (int64_t)(product >> 64) + (product > a);
}
