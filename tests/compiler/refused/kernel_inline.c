#include <nearside/kernel.h>

NPROC_KERNEL inline int64_t vanishes(void)
{
	return 0;
}

// expect: 3:29: error: kernel 'vanishes' is inline: C keeps no code of its own for it
// expect: note: leave out `inline`
