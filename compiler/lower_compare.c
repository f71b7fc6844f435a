/*
 * lower_compare.c - memcmp(): each call becomes one of the kernel library's functions for the
 * memory that its operands point to, whose answer is -1, 0 or 1 wherever LLVM computes it.
 *
 * Requires: user code as clang wrote it, where a far operand shows by its type. Breaks nothing.
 */
#include <string.h>

#include "compiler/llvm.h"

static LLVMValueRef call_library(
	struct lower *lower, const char *name, LLVMValueRef a, LLVMValueRef b, LLVMValueRef call)
{
	LLVMValueRef args[] = {
		a, b, LLVMGetOperand(call, 2), llvm_u32(lower, lower_site(lower, call, ""))};
	return llvm_call(lower, name, lower->i32, args, 4);
}

static LLVMValueRef build_comparison(struct lower *lower, LLVMValueRef call)
{
	LLVMValueRef a = LLVMGetOperand(call, 0), b = LLVMGetOperand(call, 1);
	bool a_is_far = llvm_is_pointer_to(a, SPACE_FAR);
	bool b_is_far = llvm_is_pointer_to(b, SPACE_FAR);
	LLVMPositionBuilderBefore(lower->builder, call);
	if (a_is_far && b_is_far)
		return call_library(lower, "nkl_compare_far", a, b, call);
	if (b_is_far)
		return call_library(lower, "nkl_compare_mixed", a, b, call);
	if (a_is_far)
		return LLVMBuildNeg(
			lower->builder, call_library(lower, "nkl_compare_mixed", b, a, call), "");
	return call_library(lower, "nkl_compare_private", a, b, call);
}

void lower_compare(struct lower *lower, LLVMValueRef function)
{
	size_t count = 0;
	LLVMValueRef *all = llvm_instructions(function, &count);
	for (size_t i = 0; i < count; i++) {
		if (strcmp(llvm_callee_name(all[i]), "memcmp"))
			continue;
		LLVMReplaceAllUsesWith(all[i], build_comparison(lower, all[i]));
		LLVMInstructionEraseFromParent(all[i]);
	}
}
