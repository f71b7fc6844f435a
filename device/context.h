/*
 * context.h - leaving a kernel that must not go on: back to the core's loop, whatever the kernel's
 * stack holds.
 */
#ifndef NEARSIDE_DEVICE_CONTEXT_H
#define NEARSIDE_DEVICE_CONTEXT_H

#include <stdint.h>

/* Callee-saved registers, stack pointer and return address; riscv64 needs the most. */
struct ndev_context {
	uint64_t registers[26];
};

/*
 * 0 when it saves, 1 when ndev_context_jump() came back here. The caller must not have returned by
 * then.
 */
int ndev_context_save(struct ndev_context *context) __attribute__((returns_twice));
void ndev_context_jump(struct ndev_context *context) __attribute__((noreturn));

#endif
