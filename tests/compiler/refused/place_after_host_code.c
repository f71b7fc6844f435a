#include <nearside/kernel.h>
#include <stdio.h>

static int on_host(int n)
{
	printf("%d\n", n); /* a comment
	over lines */
	return n;
}

int before(void) { return on_host(1); } NPROC_KERNEL int64_t late(int n) { asm("nop"); return n; } int after(void) { return before(); }

int main(void)
{
	return after();
}

static int helper(int *n)
{
	return *n;
}

NPROC_KERNEL int64_t later(far int *n)
{
	return helper(n);
}

// expect: 11:76: error: inline assembly: the same kernel runs on several instruction sets
// expect: note: write it in C; clang's builtins become single instructions where there are some
// expect: 25:16: error: passing 'far int *' to parameter of type 'int *' changes address space of pointer
// expect: note: far and private pointers do not convert: declare the pointer `far T *`, or copy the bytes into a private object (T copy = *p) and use its address
// expect: 18:24: note: passing argument to parameter 'n' here
