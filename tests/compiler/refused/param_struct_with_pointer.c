#include <nearside/kernel.h>

struct inner {
	int *cells[2];
};

struct range {
	far int *from;
	struct inner inner;
};

struct empty {
};

NPROC_KERNEL int64_t take(struct range range, struct empty empty)
{
	(void)empty;
	return *range.from;
}


// expect: 15:40: error: parameter 'range' is a struct with a private pointer in it: the host's memory is not the device's
// expect: note: declare the member `far T *`, and pass that pointer as a parameter of its own, too, so that it is granted
// expect: 15:60: error: parameter 'empty' is a struct without members
// expect: note: leave it out
