#include <nearside/kernel.h>
#include <string.h>

struct pair {
	int a, b;
};

union bits {
	double number;
	uint64_t word;
};

static void swap(int *a, int *b)
{
	int kept = *a;
	*a = *b;
	*b = kept;
}

static void clear(struct pair *pair)
{
	memset(pair, 0, sizeof *pair);
}

NPROC_KERNEL int64_t work(int n, struct pair pair)
{
	int cells[4] = {1, 2, 3, n};
	int *none = NULL, *zero = (int *)0, *third = cells + 2;
	swap(&cells[0], third);
	swap(&pair.a, &pair.b);
	struct pair other;
	clear(&other);
	memcpy(&other, &pair, sizeof other);
	union bits bits = {.number = 1.5};
	npipe_write(1, &other, sizeof other);
	npipe_write(1, (const char *)&other, 4);
	return cells[0] + other.a + (none == zero) + (int64_t)bits.word + ((uintptr_t)third & 3 ? 1 : 0);
}
