#include <nearside/kernel.h>

static void release(int *held)
{
	*held = 0;
}

__attribute__((target("avx2"))) static int fast(int n)
{
	return n;
}

__attribute__((no_sanitize("array-bounds"), weak)) int careless(int n)
{
	return n;
}

NPROC_KERNEL __attribute__((section("hot"))) int64_t work(int n)
{
	int held __attribute__((__cleanup__(release))) = 1;
	return fast(n) + careless(n) + held;
}

// expect: 8:16: error: attribute 'target' is for one instruction set, but the same kernel runs on several
// expect: note: leave it out: the image holds code for AVX2 beside the plain one
// expect: note: 'fast' runs in a kernel: work -> fast
// expect: 13:16: error: attribute 'no_sanitize' would drop the checks that keep a mistake inside its process
// expect: note: leave it out
// expect: note: 'careless' runs in a kernel: work -> careless
// expect: 13:45: error: attribute 'weak' is for the linker, but a kernel image has one symbol for all kernels
// expect: note: leave it out
// expect: note: 'careless' runs in a kernel: work -> careless
// expect: 18:29: error: attribute 'section' is for the linker, but a kernel image has one symbol for all kernels
// expect: note: leave it out
// expect: 20:26: error: attribute 'cleanup' calls a function where nobody sees the call
// expect: note: call it yourself before each return
