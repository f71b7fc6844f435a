/* One text, two functions: one for kernels, one for the host. */
#include <nearside/kernel.h>

#define NAME for_kernels
#define TYPE far int
#include "header_included_twice.h"
#undef NAME
#undef TYPE
#define NAME for_host
#define TYPE int
#include "header_included_twice.h"

NPROC_KERNEL int64_t first(far int *items)
{
	return for_kernels(items);
}

int main(void)
{
	int items[] = {1};
	return for_host(items);
}
