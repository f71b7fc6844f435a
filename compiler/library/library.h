/*
 * library.h - the kernel library: what compiled kernels are linked with, and the names by which the
 * compiler's lowering calls into it. It is trusted: the compiler checks none of its accesses. Every
 * function here but memcpy() and its kin begins with nkl_, static ones too: a kernel may have any
 * other name.
 */
#ifndef NEARSIDE_COMPILER_LIBRARY_H
#define NEARSIDE_COMPILER_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "device/abi/kernel.h"

/* Becomes part of the kernel; so are bodies that suspend. */
#define NKL_INLINE __attribute__((always_inline))

/* Stays a function, out of the way. */
#define NKL_COLD __attribute__((noinline, cold))

/* Stays a function: it works on many bytes. */
#define NKL_BULK __attribute__((noinline))

#define nkl_unlikely(condition) __builtin_expect(!!(condition), 0)

enum {
	NKL_PIECE_BYTES = 4096
};

/*
 * The next three are replaced by lower_suspend.c and exist only in what is inlined into a kernel.
 */
struct nk_process *nkl_self(void);
void nkl_suspend(void);
/* The number of the place in the kernel from which the library was called. */
uint32_t nkl_site(void);

/* Set by emit.c for each ISA: are unaligned 8-byte accesses as good as aligned ones? */
extern const uint64_t nkl_fast_unaligned;

/*
 * Accesses of one block that are checked together: those that share a pointer, at constant offsets
 * from it. lower_far.c lays it out.
 */
struct nkl_part {
	uint32_t offset; /* from the lowest byte of the group */
	uint32_t nbytes;
	uint32_t site;
	uint32_t is_write;
};

struct nkl_group {
	uint64_t nbytes;
	uint32_t is_write; /* any part is */
	uint32_t part_count;
	struct nkl_part parts[];
};

/* Long work on far memory is done in pieces, with a look at the attention word between them. */
static inline void nkl_look(struct nk_process *self)
{
	if (nkl_unlikely(__atomic_load_n(self->ops->attention, __ATOMIC_RELAXED) == self->self))
		self->ops->killed(self);
}

static inline uint64_t nkl_piece_of(uint64_t nbytes)
{
	return nbytes < NKL_PIECE_BYTES ? nbytes : NKL_PIECE_BYTES;
}

_Noreturn void nkl_fault(struct nk_process *self, uint64_t kind, uint32_t site);

#endif
