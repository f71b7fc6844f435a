#include <nearside/kernel.h>

struct list {
	const int *items;
};

static const struct list good = {(const int[]){1, 2}};
static const struct list bad = {(int[]){1, 2}};

NPROC_KERNEL int64_t first(void)
{
	return good.items[0] + bad.items[0];
}


// expect: 8:33: error: a mutable object without a name, which all processes would share
// expect: note: make it const: (const int[]){1, 2, 3}
