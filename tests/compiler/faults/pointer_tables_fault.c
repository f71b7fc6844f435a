/* Objects that are reached through a table of pointers have their own ends. */
#include <nearside/kernel.h>

static const uint16_t small[] = {1, 2, 3}, large[] = {10, 20, 30, 40, 50};
static const struct entry {
	const uint16_t *values;
	uint64_t number;
} entries[] = {{small, 5}, {large + 2, 6}, {NULL, 7}};

NPROC_KERNEL int64_t pointer_tables_fault(far uint8_t *memory, uint64_t nbytes, uint64_t seed)
{
	uint64_t zero = nbytes % 2;
	const uint16_t *values = entries[zero].values;
	switch (seed) {
	case 1:
		return values[2 + zero]; // fault 1: NONE
	case 2:
		return values[3 + zero]; // fault 2: BOUNDS
	case 3:
		return entries[1 + zero].values[2]; // fault 3: NONE
	case 4:
		return entries[1 + zero].values[3]; // fault 4: BOUNDS
	case 5:
		return *(entries[1 + zero].values - 3 + zero); // fault 5: BOUNDS
	case 6:
		return entries[2 + zero].values[0]; // fault 6: BOUNDS
	case 7:
		return entries[3 + zero].values[0]; // fault 7: BOUNDS
	case 8:
		*(uint16_t *)entries[zero].values = 3; // fault 8: BOUNDS
		return 0;
	case 9: {
		/* Half of one pointer and half of another make no pointer. */
		const uint16_t *const *torn = (const uint16_t *const *)((const char *)entries + 4 + zero);
		return **torn; // fault 9: BOUNDS
	}
	case 10: {
		const uint16_t *const *number = (const uint16_t *const *)&entries[zero].number;
		return **number; // fault 10: BOUNDS
	}
	default:
		return memory[0] == 0;
	}
}
