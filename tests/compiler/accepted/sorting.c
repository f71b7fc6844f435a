/* A sort without recursion, in far memory, with its stack in a private array. */
#include <nearside/kernel.h>

struct range {
	uint32_t low, high;
};

static uint32_t partition(far uint32_t *values, uint32_t low, uint32_t high)
{
	uint32_t pivot = values[high];
	uint32_t at = low;
	for (uint32_t i = low; i < high; i++) {
		if (values[i] < pivot) {
			uint32_t value = values[i];
			values[i] = values[at];
			values[at++] = value;
		}
	}
	values[high] = values[at];
	values[at] = pivot;
	return at;
}

NPROC_KERNEL int64_t sorting(far uint8_t *memory, uint64_t nbytes, uint64_t seed)
{
	far uint32_t *values = (far uint32_t *)memory;
	struct range stack[64] = {{0, (uint32_t)(nbytes / 4 - 1)}};
	unsigned depth = 1;
	while (depth > 0) {
		struct range range = stack[--depth];
		if (range.low >= range.high)
			continue;
		uint32_t middle = partition(values, range.low, range.high);
		struct range left = {range.low, middle ? middle - 1 : 0}, right = {middle + 1, range.high};
		if (middle == range.low)
			left.high = left.low;
		bool left_is_larger = left.high - left.low > right.high - right.low;
		stack[depth++] = left_is_larger ? left : right;
		stack[depth++] = left_is_larger ? right : left;
		if (depth % 2)
			nproc_yield();
	}
	for (uint64_t i = 1; i < nbytes / 4; i++)
		nproc_assert(values[i - 1] <= values[i]);
	return (int64_t)(values[nbytes / 8] + seed);
}
