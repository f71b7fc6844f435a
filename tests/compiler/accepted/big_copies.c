/* Copies of more than a page between far and far, with and without overlap. */
#include <nearside/kernel.h>

NPROC_KERNEL int64_t big_copies(far uint8_t *memory, uint64_t nbytes, uint64_t seed)
{
	uint64_t third = nbytes / 3, by = seed % 100 + 1;
	for (uint64_t i = 0; i < third; i++)
		memory[2 * third + i] = memory[i];
	for (uint64_t i = 0; i + by < 2 * third; i++)
		memory[i] = memory[i + by];
	for (uint64_t i = 2 * third; i-- > by;)
		memory[i] = memory[i - by];
	for (uint64_t i = third; i < 2 * third; i++)
		memory[i] = 0x3c;
	uint64_t hash = 0;
	for (uint64_t i = 0; i < nbytes; i++)
		hash = hash * 31 + memory[i];
	return (int64_t)hash;
}
