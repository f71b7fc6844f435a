#include <nearside/kernel.h>

NPROC_KERNEL int64_t mix(far int *items, int which)
{
	int cell = 0;
	int *picked = which ? items : &cell;
	return *picked + (items == &cell) + (items - &cell);
}


// expect: 6:22: error: conditional operator with the second and third operands of type  ('far int *' and 'int *') which are pointers to non-overlapping address spaces
// expect: note: far and private pointers cannot be compared, subtracted or chosen between: make both far
// expect: 7:29: error: a far and a private pointer are compared
// expect: note: they never point to the same object: compare far with far pointers
// expect: 7:45: error: arithmetic operation with operands of type  ('far int *' and 'int *') which are pointers to non-overlapping address spaces
// expect: note: far and private pointers cannot be compared, subtracted or chosen between: make both far
