/* kernels.c - what goes right, what goes wrong, and what is made to go wrong (trap.c). */
#include <nearside/kernel.h>

NPROC_KERNEL int64_t sum(const far uint32_t *numbers, uint64_t count)
{
	uint64_t total = 0;

	for (uint64_t i = 0; i < count; i++)
		total += numbers[i];
	return (int64_t)total;
}

NPROC_KERNEL int64_t broken(int64_t number)
{
	char byte;

	while (npipe_read(0, &byte, 1) == 1)
		number += byte;
	return number;
}
