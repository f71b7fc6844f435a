/* Bytes of far memory that are counted: the same at every level, as nothing here can be left out or done twice. */
#include <string.h>

#include <nearside/kernel.h>

/* Reads 4 * n bytes; writes n to another segment, and 8 * (n / 4) atomically. */
NPROC_KERNEL int64_t traffic(const far uint32_t *from, far uint64_t *to, uint64_t n)
{
	uint32_t sum = 0;
	for (uint64_t i = 0; i < n; i++)
		sum += from[i];
	nproc_yield();
	memset(to, (int)sum, n);
	for (uint64_t i = 0; i < n / 4; i++)
		__atomic_fetch_add(to, sum, __ATOMIC_RELAXED);
	if (n % 2)
		nproc_exit(1);
	return 0;
}
