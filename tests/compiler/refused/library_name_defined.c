#include <nearside/kernel.h>

void *memset(void *to, int byte, size_t nbytes)
{
	unsigned char *bytes = to;
	while (nbytes--)
		bytes[nbytes] = (unsigned char)byte;
	return to;
}

static int nk_private(void)
{
	return 1;
}

NPROC_KERNEL int64_t clear(void)
{
	int cells[4];
	memset(cells, 0, sizeof cells);
	return cells[nk_private()];
}


// expect: 3:7: error: 'memset' is a name of the kernel library
// expect: note: leave the definition out to use the library's, or choose another name
// expect: note: 'memset' runs in a kernel: clear -> memset
// expect: 11:12: error: 'nk_private' is a name of the kernel library
// expect: note: leave the definition out to use the library's, or choose another name
// expect: note: 'nk_private' runs in a kernel: clear -> nk_private
