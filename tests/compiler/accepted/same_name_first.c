/* case 112: a name that another file uses for something else (same_name_second.c). */
#include <nearside/kernel.h>

static const uint64_t factor[] = {3, 5, 7};

static uint64_t scale(uint64_t v)
{
	return v * factor[v % 3];
}

NPROC_KERNEL int64_t same_name_first(far uint8_t *memory, uint64_t nbytes, uint64_t seed)
{
	return (int64_t)(scale(seed) + scale(memory[nbytes - 1]));
}
