/*
 * kernels.c - what hello does not show: far memory, a log message, faults, and a loop that only a
 * kill ends.
 */
#include <nearside/kernel.h>

NPROC_KERNEL int64_t sum(const far uint32_t *numbers, uint64_t count)
{
	uint64_t total = 0;

	for (uint64_t i = 0; i < count; i++)
		total += numbers[i];
	nproc_log("mean %.2f of %u", (double)total / (double)count, (unsigned)count);
	return (int64_t)total;
}

NPROC_KERNEL int64_t quotient(int64_t dividend, int64_t divisor)
{
	return dividend / divisor;
}

NPROC_KERNEL int64_t store(const far uint32_t *numbers, uint64_t index)
{
	*(far uint32_t *)&numbers[index] = 1;
	return 0;
}

NPROC_KERNEL int64_t for_ever(void)
{
	for (volatile unsigned i = 0;; i++)
		;
}
