/*
 * llvm.h - the one door to what differs between versions of LLVM, and what its C interface lacks.
 *
 * LLVM 19 is what is tested. Names of intrinsics, attributes and passes, and operand positions of
 * metadata nodes, stand in llvm.c alone.
 */
#ifndef NEARSIDE_COMPILER_LLVM_H
#define NEARSIDE_COMPILER_LLVM_H

#include "compiler/lower.h"

/*
 * Runs passes (opt's spelling) over the module and verifies it. A failure is a bug of ours: it ends
 * the compiler.
 */
void llvm_run(struct lower *lower, const char *passes);
void llvm_verify(struct lower *lower);

/* Passes that simplify functions, without anything that suits one machine. */
const char *llvm_before_split(void);

/* Splits coroutines; variables that are not alive together share room in the frame, but for -O0. */
const char *llvm_split(const struct lower *lower);

LLVMModuleRef llvm_read_file(struct lower *lower, const char *path);
LLVMModuleRef llvm_read_memory(struct lower *lower, const void *bytes, size_t nbytes);

/*
 * A machine for one ISA at the optimisation level of the options; the context's module takes its
 * layout.
 */
void llvm_use_isa(struct lower *lower, enum nimg_isa isa);
void llvm_drop_machine(struct lower *lower);

/* Calls an intrinsic; `types` are those by which it is overloaded. */
LLVMValueRef llvm_intrinsic(struct lower *lower, const char *name, LLVMTypeRef *types,
	size_t type_count, LLVMValueRef *args, unsigned arg_count);

/*
 * Calls a function of the kernel library, which is declared where the module does not have it yet.
 */
LLVMValueRef llvm_call(struct lower *lower, const char *name, LLVMTypeRef result,
	LLVMValueRef *args, unsigned arg_count);

/*
 * Splits a block: what stands before `instruction` moves into a new block, which is returned
 * without a terminator and takes the block's place among its predecessors.
 */
LLVMBasicBlockRef llvm_split_before(struct lower *lower, LLVMValueRef instruction);

void llvm_add_attribute(struct lower *lower, LLVMValueRef function, const char *name);
void llvm_add_string_attribute(
	struct lower *lower, LLVMValueRef function, const char *name, const char *value);
void llvm_remove_attribute(LLVMValueRef function, const char *name);

/* The type behind a parameter's byval attribute, or NULL. */
LLVMTypeRef llvm_byval_type(LLVMValueRef function, unsigned param);

/* What a call promises about the alignment of a pointer argument; at least 1. */
unsigned llvm_argument_align(LLVMValueRef call, unsigned argument);

/* The function that a call instruction names, or NULL. */
LLVMValueRef llvm_callee(LLVMValueRef instruction);

/* The callee's name, "" where there is none. */
const char *llvm_callee_name(LLVMValueRef instruction);

/* Does this instruction call the intrinsic, e.g. "llvm.memcpy"? */
bool llvm_calls_intrinsic(LLVMValueRef instruction, const char *name);

/* The text of the string literal that a pointer points to, in the pool, or NULL. */
const char *llvm_literal(LLVMValueRef pointer);

/* Is this a load, store or read-modify-write with an ordering? */
bool llvm_is_atomic(LLVMValueRef instruction);

/* Does this call never come back? */
bool llvm_never_returns(LLVMValueRef instruction);

bool llvm_is_pointer_to(LLVMValueRef value, unsigned space);

/* Where an instruction comes from. */
struct llvm_place {
	const char *file;
	unsigned line;
	unsigned column;
	const char *function;
};

/* line 0: not known. The strings are in the pool. */
struct llvm_place llvm_place(LLVMValueRef instruction);

/*
 * All blocks, all instructions of a function: *count of them, in the pool; for loops that change
 * what they walk.
 */
LLVMBasicBlockRef *llvm_blocks(LLVMValueRef function, size_t *count);
LLVMValueRef *llvm_instructions(LLVMValueRef function, size_t *count);

LLVMValueRef llvm_u64(const struct lower *lower, uint64_t value);
LLVMValueRef llvm_u32(const struct lower *lower, uint32_t value);

#endif
