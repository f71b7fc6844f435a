#include <nearside/kernel.h>

NPROC_KERNEL int64_t quiet(int fd)
{
	return npipe_close(fd);
}

static void host(void *end)
{
	npipe_close(NULL);
	npipe_close(end);
}

int main(void)
{
	host(NULL);
	return 0;
}
