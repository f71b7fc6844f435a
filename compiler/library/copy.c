/*
 * copy.c - copies between far and scratch memory that go on beside the process; far memory that is
 * not coherent.
 */
#include <errno.h>

#include "compiler/library/library.h"

int nk_get(void *to, uint64_t from, size_t nbytes);
int nk_put(uint64_t to, const void *from, size_t nbytes);
int nk_copied(int copy);
void nk_publish(uint64_t va, size_t nbytes);
void nk_refresh(uint64_t va, size_t nbytes);

NKL_INLINE int nk_get(void *to, uint64_t from, size_t nbytes)
{
	struct nk_process *self = nkl_self();
	return (int)self->ops->get(self, to, from, nbytes, nkl_site());
}

NKL_INLINE int nk_put(uint64_t to, const void *from, size_t nbytes)
{
	struct nk_process *self = nkl_self();
	return (int)self->ops->put(self, to, from, nbytes, nkl_site());
}

NKL_INLINE int nk_copied(int copy)
{
	struct nk_process *self = nkl_self();
	int64_t result;
	if (copy < 0)
		return copy;
	while ((result = self->ops->copied(self, copy, nkl_site())) == -EAGAIN)
		nkl_suspend();
	return (int)result;
}

NKL_INLINE void nk_publish(uint64_t va, size_t nbytes)
{
	struct nk_process *self = nkl_self();
	self->ops->publish(self, va, nbytes, nkl_site());
}

NKL_INLINE void nk_refresh(uint64_t va, size_t nbytes)
{
	struct nk_process *self = nkl_self();
	self->ops->refresh(self, va, nbytes, nkl_site());
}
