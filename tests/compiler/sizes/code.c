#include <nearside/kernel.h>

#define TWICE(x) x x
#define STEP     memory = memory->next; memory->bytes = memory->next->bytes;

/* Copied by as many instructions as it needs, so that little source becomes much code. */
struct bytes {
	far struct bytes *next;
	struct {
		uint8_t bytes[248];
	} bytes;
};

NPROC_KERNEL int64_t too_long(far struct bytes *memory)
{
	TWICE(TWICE(TWICE(TWICE(TWICE(TWICE(TWICE(TWICE(STEP))))))))
	return memory->bytes.bytes[0];
}
