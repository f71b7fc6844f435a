#include <nearside/kernel.h>

static int *const port = (int *)0x4000;

NPROC_KERNEL int64_t poke(uint64_t address)
{
	*(volatile int *)address = 1;
	*port = 1;
	return (void *)address == (void *)-1;
}


// expect: 3:26: error: a private pointer is made from an integer
// expect: note: use an index into an array; an address in far memory is a `far T *`, which is checked when it is used
// expect: 7:3: error: a private pointer is made from an integer
// expect: note: use an index into an array; an address in far memory is a `far T *`, which is checked when it is used
// expect: 9:9: error: a private pointer is made from an integer
// expect: note: use an index into an array; an address in far memory is a `far T *`, which is checked when it is used
// expect: 9:28: error: a private pointer is made from an integer
// expect: note: use an index into an array; an address in far memory is a `far T *`, which is checked when it is used
