/* Every other kind of fault. `seed` chooses the mistake; the mark names it, the kind and the line. */
#include <string.h>

#include <nearside/kernel.h>

static int64_t divide(int64_t a, int64_t b)
{
	return a / b; // fault 1: DIVIDE_BY_ZERO
}

static int32_t remainder_of(int32_t a, int32_t b)
{
	return a % b; // fault 2: DIVIDE_OVERFLOW
}

static uint64_t must_be_small(uint64_t v)
{
	nproc_assert(v < 100); // fault 5: ASSERT
	return v;
}

enum colour { RED, GREEN };

static int name_of(enum colour colour)
{
	switch (colour) {
	case RED:
		return 5;
	case GREEN:
		return 6;
	}
	__builtin_unreachable(); // fault 6: UNREACHABLE
}

NPROC_KERNEL int64_t faults(far uint8_t *memory, uint64_t nbytes, uint64_t seed)
{
	uint64_t zero = nbytes % 2;
	int64_t minus_one = (int64_t)zero - 1;
	far uint64_t *words = (far uint64_t *)memory;
	switch (seed) {
	case 1:
		return divide(5, (int64_t)zero);
	case 2:
		return remainder_of(INT32_MIN + (int32_t)zero, (int32_t)minus_one);
	case 3:
		return (INT64_MIN + (int64_t)zero) / minus_one; // fault 3: DIVIDE_OVERFLOW
	case 4:
		return (int64_t)(nbytes % zero); // fault 4: DIVIDE_BY_ZERO
	case 5:
		return (int64_t)must_be_small(nbytes);
	case 6:
		return name_of((enum colour)nbytes);
	case 7:
		__builtin_trap(); // fault 7: TRAP
	case 8:
		return (int64_t)words[nbytes / 8]; // fault 8: FAR_READ
	case 9:
		memory[nbytes] = 1; // fault 9: FAR_WRITE
		return 0;
	case 10:
		return memory[minus_one]; // fault 10: FAR_READ
	case 11:
		return *(far uint64_t *)(memory + nbytes - 7); // fault 11: FAR_READ
	case 12: {
		far uint8_t *none = NULL;
		if (nbytes == 5)
			none = memory;
		return *none; // fault 12: FAR_READ
	}
	case 13:
		return *(far uint8_t *)(uintptr_t)nbytes; // fault 13: FAR_READ
	case 14:
		return (int64_t)__atomic_fetch_add(words + nbytes / 8, 1, __ATOMIC_RELAXED); // fault 14: FAR_WRITE
	case 15:
		for (uint64_t i = 0;; i++)
			words[i] += i; // fault 15: FAR_READ
	case 16: {
		uint64_t sum = 0;
		for (uint64_t i = 0; i < nbytes; i++)
			sum += words[i]; // fault 16: FAR_READ
		return (int64_t)sum;
	}
	case 17:
		for (uint64_t i = 0; i < nbytes + 1; i++)
			memory[i] = 0; // fault 17: FAR_WRITE
		return 0;
	case 18:
		for (uint64_t i = 0; i < nbytes; i++)
			memory[i] = memory[i + nbytes - 100]; // fault 18: FAR_READ
		return 0;
	case 19:
		return (int64_t)(words[0] +
				 words[nbytes / 8 - 1] +
				 words[nbytes / 8]); // fault 19: FAR_READ
	case 20:
		words[3] = 5;
		words[4] = 6;
		words[(int64_t)(nbytes / 8)] = 7; // fault 20: FAR_WRITE
		return 0;
	case 21:
		nproc_yield();
		nproc_assert(nbytes == 0 && "with text"); // fault 21: ASSERT
		return 0;
	case 22: {
		/* What is in far memory is no way around the check. */
		*(far uint64_t *)memory = 0x10000;
		far uint8_t *forged = *(far uint8_t *far *)memory;
		return *forged; // fault 22: FAR_READ
	}
	case 23:
		return *(far uint8_t *)(memory + INT64_MAX); // fault 23: FAR_READ
	case 24:
		__atomic_store_n((far uint32_t *)(memory + 2), 5, __ATOMIC_RELEASE); // fault 24: ALIGNMENT
		return 0;
	case 25:
		return memcmp(memory + 1, memory, nbytes); // fault 25: FAR_READ
	case 26: {
		/* All that is compared has to be granted, even where an early byte differs. */
		const uint8_t own[9] = {77};
		return memcmp(own, memory + nbytes - 8, 9); // fault 26: FAR_READ
	}
	default:
		return 0;
	}
}
