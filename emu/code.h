/*
 * code.h - makes the code of an image runnable in this program: a sealed memory file, loaded by
 * dlopen().
 *
 * Sealed, the file cannot change after it was checked, and no page is ever writable and executable.
 * As an ordinary shared object it is seen by gdb, perf and the sanitizers.
 */
#ifndef NEARSIDE_EMU_CODE_H
#define NEARSIDE_EMU_CODE_H

#include <stdint.h>

#include "device/abi/kernel.h"

struct nemu_code;

/*
 * As ndev_platform.load: `bytes` may change meanwhile. -EINVAL: no shared object for this machine,
 * or its table of kernels is not right. -ENOEXEC: the dynamic loader refuses it. -ENOMEM, -EMFILE
 * and what else the system lacks for memfd_create() and dlopen().
 */
int nemu_code_load(const void *bytes, uint64_t nbytes, unsigned kernel_count,
	const struct nk_code **kernels, struct nemu_code **code);

void nemu_code_unload(struct nemu_code *code);

/* The best code that this processor runs: enum nimg_isa. */
unsigned nemu_code_isa(void);

#endif
