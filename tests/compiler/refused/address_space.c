#include <nearside/kernel.h>

NPROC_KERNEL int64_t peek(uint64_t offset)
{
	int __seg_fs *here = (int __seg_fs *)offset;
	return *here;
}


// expect: 5:16: error: type '__attribute__((address_space(257))) int *' points into an address space that no kernel has
// expect: note: use plain pointers, and `far` for far memory
// expect: 5:23: error: type '__attribute__((address_space(257))) int *' points into an address space that no kernel has
// expect: note: use plain pointers, and `far` for far memory
