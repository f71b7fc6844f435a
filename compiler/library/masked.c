/*
 * masked.c - vector accesses of which only some lanes count. Where the whole vector lies in the
 * segment it is accessed in place; else the lanes that count are checked one by one, and go through
 * a private buffer.
 */
#include <string.h>

#include "compiler/library/library.h"

void nkl_masked_read(struct nk_process *self, uint64_t va, uint64_t lane_bytes, uint64_t mask,
	void *buffer, uint32_t site);
void nkl_masked_write(struct nk_process *self, uint64_t va, uint64_t lane_bytes, uint64_t mask,
	const void *buffer, uint32_t site);
void *nkl_begin_masked_read(struct nk_process *self, uint64_t va, uint64_t base, uint64_t limit,
	uint64_t delta, uint64_t lane_bytes, uint64_t mask, void *buffer, uint32_t site);
void *nkl_begin_masked_write(
	uint64_t va, uint64_t base, uint64_t limit, uint64_t delta, void *buffer);
void nkl_end_masked_write(struct nk_process *self, const void *at, uint64_t va, uint64_t lane_bytes,
	uint64_t mask, const void *buffer, uint32_t site);

NKL_COLD void nkl_masked_read(struct nk_process *self, uint64_t va, uint64_t lane_bytes,
	uint64_t mask, void *buffer, uint32_t site)
{
	for (uint64_t at = 0; mask; at += lane_bytes, mask >>= 1) {
		if (mask & 1)
			memcpy((char *)buffer + at,
				self->ops->far_read(self, va + at, lane_bytes, site), lane_bytes);
	}
}

NKL_COLD void nkl_masked_write(struct nk_process *self, uint64_t va, uint64_t lane_bytes,
	uint64_t mask, const void *buffer, uint32_t site)
{
	for (uint64_t at = 0; mask; at += lane_bytes, mask >>= 1) {
		if (mask & 1)
			memcpy(self->ops->far_write(self, va + at, lane_bytes, site),
				(const char *)buffer + at, lane_bytes);
	}
}

/* Where to read the vector from. */
NKL_INLINE void *nkl_begin_masked_read(struct nk_process *self, uint64_t va, uint64_t base,
	uint64_t limit, uint64_t delta, uint64_t lane_bytes, uint64_t mask, void *buffer,
	uint32_t site)
{
	if (!nkl_unlikely(va - base >= limit))
		return (void *)(va + delta);
	nkl_masked_read(self, va, lane_bytes, mask, buffer, site);
	return buffer;
}

/* Where to write the vector to; then nkl_end_masked_write(). */
NKL_INLINE void *nkl_begin_masked_write(
	uint64_t va, uint64_t base, uint64_t limit, uint64_t delta, void *buffer)
{
	return nkl_unlikely(va - base >= limit) ? buffer : (void *)(va + delta);
}

NKL_INLINE void nkl_end_masked_write(struct nk_process *self, const void *at, uint64_t va,
	uint64_t lane_bytes, uint64_t mask, const void *buffer, uint32_t site)
{
	if (nkl_unlikely(at == buffer))
		nkl_masked_write(self, va, lane_bytes, mask, buffer, site);
}
