/* Copies that begin or end where they must not. `seed` chooses the mistake. */
#include <nearside/kernel.h>

NPROC_KERNEL int64_t copies(far uint8_t *memory, uint64_t nbytes, uint64_t seed)
{
	NPROC_SCRATCH uint8_t first[64];
	NPROC_SCRATCH uint8_t second[64];
	first[0] = second[0] = 1;
	switch (seed) {
	case 1:
		return nmem_get(first, memory + nbytes - 63, 64); // fault 1: FAR_READ
	case 2:
		return nmem_put(memory - 1, first, 64); // fault 2: FAR_WRITE
	case 3:
		return nmem_get(first, memory, nbytes / nbytes * 65); // fault 3: BOUNDS
	case 4:
		return nmem_put(memory, second + 60, seed + 1); // fault 4: BOUNDS
	case 5:
		return nmem_get(seed > 4 ? first + 64 : second, memory, 1); // fault 5: BOUNDS
	case 6:
		first[nbytes + 63 - nbytes + seed] = 1; // fault 6: BOUNDS
		return first[1];
	default:
		return 0;
	}
}
