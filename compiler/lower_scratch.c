/*
 * lower_scratch.c - variables declared NPROC_SCRATCH leave the frame: they lie in memory that the
 * firmware leases to the process, whose address is 8 bytes below the process record (struct
 * nk_near).
 *
 *     %buffer = alloca [4096 x i8]              %scratch = load ptr, nkl_self() - 8
 *     llvm.var.annotation(%buffer, ...)   =>    %buffer = %scratch + the variable's offset
 *
 * Copies go on while their process does something else, and what is in the frame may share its room
 * with other variables; so nmem_get() and nmem_put() work on scratch memory only, and anything else
 * is refused here.
 *
 * Requires: accesses are checked, by the sizes of the variables; everything of the user's inlined.
 * Afterwards: the variables are pointers.
 */
#include <string.h>

#include "compiler/llvm.h"

struct scratch {
	struct lower *lower;
	struct kernel *kernel;
	LLVMValueRef entry;
	LLVMValueRef *variables;
	size_t count;
	LLVMValueRef *seen; /* by is_scratch(), which follows circles of phis */
	size_t seen_count;
};

static bool is_annotation(LLVMValueRef instruction)
{
	if (!llvm_calls_intrinsic(instruction, "llvm.var.annotation"))
		return false;
	const char *text = llvm_literal(LLVMGetOperand(instruction, 1));
	return text && !strcmp(text, "nearside.scratch") &&
	       LLVMIsAAllocaInst(LLVMGetOperand(instruction, 0));
}

static bool is_variable(const struct scratch *scratch, LLVMValueRef value)
{
	for (size_t i = 0; i < scratch->count; i++) {
		if (scratch->variables[i] == value)
			return true;
	}
	return false;
}

static void find_variables(struct scratch *scratch, LLVMValueRef *all, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (!is_annotation(all[i]) || is_variable(scratch, LLVMGetOperand(all[i], 0)))
			continue;
		scratch->variables =
			pool_grow(scratch->variables, scratch->count, sizeof *scratch->variables);
		scratch->variables[scratch->count++] = LLVMGetOperand(all[i], 0);
	}
}

/* ---- copies ---------------------------------------------------------------------------------- */

static bool is_seen(struct scratch *scratch, LLVMValueRef value)
{
	for (size_t i = 0; i < scratch->seen_count; i++) {
		if (scratch->seen[i] == value)
			return true;
	}
	scratch->seen = pool_grow(scratch->seen, scratch->seen_count, sizeof *scratch->seen);
	scratch->seen[scratch->seen_count++] = value;
	return false;
}

/* Does it point into scratch memory, whichever way it was taken? */
static bool is_scratch(struct scratch *scratch, LLVMValueRef pointer)
{
	if (LLVMIsAPHINode(pointer)) {
		bool good = true;
		if (is_seen(scratch, pointer))
			return true;
		for (unsigned i = 0; i < LLVMCountIncoming(pointer); i++)
			good &= is_scratch(scratch, LLVMGetIncomingValue(pointer, i));
		return good;
	}
	if (LLVMIsASelectInst(pointer))
		return is_scratch(scratch, LLVMGetOperand(pointer, 1)) &&
		       is_scratch(scratch, LLVMGetOperand(pointer, 2));
	if (LLVMIsAGetElementPtrInst(pointer) || LLVMIsAFreezeInst(pointer))
		return is_scratch(scratch, LLVMGetOperand(pointer, 0));
	return is_variable(scratch, pointer);
}

static void check_copies(struct scratch *scratch, LLVMValueRef *all, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const char *name = llvm_callee_name(all[i]);
		bool gets = !strcmp(name, "nk_get");
		if (!gets && strcmp(name, "nk_put") != 0)
			continue;
		scratch->seen_count = 0;
		if (!is_scratch(scratch, LLVMGetOperand(all[i], gets ? 0 : 1)))
			lower_refuse(scratch->lower, all[i],
				gets ? "nmem_get() copies to what is not in scratch memory"
				     : "nmem_put() copies from what is not in scratch memory",
				"declare the variable with NPROC_SCRATCH: the copy goes on while others "
				"use the room of the frame");
	}
}

/* ---- variables ------------------------------------------------------------------------------- */

/* Of the variable: what would say when it begins and ends, and its mark. */
static void drop_marks(const struct scratch *scratch, LLVMValueRef *all, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		bool is_mark = llvm_calls_intrinsic(all[i], "llvm.lifetime.start") ||
			       llvm_calls_intrinsic(all[i], "llvm.lifetime.end");
		if ((is_mark && is_variable(scratch, LLVMGetOperand(all[i], 1))) ||
			is_annotation(all[i]))
			LLVMInstructionEraseFromParent(all[i]);
	}
}

static LLVMValueRef build_address(struct lower *lower, LLVMValueRef from, uint64_t offset)
{
	LLVMValueRef at = llvm_u64(lower, offset);
	return LLVMBuildGEP2(lower->builder, lower->i8, from, &at, 1, "");
}

static uint32_t offset_of(struct scratch *scratch, LLVMValueRef variable)
{
	struct kernel *kernel = scratch->kernel;
	uint64_t align = LLVMGetAlignment(variable) < 16 ? 16 : LLVMGetAlignment(variable);
	uint64_t nbytes = LLVMABISizeOfType(scratch->lower->layout, LLVMGetAllocatedType(variable));
	uint64_t offset = (kernel->scratch_bytes + align - 1) / align * align;
	if (align > 64)
		diag_error(kernel->file, kernel->line, 1,
			pool_format("kernel '%s' has a variable that is aligned to %u bytes",
				kernel->name, (unsigned)align),
			"scratch memory is aligned to 64 bytes at most");
	if (offset + nbytes < UINT32_MAX)
		kernel->scratch_bytes = (uint32_t)(offset + nbytes);
	else
		kernel->scratch_bytes = UINT32_MAX - 64;
	return (uint32_t)offset;
}

static void replace_variables(struct scratch *scratch)
{
	struct lower *lower = scratch->lower;
	LLVMPositionBuilderBefore(
		lower->builder, LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(scratch->entry)));
	LLVMValueRef self = llvm_call(lower, "nkl_self", lower->pointer, NULL, 0);
	LLVMValueRef below = build_address(
		lower, self, offsetof(struct nk_near, scratch) - sizeof(struct nk_near));
	LLVMValueRef memory = LLVMBuildLoad2(lower->builder, lower->pointer, below, "scratch");
	for (size_t i = 0; i < scratch->count; i++)
		LLVMReplaceAllUsesWith(scratch->variables[i],
			build_address(lower, memory, offset_of(scratch, scratch->variables[i])));
	for (size_t i = 0; i < scratch->count; i++)
		LLVMInstructionEraseFromParent(scratch->variables[i]);
}

static void lower_kernel(struct lower *lower, struct kernel *kernel)
{
	struct scratch scratch = {
		.lower = lower, .kernel = kernel, .entry = lower_entry(lower, kernel)};
	size_t count = 0;
	LLVMValueRef *all = llvm_instructions(scratch.entry, &count);
	find_variables(&scratch, all, count);
	check_copies(&scratch, all, count);
	if (!scratch.count)
		return;
	drop_marks(&scratch, all, count);
	replace_variables(&scratch);
	if (kernel->scratch_bytes > NK_SCRATCH_MAX)
		diag_error(kernel->file, kernel->line, 1,
			pool_format("kernel '%s' has more than %d bytes of scratch memory",
				kernel->name, NK_SCRATCH_MAX),
			"work on smaller parts; a helper function's variables count each time that "
			"it is called");
}

bool lower_scratch(struct lower *lower)
{
	for (size_t i = 0; i < lower->program->kernel_count; i++)
		lower_kernel(lower, lower->program->kernels[i]);
	if (diag_error_count())
		return false;
	llvm_verify(lower);
	return true;
}
