#include <nearside/kernel.h>
#include <stdlib.h>

NPROC_KERNEL int64_t copy(unsigned n)
{
	int *items = malloc(n * sizeof *items);
	free(items);
	return 0;
}


// expect: 6:15: error: 'malloc' needs a heap, which a kernel does not have
// expect: note: let the host allocate far memory with nmem_alloc() and pass a `far T *`; small objects are locals
// expect: 7:2: error: 'free' needs a heap, which a kernel does not have
// expect: note: let the host allocate far memory with nmem_alloc() and pass a `far T *`; small objects are locals
