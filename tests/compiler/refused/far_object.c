#include <nearside/kernel.h>

NPROC_KERNEL int64_t place(void)
{
	far int cell = 1;
	return cell;
}


// expect: 5:10: error: automatic variable qualified with an address space
// expect: note: far qualifies what a pointer points to (far T *p); an object itself lies in far memory only when the host allocates it with nmem_alloc()
