/* case 113: constant tables, string literals and tables that the compiler makes of switches. */
#include <nearside/kernel.h>

static const uint32_t primes[] = {2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31};
static const struct {
	char letter;
	double factor;
	int16_t steps[3];
} rules[] = {{'a', 0.5, {1, 2, 3}}, {'b', -2.25, {4, 5, 6}}, {'z', 1e10, {-7, 8, 32767}}};
static const char text[] = "the quick brown fox";
static const uint8_t grid[4][3] = {{1, 2, 3}, {4, 5, 6}, {7, 8, 9}, {10, 11, 12}};

static const char *name_of(unsigned value)
{
	switch (value % 3) {
	case 0:
		return "zero";
	case 1:
		return "one";
	default:
		return "many";
	}
}

NPROC_KERNEL int64_t tables(far uint8_t *memory, uint64_t nbytes, uint64_t seed)
{
	int64_t hash = 0;
	double weight = 0;
	for (uint64_t i = 0; i < nbytes; i++) {
		hash = hash * 31 + primes[memory[i] % 11] + text[memory[i] % (sizeof text - 1)];
		hash += grid[memory[i] & 3][memory[i] % 3];
		weight += rules[memory[i] % 3].factor;
		hash ^= rules[memory[i] % 3].steps[(memory[i] >> 2) % 3];
	}
	for (const char *c = name_of((unsigned)seed); *c; c++)
		hash = hash * 7 + *c;
	npipe_write(1, &weight, sizeof weight);
	return hash;
}
