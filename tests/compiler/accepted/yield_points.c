/* Yield points in loops of every form: nothing is lost across them, and each counts for itself. */
#include <nearside/kernel.h>

static uint64_t mix(uint64_t value, const far uint8_t *memory, uint64_t nbytes)
{
	for (uint64_t i = 0; i < nbytes; i += 64) {
		NPROC_YIELD_AFTER(3);
		value = value * 31 + memory[i];
	}
	return value;
}

NPROC_KERNEL int64_t yield_points(far uint8_t *memory, uint64_t nbytes, uint64_t seed)
{
	uint64_t columns = 32, total = seed, left = 7;
	uint8_t seen[16] = {0};

	for (uint64_t row = 0; row < nbytes / columns; row++) {
		NPROC_YIELD_AFTER(5);
		for (uint64_t i = 0; i < columns; i++)
			total += memory[row * columns + i];
		seen[row % 16] ^= (uint8_t)total;
	}
	do {
		NPROC_YIELD_AFTER(1);
		uint8_t byte = 0;
		if (npipe_read(0, &byte, 1) == 1)
			total = total * 3 + byte;
	} while (--left);
again:
	NPROC_YIELD_AFTER(INT32_MAX);
	total = mix(total, memory, nbytes);
	memory[total % nbytes] ^= seen[total % 16];
	if (total % 5)
		goto again;
	return (int64_t)total;
}
