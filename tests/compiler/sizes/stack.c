#include <nearside/kernel.h>

NPROC_KERNEL int64_t too_deep(uint64_t n)
{
	char table[9000];
	for (uint64_t i = 0; i < sizeof table; i++)
		table[i] = (char)(i * i * n);
	return table[n];
}
