/* process.c - the calls of nearside/kernel.h about ends and other processes. */
#include <errno.h>
#include <nearside/kernel.h>

#include "compiler/library/library.h"
#include "device/abi/message.h"

_Static_assert(sizeof(struct nproc_start) == sizeof(struct nk_start) &&
		       offsetof(struct nproc_start, ends) == offsetof(struct nk_start, ends) &&
		       offsetof(struct nproc_start, weight) == offsetof(struct nk_start, weight),
	"the same struct");
_Static_assert((int)NPROC_SAME_CORE == (int)NK_SAME_CORE && (int)NPROC_ANY_CORE == (int)NK_ANY_CORE,
	"the same names");
_Static_assert((int)NPROC_CHILDREN_MAX == (int)NK_CHILDREN_MAX, "the same limit");
_Static_assert((int)NPROC_SCRATCH_MAX == (int)NK_SCRATCH_MAX &&
		       (int)NPROC_COPIES_MAX == (int)NK_COPIES_MAX,
	"the same limits");
_Static_assert((int)NPROC_WEIGHT_MAX == (int)NK_WEIGHT_MAX, "the same limit");
_Static_assert((int)NPROC_EXITED == NMSG_EXITED + 1 && (int)NPROC_FAULTED == NMSG_FAULTED + 1 &&
		       (int)NPROC_KILLED == NMSG_KILLED + 1 &&
		       (int)NPROC_REFUSED == NMSG_REFUSED + 1,
	"endings are states");

/* What lower_spawn.c makes of nk_spawn(). */
int nkl_spawn(const struct nk_start *start, const struct nk_code *code, const uint64_t *words);

NKL_INLINE int nkl_spawn(
	const struct nk_start *start, const struct nk_code *code, const uint64_t *words)
{
	struct nk_process *self = nkl_self();
	return (int)self->ops->spawn(self, code, words, start);
}

NKL_INLINE int nk_dup(int fd)
{
	struct nk_process *self = nkl_self();
	return (int)self->ops->dup(self, fd);
}

NKL_INLINE int64_t nk_pipe(void)
{
	struct nk_process *self = nkl_self();
	int32_t reads, writes;
	int64_t result = self->ops->pipe(self, &reads, &writes);
	return result < 0 ? result : reads | (int64_t)writes << 8;
}

/* The outcome lives in a block of its own, so that it is not kept while the process waits. */
NKL_INLINE struct nk_waited nk_wait_child(int child)
{
	struct nk_process *self = nkl_self();
	for (;;) {
		{
			struct nk_outcome outcome = {0};
			int64_t number = self->ops->wait(self, child, &outcome, nkl_site());
			if (number != -EAGAIN)
				return (struct nk_waited){outcome.value,
					(int32_t)outcome.ending + 1, (int32_t)number};
		}
		nkl_suspend();
	}
}

NKL_INLINE int nk_kill(int child)
{
	struct nk_process *self = nkl_self();
	return (int)self->ops->kill(self, child);
}
