#include <nearside/kernel.h>

NPROC_KERNEL int64_t too_large(uint64_t n)
{
	char small[16] = {0};
	char message[5000] = {0};
	npipe_read(0, message, sizeof message);
	npipe_read(0, small, sizeof small);
	return message[n] + small[n];
}
