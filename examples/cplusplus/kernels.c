/* kernels.c - kernels are C, also where the program that uses them is C++. */
#include <nearside/kernel.h>

NPROC_KERNEL int64_t largest(const far int64_t *numbers, uint64_t count)
{
	int64_t most = INT64_MIN;

	for (uint64_t i = 0; i < count; i++)
		if (numbers[i] > most)
			most = numbers[i];
	return most;
}
