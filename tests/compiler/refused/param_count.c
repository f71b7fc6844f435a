#include <nearside/kernel.h>

NPROC_KERNEL int64_t sixteen(int a, int b, int c, int d, int e, int f, int g, int h, int i, int j, int k, int l,
	int m, int n, int o, int p)
{
	return a + b + c + d + e + f + g + h + i + j + k + l + m + n + o + p;
}

NPROC_KERNEL int64_t seventeen(int a, int b, int c, int d, int e, int f, int g, int h, int i, int j, int k, int l,
	int m, int n, int o, int p, int q)
{
	return a + b + c + d + e + f + g + h + i + j + k + l + m + n + o + p + q;
}


// expect: 9:22: error: kernel 'seventeen' has 17 parameters; a process is given at most 16
// expect: note: put some of them into a struct of at most 32 bytes, into far memory, or send them through a pipe
