#include <nearside/kernel.h>

typedef const char *string;

NPROC_KERNEL int64_t look(int *one, const char text[], string name, char **list, void *any)
{
	return *one + text[0] + name[0] + list[0][0] + (any != 0);
}


// expect: 5:32: error: parameter 'one' is a private pointer: the host's memory is not the device's
// expect: note: allocate with nmem_alloc() on the host and declare it `far int *`
// expect: 5:48: error: parameter 'text' is a private pointer: the host's memory is not the device's
// expect: note: allocate with nmem_alloc() on the host and declare it `const far char *`
// expect: 5:63: error: parameter 'name' is a private pointer: the host's memory is not the device's
// expect: note: allocate with nmem_alloc() on the host and declare it `const far char *`
// expect: 5:76: error: parameter 'list' is a private pointer: the host's memory is not the device's
// expect: note: allocate with nmem_alloc() on the host and declare it `far char *far *`
// expect: 5:88: error: parameter 'any' is a private pointer: the host's memory is not the device's
// expect: note: allocate with nmem_alloc() on the host and declare it `far void *`
