#include <nearside/kernel.h>

static int cells[4];
static int *const cell_of[] = {&cells[0], &cells[1]};

NPROC_KERNEL int64_t look(unsigned n)
{
	return *cell_of[n & 1];
}


// expect: 4:33: error: 'cells' is a mutable global: host and processes do not share it
// expect: note: pass it as a parameter, by value or as a `far` pointer; a table that never changes is const, and so are its elements (const char *const names[])
// expect: 3:12: note: 'cells' is declared here
