#include <nearside/kernel.h>

static void store(far int *to, int value)
{
	*to = value;
}

NPROC_KERNEL int64_t keep(void)
{
	int cell;
	store((far int *)&cell, 1);
	return cell;
}


// expect: 11:8: error: a private pointer is cast to a far one: private objects do not lie in far memory
// expect: note: copy the object into far memory that the host passed (*p = object), or send it through a pipe
