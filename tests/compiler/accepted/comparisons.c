/* memcmp() on private and far memory, of sizes that are constant and that are not. */
#include <string.h>

#include <nearside/kernel.h>

static const uint8_t table[24] = "abcdefghijklmnopqrstuvw";

static int sign(int order)
{
	return (order > 0) - (order < 0);
}

static int compare_with_private(const far uint8_t *at, const uint8_t *bytes, uint64_t nbytes)
{
	return sign(memcmp(at, bytes, nbytes)) * 3 + sign(memcmp(bytes, at, nbytes));
}

NPROC_KERNEL int64_t comparisons(far uint8_t *memory, uint64_t nbytes, uint64_t seed)
{
	uint8_t bytes[100], copy[100];
	uint64_t half = nbytes / 2 / 8 * 8;
	int64_t hash = (int64_t)seed;
	memcpy(bytes, memory, sizeof bytes);
	memcpy(copy, bytes, sizeof copy);
	memcpy(memory + half, memory, half);
	for (uint64_t i = 0; i < 100; i++) {
		copy[i] ^= (uint8_t)seed;
		hash = hash * 7 + sign(memcmp(bytes, copy, i)) + (memcmp(bytes, copy, 8) == 0);
		hash = hash * 7 + compare_with_private(memory, copy, i);
		hash = hash * 7 + compare_with_private(memory + i, bytes, 100 - i);
		copy[i] = bytes[i];
	}
	hash = hash * 7 + sign(memcmp(memory, memory + half, half));
	memory[half - 1] ^= (uint8_t)(seed % 3);
	hash = hash * 7 + sign(memcmp(memory, memory + half, half));
	hash = hash * 7 + sign(memcmp(memory + half + 3, memory + 3, half - 3));
	hash = hash * 7 + sign(memcmp(memory, memory + 1, nbytes - 1));
	hash = hash * 7 + sign(memcmp(table, "abcdefgx", 8)) + sign(memcmp(table, memory, 24));
	hash = hash * 7 + (memcmp(memory + 5, memory + half + 5, 16) != 0);
	return hash * 7 + memcmp(memory + nbytes, memory, 0) + memcmp(table, bytes, 0);
}
