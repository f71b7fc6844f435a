/*
 * caches.c - cbo.clean and cbo.flush, by number, for the rest of the firmware runs on harts without
 * them. A cache block is taken to be no smaller than a line. A fence orders both with the loads and
 * stores around, as if they were loads and stores of the block.
 */
#include "emu/riscv/caches.h"

enum {
	CBO_CLEAN = 1,
	CBO_FLUSH = 2,
};

#define CBO(line, operation) \
	__asm__ volatile(".insn i 0x0f, 2, x0, %0, %1" ::"r"(line), "i"(operation) : "memory")

static void fence(void)
{
	__asm__ volatile("fence rw, rw" ::: "memory");
}

static void publish(const struct nchan_caches *caches, const void *bytes, uint64_t nbytes)
{
	(void)caches;
	fence();
	NCHAN_FOR_EACH_LINE(line, bytes, nbytes)
	CBO(line, CBO_CLEAN);
	fence();
}

/* Not cbo.inval, which throws away what another process has stored in the line. */
static void refresh(const struct nchan_caches *caches, const void *bytes, uint64_t nbytes)
{
	(void)caches;
	fence();
	NCHAN_FOR_EACH_LINE(line, bytes, nbytes)
	CBO(line, CBO_FLUSH);
	fence();
}

const struct nchan_caches machine_caches = {publish, refresh};
