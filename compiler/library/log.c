/* log.c - strings that a kernel logs: the firmware reads as much of them as it prints. */
#include "compiler/library/library.h"

uint64_t nkl_log_string(
	const char *string, uint64_t offset, uint64_t size, uint64_t limit, uint32_t site);

/*
 * Looks for the end of a string, at `offset` of an object, of which at most `limit` characters are
 * printed.
 */
NKL_INLINE uint64_t nkl_log_string(
	const char *string, uint64_t offset, uint64_t size, uint64_t limit, uint32_t site)
{
	for (uint64_t i = 0; i < limit; i++) {
		if (nkl_unlikely(offset + i >= size))
			nkl_fault(nkl_self(), NK_FAULT_BOUNDS, site);
		if (!string[i])
			break;
	}
	return (uint64_t)string;
}
