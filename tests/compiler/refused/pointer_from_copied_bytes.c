#include <nearside/kernel.h>
#include <string.h>

NPROC_KERNEL int64_t forge(uint64_t number)
{
	int *pointer;
	memcpy(&pointer, &number, sizeof pointer);
	__builtin_memmove(&number, &pointer, sizeof number);
	return *pointer + (int64_t)number;
}


// expect: 7:2: error: the bytes of a private pointer are copied from or to something that is none
// expect: note: assign it (a = b), so that it stays a pointer
// expect: 8:2: error: the bytes of a private pointer are copied from or to something that is none
// expect: note: assign it (a = b), so that it stays a pointer
