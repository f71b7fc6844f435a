/* compare.c - memcmp(): on private memory, which is checked by its caller, and on far memory. */
#include "compiler/library/library.h"

#define NKL_FAR __attribute__((address_space(1)))

int memcmp(const void *a, const void *b, size_t nbytes);

int nkl_compare_private(const void *a, const void *b, size_t nbytes, uint32_t site);
int nkl_compare_mixed(const void *a, const NKL_FAR void *b, size_t nbytes, uint32_t site);
int nkl_compare_far(const NKL_FAR void *a, const NKL_FAR void *b, size_t nbytes, uint32_t site);
int nkl_compare_to(
	struct nk_process *self, const void *a, uint64_t b, uint64_t nbytes, uint32_t site);
int nkl_compare_both(
	struct nk_process *self, uint64_t a, uint64_t b, uint64_t nbytes, uint32_t site);

static inline int nkl_sign(int order)
{
	return (order > 0) - (order < 0);
}

NKL_INLINE int nkl_compare_private(const void *a, const void *b, size_t nbytes, uint32_t site)
{
	(void)site;
	return nkl_sign(memcmp(a, b, nbytes));
}

/* In pieces, with a look at the attention word after each. */
static inline int nkl_compare(
	struct nk_process *self, const char *a, const char *b, uint64_t nbytes)
{
	int order = 0;
	for (uint64_t done = 0, piece; done < nbytes && !order; done += piece) {
		piece = nkl_piece_of(nbytes - done);
		order = memcmp(a + done, b + done, piece);
		nkl_look(self);
	}
	return nkl_sign(order);
}

/* The whole range has to be granted, as with memcpy(), even where an early byte differs. */
NKL_BULK int nkl_compare_to(
	struct nk_process *self, const void *a, uint64_t b, uint64_t nbytes, uint32_t site)
{
	return nbytes ? nkl_compare(self, a, self->ops->far_read(self, b, nbytes, site), nbytes)
		      : 0;
}

NKL_BULK int nkl_compare_both(
	struct nk_process *self, uint64_t a, uint64_t b, uint64_t nbytes, uint32_t site)
{
	if (!nbytes)
		return 0;
	const char *at = self->ops->far_read(self, a, nbytes, site);
	return nkl_compare(self, at, self->ops->far_read(self, b, nbytes, site), nbytes);
}

NKL_INLINE int nkl_compare_mixed(const void *a, const NKL_FAR void *b, size_t nbytes, uint32_t site)
{
	return nkl_compare_to(nkl_self(), a, (uint64_t)b, nbytes, site);
}

NKL_INLINE int nkl_compare_far(
	const NKL_FAR void *a, const NKL_FAR void *b, size_t nbytes, uint32_t site)
{
	return nkl_compare_both(nkl_self(), (uint64_t)a, (uint64_t)b, nbytes, site);
}
