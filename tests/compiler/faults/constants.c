/* Mistakes that the compiler sees for certain: it must not drop them as undefined. */
#include <string.h>

#include <nearside/kernel.h>

struct pair {
	uint32_t first, second;
};

struct window {
	uint32_t *words;
};

static const uint32_t table[3] = {1, 2, 3};

static int64_t divide(int64_t a, int64_t b)
{
	return a / b; // fault 1: DIVIDE_BY_ZERO
}

static int64_t rest(int64_t a, int64_t b)
{
	return a % b; // fault 2: DIVIDE_OVERFLOW
}

static uint32_t at(const uint32_t *words, int64_t index)
{
	return words[index]; // fault 4: BOUNDS
}

static int64_t shift(int32_t value, int32_t count)
{
	return value << count;
}

static int64_t outside(uint64_t seed)
{
	uint32_t words[4] = {1, 2, 3, 4}, more[16] = {5};
	uint32_t *pointer = words;
	struct window windows[2] = {{words}, {words}};
	switch (seed) {
	case 5:
		return pointer[7]; // fault 5: BOUNDS
	case 6:
		pointer[-1] = 9; // fault 6: BOUNDS
		return words[0];
	case 7:
		return *(uint64_t *)&words[3]; // fault 7: BOUNDS
	case 8:
		windows[1].words[4] = 1; // fault 8: BOUNDS
		return words[0];
	case 9:
		pointer = seed == 9 ? pointer + 5 : more;
		return *pointer; // fault 9: BOUNDS
	case 10:
		memset(words, 1, 17); // fault 10: BOUNDS
		return words[0];
	case 11:
		memcpy(more, words, 20); // fault 11: BOUNDS
		return more[0];
	case 12:
		return ((struct pair *)words)[1].second; // fault 12: NONE
	default:
		return *(pointer + 4); // fault 13: BOUNDS
	}
}

NPROC_KERNEL int64_t constants(far uint8_t *memory, uint64_t nbytes, uint64_t seed)
{
	uint32_t one = 1;
	(void)memory;
	(void)nbytes;
	switch (seed) {
	case 1:
		return divide(5, 0);
	case 2:
		return rest(INT64_MIN, -1);
	case 3:
		return 5 / (seed & 0); // fault 3: DIVIDE_BY_ZERO
	case 4:
		return at(table, 3);
	case 14:
		return *(int64_t *)&one; // fault 14: BOUNDS
	case 15:
		nproc_assert(shift(1, 33) == 2);
		return 0; // fault 15: NONE
	default:
		return outside(seed);
	}
}
