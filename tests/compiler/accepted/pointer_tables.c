/* Constant tables that hold pointers to constants. */
#include <nearside/kernel.h>

static const char *const names[] = {"zero", "one", "two", "many more"};
static const uint16_t small[] = {1, 2, 3}, large[] = {10, 20, 30, 40, 50};

static const struct series {
	uint64_t count;
	const uint16_t *values;
	const char *label[2];
} all[] = {{3, small, {"few", "small"}}, {4, large + 1, {"many", NULL}}, {0}};

static const char *const words[] = {"alpha", "beta", "gamma", NULL};

static uint64_t hash_text(const char *text, uint64_t hash)
{
	while (*text)
		hash = hash * 31 + (uint64_t)*text++;
	return hash;
}

static uint64_t hash_series(const struct series *series, uint64_t hash)
{
	for (uint64_t i = 0; i < series->count; i++)
		hash = hash * 31 + series->values[i];
	for (unsigned i = 0; i < 2; i++) {
		if (series->label[i])
			hash = hash_text(series->label[i], hash);
	}
	return hash;
}

NPROC_KERNEL int64_t pointer_tables(far uint8_t *memory, uint64_t nbytes, uint64_t seed)
{
	uint64_t hash = seed;
	for (uint64_t i = 0; i < nbytes; i += 7)
		hash = hash_text(names[memory[i] % 4], hash);
	for (const struct series *series = all; series->count; series++) {
		nproc_yield();
		hash = hash_series(series, hash);
	}
	for (const char *const *word = words; *word; word++) {
		hash = hash_text(*word, hash);
		nproc_yield();
	}
	nproc_log("%s", names[seed % 4]);
	return (int64_t)hash;
}
