/* case 112: a name that another file uses for something else (same_name_first.c). */
#include <nearside/kernel.h>

static const uint8_t factor[] = {11, 13, 17, 19};

static uint64_t scale(uint64_t v)
{
	return v + factor[v % 4];
}

NPROC_KERNEL int64_t same_name_second(far uint8_t *memory, uint64_t nbytes, uint64_t seed)
{
	return (int64_t)(scale(seed) * 100 + scale(memory[nbytes - 1]));
}
