/*
 * lower.h - the steps between bitcode and machine code, in their order, and what they share.
 *
 *   close     a unit's kernels become coroutines-to-be, everything they call is inlined      lower_close.c
 *   concrete  what C leaves undefined gets a meaning                                        lower_concrete.c
 *   bounds    accesses to private objects are checked, mistakes become faults               lower_bounds.c
 *   scratch   variables in scratch memory leave the frame                                   lower_scratch.c
 *   library   the units are joined, the kernel library is linked and inlined                lower_library.c
 *   suspend   each kernel becomes a coroutine                                               lower_suspend.c
 *   split     is optimised, and split into entry and resume function by LLVM                lower_split.c
 * and for each ISA, on a copy of the module:
 *   optimise  LLVM's pipeline for that machine; vectorises                                  emit.c
 *   far       accesses to far memory are checked                                            lower_far.c
 *   kill      loops look at the attention word                                              lower_kill.c
 *   clean     what the two have left is optimised again; object code, ELF                   emit.c
 *
 * A step takes the module of its struct lower and changes it. User code is checked before the library, which is
 * trusted, comes in.
 */
#ifndef NEARSIDE_COMPILER_LOWER_H
#define NEARSIDE_COMPILER_LOWER_H

#include <llvm-c/Core.h>
#include <llvm-c/TargetMachine.h>

#include "compiler/nprocc.h"

/* The address spaces of pointers. */
enum {
	SPACE_PRIVATE = 0,
	SPACE_FAR = 1
};

/* The stack frame of a function, as code generation reported it. */
struct stack {
	const char *function;
	uint32_t nbytes;
};

struct lower {
	struct program *program;
	const struct options *options;
	LLVMContextRef context;
	LLVMModuleRef module;
	LLVMBuilderRef builder;
	LLVMTargetMachineRef machine;
	LLVMTargetDataRef layout;
	struct stack *stacks; /* of the ISA at hand */
	size_t stack_count;
	LLVMTypeRef nothing, i1, i8, i32, i64, pointer, far_pointer;
};

/* Declared here for every step; each file says above its function what it requires and what it breaks. */
bool lower_close(struct lower *lower, const struct unit *unit);
bool lower_concrete(struct lower *lower);
bool lower_bounds(struct lower *lower);
bool lower_scratch(struct lower *lower);
void lower_division(struct lower *lower);                       /* part of close */
void lower_registers(struct lower *lower);                      /* likewise */
void lower_compare(struct lower *lower, LLVMValueRef function); /* likewise */
void lower_spawn(struct lower *lower);                          /* likewise */
/* Once all units are joined: is every kernel there that others start? */
bool lower_spawn_check(struct lower *lower);
/* What stands for entries of the image's table becomes these. */
void lower_spawn_resolve(struct lower *lower, LLVMValueRef table, LLVMTypeRef entry);
bool lower_library(struct lower *lower);
void lower_yield(struct lower *lower, struct kernel *kernel); /* part of library */
bool lower_split(struct lower *lower);
void lower_separate(struct lower *lower, LLVMValueRef function);
void lower_library_inline(struct lower *lower); /* what far and kill have called */
bool lower_suspend(struct lower *lower);
void lower_drop_promises(struct lower *lower, LLVMValueRef function);
void lower_far(struct lower *lower, LLVMValueRef entry, LLVMValueRef resume);
void lower_kill(struct lower *lower, LLVMValueRef resume);

/* Of one nk_log() call: refuses formats that the firmware does not print. */
void lower_log(struct lower *lower, LLVMValueRef call);

/* Of one nk_log_string() call: how many characters are printed at most, as an instruction before it. */
LLVMValueRef lower_log_limit(struct lower *lower, LLVMValueRef string);

/* Compiles the module for one ISA into program->code[isa]; leaves the module as it is. */
bool emit_isa(struct lower *lower, enum nimg_isa isa);
bool emit_all(struct lower *lower); /* for each ISA, at the same time */

/* ---- the parts of a kernel in a module ---------------------------------------------------------- */

/* The kernel's function, from lower_close on with the signature of nk_code's entry; NULL: not in this module. */
LLVMValueRef lower_entry(const struct lower *lower, const struct kernel *kernel);

/* "resume", once the kernel is split; "destroy" and "cleanup" until lower_split() has dropped them. */
LLVMValueRef lower_part(const struct lower *lower, const struct kernel *kernel, const char *part);

/* The kernel whose entry or resume function this is, or NULL. */
struct kernel *lower_kernel_of(const struct lower *lower, LLVMValueRef function);

/* The number of the place in the source that this instruction comes from; `text` of an assertion, else "". */
uint32_t lower_site(struct lower *lower, LLVMValueRef instruction, const char *text);

/* Refuses the program at the place of an instruction. */
void lower_refuse(
	struct lower *lower, LLVMValueRef instruction, const char *text, const char *note);

/* The process ends with a fault before, or in place of, an instruction; `text` of an assertion, else "". */
void lower_fault_before(
	struct lower *lower, LLVMValueRef instruction, enum nk_fault kind, const char *text);
void lower_replace_by_fault(
	struct lower *lower, LLVMValueRef call, enum nk_fault kind, const char *text);

/* With --dump=STEP: prints the module. */
void lower_dump(const struct lower *lower, const char *step);

#endif
