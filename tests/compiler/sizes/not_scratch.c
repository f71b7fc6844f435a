#include <nearside/kernel.h>

static const uint8_t table[64] = {1};

NPROC_KERNEL int64_t copies(far uint8_t *memory, uint64_t n)
{
	NPROC_SCRATCH uint8_t right[64];
	uint8_t wrong[64];
	nmem_get(wrong, memory, sizeof wrong);
	nmem_put(memory, table, sizeof table);
	nmem_get(n ? right : wrong, memory, sizeof wrong);
	nmem_get(right, memory, sizeof right);
	return nmem_wait(nmem_put(memory, wrong, sizeof wrong));
}
