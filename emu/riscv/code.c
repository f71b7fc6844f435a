#include "emu/riscv/code.h"

#include <stddef.h>

#include "channels/memory.h"
#include "emu/elf64.h"
#include "emu/riscv/elf_load.h"

enum {
	PARTS = 256, /* as many images as a device has */
};

/* Looked at by traps of other harts, which see a part only when it is complete. */
static struct code_part parts[PARTS];

/* The one that holds any of these addresses. */
static struct code_part *overlapping(uint64_t begin, uint64_t nbytes)
{
	for (unsigned i = 0; i < PARTS; i++) {
		uint64_t base = (uint64_t)parts[i].base;
		uint64_t count = nchan_load_acquire(&parts[i].nbytes);

		if (count && begin < base + count && base < begin + nbytes)
			return &parts[i];
	}
	return NULL;
}

/* The first gap that is large enough, or NULL. */
static char *find_room(const struct code *code, uint64_t nbytes)
{
	uint64_t begin = (uint64_t)code->memory, end = begin + code->nbytes;

	while (end - begin >= nbytes) {
		const struct code_part *taken = overlapping(begin, nbytes);

		if (!taken)
			return (char *)begin;
		begin = (uint64_t)taken->base + taken->nbytes;
	}
	return NULL;
}

static struct code_part *free_part(void)
{
	for (unsigned i = 0; i < PARTS; i++)
		if (!parts[i].nbytes)
			return &parts[i];
	return NULL;
}

__attribute__((noinline)) void nearside_code_loaded(
	const char *base, const void *file, uint64_t nbytes)
{
	__asm__ volatile("" : : "r"(base), "r"(file), "r"(nbytes));
}

int code_load(const struct code *code, const void *file, uint64_t nbytes, unsigned kernel_count,
	const struct nk_code **kernels, void **handle)
{
	struct code_part *part = free_part();
	struct nemu_elf elf;
	uint64_t wanted;
	int64_t used;
	char *base;

	if (nemu_elf_check(file, nbytes, NEMU_ELF_RISCV, &elf))
		return -NCHAN_EINVAL;
	wanted = (elf.span + ELF_LOAD_ALIGN - 1) & ~(uint64_t)(ELF_LOAD_ALIGN - 1);
	base = find_room(code, wanted);
	if (!part || !base)
		return -NCHAN_ENOMEM;
	used = elf_load(file, nbytes, base, wanted, kernel_count, kernels);
	if (used <= 0)
		return used ? (int)used : -NCHAN_EINVAL;
	part->base = base;
	nchan_store_release(&part->nbytes, (uint64_t)used);
	*handle = part;
	nearside_code_loaded(base, file, nbytes);
	return 0;
}

void code_unload(void *handle)
{
	struct code_part *part = handle;

	nchan_store_release(&part->nbytes, 0);
}

void code_forget_all(void)
{
	for (unsigned i = 0; i < PARTS; i++)
		parts[i].nbytes = 0;
}

const struct code_part *code_find(uint64_t address)
{
	return overlapping(address, 1);
}
