/*
 * far.c - accesses to far memory. The fast path is the segment that the pointer is thought to point
 * into; where that is wrong, the firmware looks through all segments of the process, or faults.
 */
#include "compiler/library/library.h"

uint64_t nkl_limit(uint64_t len, uint64_t nbytes);
void *nkl_far_read(struct nk_process *self, uint64_t va, uint64_t nbytes, uint32_t site);
void *nkl_far_write(struct nk_process *self, uint64_t va, uint64_t nbytes, uint32_t site);
void *nkl_far_group(struct nk_process *self, uint64_t va, const struct nkl_group *group);
void *nkl_check_read(struct nk_process *self, uint64_t va, uint64_t base, uint64_t limit,
	uint64_t delta, uint64_t nbytes, uint32_t site);
void *nkl_check_write(struct nk_process *self, uint64_t va, uint64_t base, uint64_t limit,
	uint64_t delta, uint64_t nbytes, uint32_t site);
void *nkl_check_group(struct nk_process *self, uint64_t va, uint64_t base, uint64_t limit,
	uint64_t delta, const struct nkl_group *group);

/*
 * The first offset at which an access of nbytes no longer fits: len - nbytes + 1, or 0 where that
 * would be negative. As one operation, which stays in front of loops, where a condition would be
 * drawn into them.
 */
NKL_INLINE uint64_t nkl_limit(uint64_t len, uint64_t nbytes)
{
	return __builtin_elementwise_sub_sat(len + 1, nbytes);
}

NKL_COLD void *nkl_far_read(struct nk_process *self, uint64_t va, uint64_t nbytes, uint32_t site)
{
	return self->ops->far_read(self, va, nbytes, site);
}

NKL_COLD void *nkl_far_write(struct nk_process *self, uint64_t va, uint64_t nbytes, uint32_t site)
{
	return self->ops->far_write(self, va, nbytes, site);
}

/* Each part on its own, so that a fault names the right one; then all of them. */
NKL_COLD void *nkl_far_group(struct nk_process *self, uint64_t va, const struct nkl_group *group)
{
	for (uint32_t i = 0; i < group->part_count; i++) {
		const struct nkl_part *part = &group->parts[i];
		if (part->is_write)
			self->ops->far_write(self, va + part->offset, part->nbytes, part->site);
		else
			self->ops->far_read(self, va + part->offset, part->nbytes, part->site);
	}
	if (group->is_write)
		return self->ops->far_write(self, va, group->nbytes, group->parts[0].site);
	return self->ops->far_read(self, va, group->nbytes, group->parts[0].site);
}

NKL_INLINE void *nkl_check_read(struct nk_process *self, uint64_t va, uint64_t base, uint64_t limit,
	uint64_t delta, uint64_t nbytes, uint32_t site)
{
	if (nkl_unlikely(va - base >= limit))
		return nkl_far_read(self, va, nbytes, site);
	return (void *)(va + delta);
}

NKL_INLINE void *nkl_check_write(struct nk_process *self, uint64_t va, uint64_t base,
	uint64_t limit, uint64_t delta, uint64_t nbytes, uint32_t site)
{
	if (nkl_unlikely(va - base >= limit))
		return nkl_far_write(self, va, nbytes, site);
	return (void *)(va + delta);
}

NKL_INLINE void *nkl_check_group(struct nk_process *self, uint64_t va, uint64_t base,
	uint64_t limit, uint64_t delta, const struct nkl_group *group)
{
	if (nkl_unlikely(va - base >= limit))
		return nkl_far_group(self, va, group);
	return (void *)(va + delta);
}
