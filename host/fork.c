#include "host/fork.h"

#include <stddef.h>
#include <sys/mman.h>
#include <unistd.h>

#include "channels/memory.h"

static size_t page_nbytes(void)
{
	return (size_t)sysconf(_SC_PAGESIZE);
}

const uint64_t *nhost_fork_guard_create(void)
{
	uint64_t *guard = mmap(
		NULL, page_nbytes(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (guard == MAP_FAILED)
		return NULL;
	if (madvise(guard, page_nbytes(), MADV_WIPEONFORK)) {
		nhost_fork_guard_destroy(guard);
		return NULL;
	}
	nchan_store(guard, 1);
	return guard;
}

void nhost_fork_guard_destroy(const uint64_t *guard)
{
	if (guard)
		munmap((void *)(uintptr_t)guard, page_nbytes());
}
