/* check.c - what ends a process: faults, and the attention word. */
#include "compiler/library/library.h"

void nkl_fault_here(uint32_t kind, uint32_t site);
void nkl_check_private(uint64_t offset, uint64_t limit, uint32_t site);
void nkl_check_division(_Bool by_zero, _Bool overflows, uint32_t site);
void nkl_check_aligned(uint64_t address, uint64_t nbytes, uint32_t site);
_Noreturn void nkl_killed(struct nk_process *self);
void nkl_poll(struct nk_process *self, const uint64_t *attention, uint64_t id);

NKL_COLD _Noreturn void nkl_fault(struct nk_process *self, uint64_t kind, uint32_t site)
{
	self->ops->fault(self, kind, 0, site);
}

NKL_INLINE void nkl_fault_here(uint32_t kind, uint32_t site)
{
	nkl_fault(nkl_self(), kind, site);
}

NKL_INLINE void nkl_check_private(uint64_t offset, uint64_t limit, uint32_t site)
{
	if (nkl_unlikely(offset >= limit))
		nkl_fault(nkl_self(), NK_FAULT_BOUNDS, site);
}

NKL_INLINE void nkl_check_division(_Bool by_zero, _Bool overflows, uint32_t site)
{
	if (nkl_unlikely(by_zero))
		nkl_fault(nkl_self(), NK_FAULT_DIVIDE_BY_ZERO, site);
	if (nkl_unlikely(overflows))
		nkl_fault(nkl_self(), NK_FAULT_DIVIDE_OVERFLOW, site);
}

/* Not every device can do atomics across two lines. */
NKL_INLINE void nkl_check_aligned(uint64_t address, uint64_t nbytes, uint32_t site)
{
	if (nkl_unlikely(address & (nbytes - 1)))
		nkl_fault(nkl_self(), NK_FAULT_ALIGNMENT, site);
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
