#include <nearside/kernel.h>

static far int shared;
static const far int table[2];

NPROC_KERNEL int64_t look(void)
{
	return shared + table[1];
}


// expect: 8:9: error: 'shared' is a global variable in far memory
// expect: note: let the host allocate it with nmem_alloc() and pass a `far T *` to the kernel
// expect: 3:16: note: 'shared' is declared here
// expect: 8:18: error: 'table' is a global variable in far memory
// expect: note: let the host allocate it with nmem_alloc() and pass a `far T *` to the kernel
// expect: 4:22: note: 'table' is declared here
