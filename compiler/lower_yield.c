/*
 * lower_yield.c - NPROC_YIELD_AFTER(n): each place where it stands gets a count of its own, which
 * begins at n where the kernel does.
 *
 *     nk_yield_after(n)   becomes   nkl_yield_after(&left, n)
 *
 * The library counts down, and suspends when nothing is left. The count becomes a register, and
 * lives in the frame only across other waits of its loop: across its own it is n.
 *
 * Requires: user code is checked, everything of the user's inlined; the library not there yet. Part
 * of `library`.
 */
#include <string.h>

#include "compiler/llvm.h"

static void replace_yield(struct lower *lower, LLVMValueRef entry, LLVMValueRef call)
{
	LLVMValueRef args[] = {NULL, LLVMGetOperand(call, 0)};
	LLVMValueRef first = LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(entry));
	LLVMPositionBuilderBefore(lower->builder, first);
	args[0] = LLVMBuildAlloca(lower->builder, lower->i32, "");
	LLVMBuildStore(lower->builder, args[1], args[0]);
	LLVMPositionBuilderBefore(lower->builder, call);
	llvm_call(lower, "nkl_yield_after", lower->nothing, args, 2);
	LLVMInstructionEraseFromParent(call);
}

void lower_yield(struct lower *lower, struct kernel *kernel)
{
	LLVMValueRef entry = lower_entry(lower, kernel);
	size_t count = 0;
	LLVMValueRef *all = entry ? llvm_instructions(entry, &count) : NULL;
	for (size_t i = 0; i < count; i++) {
		if (strcmp(llvm_callee_name(all[i]), "nk_yield_after"))
			continue;
		replace_yield(lower, entry, all[i]);
		kernel->yields++;
	}
}
