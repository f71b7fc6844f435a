/* pipe.c - the calls of nearside/kernel.h that reach the firmware. */
#include <errno.h>
#include <sys/types.h>

#include "compiler/library/library.h"

enum {
	LINE_BYTES = 56
}; /* a write of at most so many is whole (NPIPE_BUF) */

void nkl_done(int64_t code);
ssize_t nk_read(int fd, void *bytes, size_t nbytes);
ssize_t nk_read_full(int fd, void *bytes, size_t nbytes);
ssize_t nk_write(int fd, const void *bytes, size_t nbytes);
int nk_close(int fd);
void nk_yield(void);
void nkl_yield_after(uint32_t *left, uint32_t count);
_Noreturn void nk_exit(int64_t code);
void nk_log(const char *format, const uint64_t *args, size_t count);

NKL_INLINE void nkl_done(int64_t code)
{
	struct nk_process *self = nkl_self();
	self->ops->done(self, code);
}

NKL_INLINE ssize_t nk_read(int fd, void *bytes, size_t nbytes)
{
	struct nk_process *self = nkl_self();
	int64_t got;
again:
	got = self->ops->read(self, fd, bytes, nbytes, nkl_site());
	if (got != -EAGAIN)
		return got;
	nkl_suspend();
	goto again;
}

NKL_INLINE ssize_t nk_read_full(int fd, void *bytes, size_t nbytes)
{
	struct nk_process *self = nkl_self();
	size_t done = 0;
	while (done < nbytes) {
		int64_t got =
			self->ops->read(self, fd, (char *)bytes + done, nbytes - done, nkl_site());
		if (got == -EAGAIN)
			nkl_suspend();
		else if (got <= 0)
			return done ? (ssize_t)done : got;
		else
			done += (size_t)got;
	}
	return (ssize_t)done;
}

NKL_INLINE ssize_t nk_write(int fd, const void *bytes, size_t nbytes)
{
	struct nk_process *self = nkl_self();
	size_t done = 0;
	int64_t put;
	do {
		put = self->ops->write(
			self, fd, (const char *)bytes + done, nbytes - done, nkl_site());
		if (put == -EAGAIN)
			nkl_suspend();
		else if (put < 0 || nbytes <= LINE_BYTES)
			return done ? (ssize_t)done : put;
		else
			done += (size_t)put;
	} while (put == -EAGAIN || done < nbytes);
	return (ssize_t)done;
}

NKL_INLINE int nk_close(int fd)
{
	struct nk_process *self = nkl_self();
	return (int)self->ops->close(self, fd);
}

NKL_INLINE void nk_yield(void)
{
	nkl_suspend();
}

/* What lower_yield.c makes of nk_yield_after(). */
NKL_INLINE void nkl_yield_after(uint32_t *left, uint32_t count)
{
	if (nkl_unlikely(--*left == 0)) {
		*left = count;
		nkl_suspend();
	}
}

NKL_INLINE _Noreturn void nk_exit(int64_t code)
{
	struct nk_process *self = nkl_self();
	self->ops->exit(self, code);
}

NKL_INLINE void nk_log(const char *format, const uint64_t *args, size_t count)
{
	struct nk_process *self = nkl_self();
	self->ops->log(self, format, args, count);
}
