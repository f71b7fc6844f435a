#include <nearside/kernel.h>
#include <string.h>

struct entry {
	const char *name;
	int value;
};

NPROC_KERNEL int64_t copy(far struct entry *entries)
{
	struct entry first = entries[0], second;
	entries[1] = first;
	memcpy(&second, &entries[2], sizeof second);
	__builtin_memcpy(&entries[3], &second, sizeof second);
	return entries[0].value;
}


// expect: 11:23: error: a struct with a private pointer in it is copied from or to far memory
// expect: note: declare the pointer in the struct `far T *`, or copy the other members one by one
// expect: 12:2: error: a struct with a private pointer in it is copied from or to far memory
// expect: note: declare the pointer in the struct `far T *`, or copy the other members one by one
// expect: 13:9: error: a struct with a private pointer in it is copied from or to far memory
// expect: note: declare the pointer in the struct `far T *`, or copy the other members one by one
// expect: 14:19: error: a struct with a private pointer in it is copied from or to far memory
// expect: note: declare the pointer in the struct `far T *`, or copy the other members one by one
