/* Loops whose accesses depend on data: the vectoriser may mask, gather or interleave them. */
#include <nearside/kernel.h>

struct pixel {
	uint8_t r, g, b;
};

static uint32_t sum_above(const far uint32_t *a, const far uint32_t *b, uint64_t count, uint32_t least)
{
	uint32_t sum = 0;
	for (uint64_t i = 0; i < count; i++) {
		if (a[i] > least)
			sum += b[i];
	}
	return sum;
}

static void store_above(far uint32_t *to, const far uint32_t *from, uint64_t count, uint32_t least)
{
	for (uint64_t i = 0; i < count; i++) {
		if (from[i] > least)
			to[i] = from[i] + 1;
	}
}

static uint64_t gather(const far uint64_t *table, uint64_t size, const far uint32_t *index, uint64_t count)
{
	uint64_t sum = 0;
	for (uint64_t i = 0; i < count; i++)
		sum += table[index[i] % size];
	return sum;
}

static uint64_t grey(const far struct pixel *pixels, uint64_t count)
{
	uint64_t sum = 0;
	for (uint64_t i = 0; i < count; i++)
		sum += (uint64_t)pixels[i].r * 3 + pixels[i].g * 6u + pixels[i].b;
	return sum;
}

static void swap_colours(far struct pixel *pixels, uint64_t count)
{
	for (uint64_t i = 0; i < count; i++) {
		uint8_t r = pixels[i].r;
		pixels[i].r = pixels[i].b;
		pixels[i].b = r;
	}
}

static uint64_t strided(const far uint16_t *cells, uint64_t count, uint64_t stride)
{
	uint64_t sum = 0;
	for (uint64_t i = 0; i < count; i += stride)
		sum += cells[i];
	return sum;
}

NPROC_KERNEL int64_t conditional(far uint8_t *memory, uint64_t nbytes, uint64_t seed)
{
	uint64_t half = nbytes / 2;
	far uint32_t *low = (far uint32_t *)memory, *high = (far uint32_t *)(memory + half);
	uint64_t hash = sum_above(low, high, half / 4, 1u << 31);
	store_above(low, high, half / 4, 3u << 30);
	/* Nothing behind the end may be touched, not even where the mask says no. */
	hash = hash * 31 + sum_above(high, high, half / 4 - seed % 7, 1u << 30);
	hash = hash * 31 + gather((const far uint64_t *)memory, half / 8, high, half / 4);
	hash = hash * 31 + grey((const far struct pixel *)memory, nbytes / 3);
	swap_colours((far struct pixel *)(memory + 1), (nbytes - 1) / 3);
	hash = hash * 31 + strided((const far uint16_t *)memory, nbytes / 2, seed % 5 + 1);
	return (int64_t)hash;
}
