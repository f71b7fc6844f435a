/*
 * bulk.c - memcpy, memmove and memset on far memory: the whole range is checked first, then moved
 * in pieces with a look at the attention word between them, so that a process can be ended in the
 * middle of a long one.
 */
#include <string.h>

#include "compiler/library/library.h"

void nkl_copy_in(struct nk_process *self, void *to, uint64_t from, uint64_t nbytes, uint32_t site);
void nkl_copy_out(
	struct nk_process *self, uint64_t to, const void *from, uint64_t nbytes, uint32_t site);
void nkl_copy_far(
	struct nk_process *self, uint64_t to, uint64_t from, uint64_t nbytes, uint32_t site);
void nkl_set_far(struct nk_process *self, uint64_t to, int byte, uint64_t nbytes, uint32_t site);

static void nkl_move(
	struct nk_process *self, unsigned char *to, const unsigned char *from, uint64_t nbytes)
{
	bool up = (uintptr_t)to - (uintptr_t)from >= nbytes;
	for (uint64_t done = 0, piece; done < nbytes; done += piece) {
		piece = nkl_piece_of(nbytes - done);
		uint64_t at = up ? done : nbytes - done - piece;
		memmove(to + at, from + at, piece);
		nkl_look(self);
	}
}

NKL_BULK void nkl_copy_in(
	struct nk_process *self, void *to, uint64_t from, uint64_t nbytes, uint32_t site)
{
	if (nbytes)
		nkl_move(self, to, self->ops->far_read(self, from, nbytes, site), nbytes);
}

NKL_BULK void nkl_copy_out(
	struct nk_process *self, uint64_t to, const void *from, uint64_t nbytes, uint32_t site)
{
	if (nbytes)
		nkl_move(self, self->ops->far_write(self, to, nbytes, site), from, nbytes);
}

NKL_BULK void nkl_copy_far(
	struct nk_process *self, uint64_t to, uint64_t from, uint64_t nbytes, uint32_t site)
{
	if (!nbytes)
		return;
	void *target = self->ops->far_write(self, to, nbytes, site);
	nkl_move(self, target, self->ops->far_read(self, from, nbytes, site), nbytes);
}

NKL_BULK void nkl_set_far(
	struct nk_process *self, uint64_t to, int byte, uint64_t nbytes, uint32_t site)
{
	if (!nbytes)
		return;
	unsigned char *target = self->ops->far_write(self, to, nbytes, site);
	for (uint64_t done = 0, piece; done < nbytes; done += piece) {
		piece = nkl_piece_of(nbytes - done);
		memset(target + done, byte, piece);
		nkl_look(self);
	}
}
