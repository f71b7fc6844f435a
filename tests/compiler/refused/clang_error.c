#include <nearside/kernel.h>

NPROC_KERNEL int64_t work(int n)
{
	return n + undeclared;
}

int main(void)
{
	return missing(1;
}

// expect: 5:13: error: use of undeclared identifier 'undeclared'
// expect: 10:9: error: call to undeclared function 'missing'; ISO C99 and later do not support implicit function declarations
// expect: 10:18: error: expected ')'
// expect: 10:16: note: to match this '('
