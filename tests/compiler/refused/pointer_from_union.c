#include <nearside/kernel.h>

union pun {
	uint64_t number;
	int *pointer;
	struct {
		char *text;
	} nested;
};

NPROC_KERNEL int64_t forge(uint64_t number)
{
	union pun pun = {.number = number};
	return *pun.pointer + pun.nested.text[0];
}


// expect: 14:14: error: a private pointer that shares a union with something else
// expect: note: use a struct: then nothing but a pointer can be stored in it
// expect: 5:7: note: 'pointer' is declared here
// expect: 14:28: error: a private pointer that shares a union with something else
// expect: note: use a struct: then nothing but a pointer can be stored in it
// expect: 8:4: note: 'nested' is declared here
