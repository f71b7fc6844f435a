/* emit.h - the parts of code emission. */
#ifndef NEARSIDE_COMPILER_EMIT_H
#define NEARSIDE_COMPILER_EMIT_H

#include "compiler/llvm.h"

extern const char *const emit_isa_names[NIMG_ISA_COUNT];

/*
 * Between these two the program's sites are those of this ISA and of all before it, which
 * emit_workers.c hands over. False: another ISA failed, or an error that was reported.
 */
bool emit_take_turn(struct lower *lower, enum nimg_isa isa);
bool emit_pass_turn(struct lower *lower, enum nimg_isa isa);

/* Adds nk_kernels, which the image exports, and what leads from there. */
void emit_table(struct lower *lower, enum nimg_isa isa);

/* Marks every function so that code generation reports its stack frame, by emit_hear_stack(). */
void emit_ask_stack(struct lower *lower);
void emit_hear_stack(struct lower *lower, const char *message);

/* After code generation: a bound of the stack that one call of either function uses. */
uint32_t emit_stack_bytes(const struct lower *lower, LLVMValueRef entry, LLVMValueRef resume);

/* False: the kernel was refused for its size. */
bool emit_check_limits(const struct kernel *kernel, enum nimg_isa isa);

#endif
