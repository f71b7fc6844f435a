#include <nearside/kernel.h>

static int helper(int n) __asm__("other");

static int helper(int n)
{
	return n;
}

int write_line(int n) __asm__("nk_write");

int write_line(int n)
{
	return n;
}

NPROC_KERNEL int64_t work(int n)
{
	return helper(n) + write_line(n);
}

// expect: 5:12: error: 'helper' has another name for the linker
// expect: note: leave out the asm label or attribute that renames it
// expect: note: 'helper' runs in a kernel: work -> helper
// expect: 12:5: error: 'write_line' is a name of the kernel library
// expect: note: leave the definition out to use the library's, or choose another name
// expect: note: 'write_line' runs in a kernel: work -> write_line
