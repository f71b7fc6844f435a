#include <nearside/kernel.h>

register const uint64_t stack __asm__("rsp");

NPROC_KERNEL int64_t look(void)
{
	return (int64_t)stack;
}

// expect: 7:18: error: 'stack' is a register of the host's processor
// expect: note: leave it out
// expect: 3:25: note: 'stack' is declared here
