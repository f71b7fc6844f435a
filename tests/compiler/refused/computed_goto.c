#include <nearside/kernel.h>

NPROC_KERNEL int64_t interpret(unsigned operation)
{
	static const void *const targets[] = {&&add, &&stop};
	int sum = 0;
	goto *targets[operation & 1];
add:
	sum++;
stop:
	return sum;
}


// expect: 5:40: error: the address of a label is taken
// expect: note: number the places and use switch, which becomes a jump table where that is faster
// expect: 5:47: error: the address of a label is taken
// expect: note: number the places and use switch, which becomes a jump table where that is faster
// expect: 7:2: error: computed goto
// expect: note: use switch, which becomes a jump table where that is faster
