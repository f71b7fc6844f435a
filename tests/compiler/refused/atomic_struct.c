#include <nearside/kernel.h>

struct pair {
	uint64_t low, high;
};

NPROC_KERNEL int64_t swap(far _Atomic struct pair *pair)
{
	struct pair copy = *pair;
	return (int64_t)copy.low;
}


// expect: 9:21: error: type 'far _Atomic(struct pair)' is atomic, but not of 1, 2, 4 or 8 bytes
// expect: note: use atomics of at most 8 bytes, e.g. an index instead of a struct
