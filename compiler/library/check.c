/* check.c - what ends a process: faults, and the attention word. */
#include "compiler/library/library.h"

void nkl_fault_here(uint32_t kind, uint32_t site);
void nkl_fault_index(uint64_t index, uint32_t site);
void nkl_check_private(
	uint64_t offset, uint64_t limit, uint64_t nbytes, uint64_t unit, uint32_t site);
void nkl_check_division(_Bool by_zero, _Bool overflows, uint32_t site);
void nkl_check_aligned(uint64_t address, uint64_t nbytes, uint32_t site);
_Noreturn void nkl_killed(struct nk_process *self);
void nkl_poll(struct nk_process *self, const uint64_t *attention, uint64_t id);

NKL_COLD _Noreturn void nkl_fault(
	struct nk_process *self, uint64_t kind, uint64_t address, uint32_t site)
{
	self->ops->fault(self, kind, address, site);
}

NKL_INLINE void nkl_fault_here(uint32_t kind, uint32_t site)
{
	nkl_fault(nkl_self(), kind, 0, site);
}

NKL_INLINE void nkl_fault_index(uint64_t index, uint32_t site)
{
	nkl_fault(nkl_self(), NK_FAULT_BOUNDS, index, site);
}

/* The first element outside: before the object, or the last that is accessed. */
static inline uint64_t nkl_index(uint64_t offset, uint64_t nbytes, uint64_t unit)
{
	int64_t at = (int64_t)offset;
	if (at < 0 || nbytes > INT64_MAX)
		return (uint64_t)(at / (int64_t)unit - (at < 0 && at % (int64_t)unit));
	return (offset + nbytes - 1) / unit;
}

NKL_INLINE void nkl_check_private(
	uint64_t offset, uint64_t limit, uint64_t nbytes, uint64_t unit, uint32_t site)
{
	if (nkl_unlikely(offset >= limit))
		nkl_fault(nkl_self(), NK_FAULT_BOUNDS, nkl_index(offset, nbytes, unit), site);
}

NKL_INLINE void nkl_check_division(_Bool by_zero, _Bool overflows, uint32_t site)
{
	if (nkl_unlikely(by_zero))
		nkl_fault(nkl_self(), NK_FAULT_DIVIDE_BY_ZERO, 0, site);
	if (nkl_unlikely(overflows))
		nkl_fault(nkl_self(), NK_FAULT_DIVIDE_OVERFLOW, 0, site);
}

/* Not every device can do atomics across two lines. */
NKL_INLINE void nkl_check_aligned(uint64_t address, uint64_t nbytes, uint32_t site)
{
	if (nkl_unlikely(address & (nbytes - 1)))
		nkl_fault(nkl_self(), NK_FAULT_ALIGNMENT, address, site);
}

NKL_COLD _Noreturn void nkl_killed(struct nk_process *self)
{
	self->ops->killed(self);
}

NKL_INLINE void nkl_poll(struct nk_process *self, const uint64_t *attention, uint64_t id)
{
	if (nkl_unlikely(__atomic_load_n(attention, __ATOMIC_RELAXED) == id))
		nkl_killed(self);
}
