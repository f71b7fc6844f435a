/* What a parameter that points to const grants may be read, and no more. */
#include <nearside/kernel.h>

static void store(far uint64_t *to, uint64_t value)
{
	*to = value; // fault 1: READ_ONLY
}

NPROC_KERNEL int64_t read_only(const far uint8_t *memory, uint64_t nbytes, uint64_t seed)
{
	far uint64_t *words = (far uint64_t *)memory;
	switch (seed) {
	case 1:
		store(words, 5);
		return 0;
	case 2:
		words[1] = words[2] + words[3]; // fault 2: READ_ONLY
		return 0;
	case 3:
		for (uint64_t i = 0; i < nbytes; i++)
			((far uint8_t *)memory)[i] = 1; // fault 3: READ_ONLY
		return 0;
	case 4:
		return (int64_t)__atomic_exchange_n(words, 1, __ATOMIC_SEQ_CST); // fault 4: READ_ONLY
	case 5:
		return (int64_t)(words[0] + memory[nbytes - 1]); // fault 5: NONE
	default:
		return 0;
	}
}
