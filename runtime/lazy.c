#include "runtime/lazy.h"

#include <sys/mman.h>

void *lazy_alloc(size_t nbytes)
{
	const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
	void *table = mmap(NULL, nbytes, PROT_READ | PROT_WRITE, flags, -1, 0);

	return table == MAP_FAILED ? NULL : table;
}

void lazy_free(void *table, size_t nbytes)
{
	if (table)
		munmap(table, nbytes);
}
