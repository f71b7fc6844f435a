#include <nearside/kernel.h>
#include <setjmp.h>

static void fail(jmp_buf *back)
{
	longjmp(*back, 1);
}

NPROC_KERNEL int64_t attempt(void)
{
	jmp_buf back;
	if (setjmp(back))
		return -1;
	fail(&back);
	return 0;
}


// expect: 6:2: error: 'longjmp' needs a stack to jump back to, which a process does not keep
// expect: note: return an error code through each function, or end the process with nproc_exit(code)
// expect: note: 'fail' runs in a kernel: attempt -> fail
// expect: 12:6: error: '_setjmp' needs a stack to jump back to, which a process does not keep
// expect: note: return an error code through each function, or end the process with nproc_exit(code)
