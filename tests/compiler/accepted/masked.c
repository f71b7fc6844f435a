/* Lanes that do not count lie outside the segment: before its begin and behind its end. */
#include <nearside/kernel.h>

static uint64_t sum_where(const far uint32_t *which, const far uint32_t *values, uint64_t count)
{
	uint64_t sum = 0;
	for (uint64_t i = 0; i < count; i++) {
		if (which[i])
			sum += values[i];
	}
	return sum;
}

static void store_where(const far uint32_t *restrict which, far uint32_t *restrict values, uint64_t count)
{
	for (uint64_t i = 0; i < count; i++) {
		if (which[i])
			values[i] = which[i] * 3 + 1;
	}
}

static void store_far_where(const far uint64_t *restrict which, far double *restrict values, uint64_t count)
{
	for (uint64_t i = 0; i < count; i++) {
		if (which[i] & 2)
			values[i] = (double)which[i];
	}
}

NPROC_KERNEL int64_t masked(far uint8_t *memory, uint64_t nbytes, uint64_t seed)
{
	uint64_t count = 200, inside = 77 + seed % 5;
	far uint32_t *which = (far uint32_t *)(memory + 128);
	far uint32_t *tail = (far uint32_t *)(memory + nbytes) - inside;
	for (uint64_t i = 0; i < count; i++)
		which[i] = i < inside ? memory[i] & 3 : 0;
	uint64_t hash = sum_where(which, tail, count);
	store_where(which, tail, count);
	/* The other way round: the first lanes lie before the segment. */
	for (uint64_t i = 0; i < count; i++)
		which[i] = i < inside ? 0 : memory[i + 1000] & 3;
	far uint32_t *before = (far uint32_t *)memory - inside;
	hash = hash * 31 + sum_where(which, before + 400, 0) + sum_where(which, before, inside + 30);
	store_where(which, before, inside + 30);
	store_far_where((const far uint64_t *)(memory + 1024), (far double *)(memory + nbytes - 400), 50);
	return (int64_t)hash;
}
