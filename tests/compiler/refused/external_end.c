#include <assert.h>
#include <nearside/kernel.h>
#include <stdlib.h>

NPROC_KERNEL int64_t end(int n)
{
	assert(n > 0);
	if (n == 1)
		abort();
	if (n == 2)
		exit(2);
	__builtin_abort();
}


// expect: 7:2: error: '__assert_fail' (of assert) does not exist on the device
// expect: note: use nproc_assert(condition), which ends the process with a fault that names the condition
// expect: 9:3: error: 'abort' does not exist on the device
// expect: note: use nproc_assert(condition), which ends the process with a fault that names the condition
// expect: 11:3: error: 'exit' does not exist on the device
// expect: note: use nproc_exit(code), or return from the kernel
// expect: 12:2: error: '__builtin_abort' does not exist on the device
// expect: note: use nproc_assert(condition), which ends the process with a fault that names the condition
