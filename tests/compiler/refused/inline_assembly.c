#include <nearside/kernel.h>

static inline void pause_processor(void)
{
	__asm__ volatile("pause");
}

NPROC_KERNEL int64_t spin(unsigned n)
{
	asm("nop");
	while (n--)
		pause_processor();
	return 0;
}


// expect: 5:2: error: inline assembly: the same kernel runs on several instruction sets
// expect: note: write it in C; clang's builtins become single instructions where there are some
// expect: note: 'pause_processor' runs in a kernel: spin -> pause_processor
// expect: 10:2: error: inline assembly: the same kernel runs on several instruction sets
// expect: note: write it in C; clang's builtins become single instructions where there are some
