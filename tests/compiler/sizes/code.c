#include <nearside/kernel.h>

#define TWICE(x) x x
#define STEP     v = v * 31 + memory[v % 64] / (v | 1); memory[v % 32] ^= (uint8_t)v;

NPROC_KERNEL int64_t too_long(far uint8_t *memory, uint64_t v)
{
	TWICE(TWICE(TWICE(TWICE(TWICE(TWICE(TWICE(TWICE(TWICE(STEP)))))))))
	return (int64_t)v;
}
