#include <nearside/kernel.h>
#include <stdio.h>

static inline int helper(int n)
{
	printf("%d\n", n);
	return n;
}
