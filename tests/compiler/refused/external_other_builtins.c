#include <nearside/kernel.h>

NPROC_KERNEL int64_t promise(int n)
{
	int items[4] = {n};
	__builtin_assume(n < 4);
	int *aligned = __builtin_assume_aligned(items, 64);
	if (n == 1)
		__builtin_debugtrap();
	if (__builtin_strlen("abc") != 3)
		__builtin_printf("?");
	__builtin___clear_cache(0, 0);
	return aligned[n] + __builtin_readcyclecounter() + __builtin_flt_rounds();
}

// expect: 6:2: error: '__builtin_assume' would drop checks where its promise is not kept
// expect: note: use nproc_assert(condition), or leave it out
// expect: 7:17: error: '__builtin_assume_aligned' would drop checks where its promise is not kept
// expect: note: use nproc_assert(condition), or leave it out
// expect: 9:3: error: '__builtin_debugtrap' would stop the whole device
// expect: note: use __builtin_trap(), which ends the process with a fault
// expect: 10:6: error: '__builtin_strlen' does not exist on the device
// expect: note: write the loop; memcpy, memmove, memset and memcmp exist
// expect: 11:3: error: '__builtin_printf' does not exist on the device
// expect: note: use nproc_log(format, ...), which the host receives by nproc_set_log()
// expect: 12:2: error: '__builtin___clear_cache' needs a stack or thread of its own, which a process does not have
// expect: note: leave it out
// expect: 13:22: error: '__builtin_readcyclecounter' needs a clock, which a kernel does not have
// expect: note: let the host pass times as arguments or through a pipe
// expect: 13:53: error: '__builtin_flt_rounds' is no builtin that kernels have
// expect: note: write plain C: docs/kernel-language.md lists the builtins
