/*
 * elf_load.h - loads the code of an image where there is no dynamic loader. nprocc links it without
 * undefined symbols, so that relocations are of one kind: the object's base and a constant.
 */
#ifndef NEARSIDE_EMU_RISCV_ELF_LOAD_H
#define NEARSIDE_EMU_RISCV_ELF_LOAD_H

#include <stdint.h>

#include "device/abi/kernel.h"

enum {
	ELF_LOAD_ALIGN = 4096
};

/*
 * Copies `file` into the free memory `to` (aligned to ELF_LOAD_ALIGN), relocates it, and finds its
 * table of kernels. How many bytes of `to` are taken, a multiple of ELF_LOAD_ALIGN; -NCHAN_ENOMEM:
 * too few; -NCHAN_EINVAL: not such an object. The file is the host's, and what this reads of it
 * after the copy it reads from the copy.
 */
int64_t elf_load(const void *file, uint64_t nbytes, char *to, uint64_t to_nbytes,
	unsigned kernel_count, const struct nk_code **kernels);

#endif
