/* Pointers into private memory that come from one of several objects, and walk through them. */
#include <nearside/kernel.h>

struct pair {
	uint16_t small[6];
	uint64_t large;
};

static uint64_t walk(const uint16_t *from, const uint16_t *to)
{
	uint64_t hash = 0;
	for (const uint16_t *at = from; at != to; at++)
		hash = hash * 31 + *at;
	return hash;
}

static void reverse(uint16_t *first, uint16_t *last)
{
	while (first < last) {
		uint16_t value = *first;
		*first++ = *last;
		*last-- = value;
	}
}

static uint64_t *larger(uint64_t *a, uint64_t *b)
{
	return *a > *b ? a : b;
}

NPROC_KERNEL int64_t private_pointers(far uint8_t *memory, uint64_t nbytes, uint64_t seed)
{
	struct pair pairs[3];
	uint16_t others[10];
	uint64_t grid[4][5];
	for (unsigned i = 0; i < 10; i++)
		others[i] = memory[i];
	for (unsigned i = 0; i < 3; i++) {
		for (unsigned j = 0; j < 6; j++)
			pairs[i].small[j] = (uint16_t)(memory[i * 6 + j] * 257);
		pairs[i].large = memory[nbytes - 1 - i];
	}
	for (unsigned i = 0; i < 20; i++)
		grid[i / 5][i % 5] = i * seed;
	uint16_t *chosen = seed & 1 ? pairs[seed % 3].small : others;
	for (unsigned i = 0; i < 3; i++) {
		nproc_yield();
		chosen = memory[i] & 1 ? chosen + 1 : others + i;
	}
	reverse(chosen, chosen + 2);
	*larger(&pairs[0].large, &pairs[1].large) += 1000;
	uint64_t *cell = &grid[0][0];
	for (unsigned i = 0; i < 20; i++)
		cell[(i * 7) % 20] += i;
	uint64_t hash = walk(others, others + 10) * 31 + walk(pairs[1].small, pairs[1].small + 6);
	hash += pairs[0].large * 3 + pairs[1].large * 5 + grid[3][4] * 7 + grid[1][2];
	const char *label = seed & 2 ? "yes" : "certainly not";
	while (*label)
		hash = hash * 31 + (uint64_t)*label++;
	return (int64_t)hash;
}
