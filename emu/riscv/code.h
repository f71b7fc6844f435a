/*
 * code.h - memory for the code of images: where each lies, and which is free. Another hart may have
 * run what lay at an address before, so whoever loads makes all harts look anew
 * (machine_fence_code()).
 */
#ifndef NEARSIDE_EMU_RISCV_CODE_H
#define NEARSIDE_EMU_RISCV_CODE_H

#include <stdint.h>

#include "device/abi/kernel.h"

struct code {
	char *memory; /* aligned to ELF_LOAD_ALIGN */
	uint64_t nbytes;
};

/* The code of one image. */
struct code_part {
	char *base;
	uint64_t nbytes; /* 0: none */
};

/* As ndev_platform's load. One hart at a time. */
int code_load(const struct code *code, const void *file, uint64_t nbytes, unsigned kernel_count,
	const struct nk_code **kernels, void **handle);
void code_unload(void *handle);
void code_forget_all(void);

/* The image whose code holds this address, or NULL. */
const struct code_part *code_find(uint64_t address);

/*
 * Called when an image's code lies at `base`, for debuggers: they read the file, which has the
 * names and lines, where it still lies, and add it with that offset.
 */
void nearside_code_loaded(const char *base, const void *file, uint64_t nbytes);

#endif
