#include <nearside/kernel.h>

static volatile int flag;
static const volatile int status = 1;

NPROC_KERNEL int64_t wait_for_flag(void)
{
	while (!flag)
		nproc_yield();
	return status;
}


// expect: 8:10: error: 'flag' is a volatile global, and globals of host and device are not the same memory
// expect: note: share through far memory: a `far` pointer parameter, with atomics where both sides write
// expect: 3:21: note: 'flag' is declared here
// expect: 10:9: error: 'status' is a volatile global, and globals of host and device are not the same memory
// expect: note: share through far memory: a `far` pointer parameter, with atomics where both sides write
// expect: 4:27: note: 'status' is declared here
