#include <nearside/kernel.h>
#include <stdlib.h>
#include <string.h>

static int compare(const void *a, const void *b)
{
	return *(const char *)a - *(const char *)b;
}

NPROC_KERNEL int64_t order(void)
{
	char text[4] = "cab";
	qsort(text, 3, 1, compare);
	return (int64_t)strlen(text) + (strchr(text, 99) != NULL);
}


// expect: 13:2: error: 'qsort' does not exist on the device
// expect: note: write the sort or search for your type: a comparison cannot be called through a pointer
// expect: 13:20: error: the address of function 'compare' is taken
// expect: note: call the function by its name; where one of several is meant, choose with switch or if
// expect: 14:18: error: 'strlen' does not exist on the device
// expect: note: write the loop; memcpy, memmove, memset and memcmp exist
// expect: 14:34: error: 'strchr' does not exist on the device
// expect: note: write the loop; memcpy, memmove, memset and memcmp exist
