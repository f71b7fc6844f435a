/*
 * elf64.h - kernel code is an ELF shared object: what of it may be believed, before anybody loads
 * it.
 *
 * Freestanding: the in-process device looks at it before dlopen(), the bare-metal loader loads it
 * itself.
 */
#ifndef NEARSIDE_EMU_ELF64_H
#define NEARSIDE_EMU_ELF64_H

#include <stdbool.h>
#include <stdint.h>

#include "device/abi/kernel.h"

enum {
	NEMU_ELF_X86_64 = 62,
	NEMU_ELF_RISCV = 243
};

enum {
	NEMU_SEGMENTS_MAX = 16,
	/* Of one image: many kernels, and their debug information. */
	NEMU_CODE_BYTES_MAX = 64 * 1024 * 1024,
};

/* A part of the file that belongs into memory. */
struct nemu_segment {
	uint64_t offset; /* in the file */
	uint64_t file_bytes;
	uint64_t address; /* from where the object is loaded */
	uint64_t memory_bytes;
	bool writable;
	bool executable;
};

struct nemu_elf {
	unsigned segment_count;
	struct nemu_segment segment[NEMU_SEGMENTS_MAX];
	uint64_t span; /* bytes from the lowest address, 0, to the end of the highest segment */
	uint64_t dynamic,
		dynamic_bytes; /* address of the dynamic section, inside a segment's file part */
};

/*
 * Checks headers and segments: every part inside the file, addresses in order and inside span, no
 * interpreter. 0, or -NCHAN_EINVAL. What lies inside the segments is not looked at: an image is
 * trusted like a shared library.
 */
int nemu_elf_check(const void *bytes, uint64_t nbytes, unsigned machine, struct nemu_elf *elf);

/* nbytes at this address lie inside one segment. */
bool nemu_elf_holds(const struct nemu_elf *elf, uint64_t address, uint64_t nbytes, bool executable);

/*
 * The table of an object that is loaded at `base`: it and its entries lie inside the object, and
 * the frames are no larger than allowed. 0, or -NCHAN_EINVAL.
 */
int nemu_elf_check_kernels(const struct nemu_elf *elf, uint64_t base, const struct nk_code *kernels,
	unsigned kernel_count);

#endif
