/*
 * lower_division.c - checks every integer division: nkl_check_division() before x / y and x % y.
 *
 * clang folds 5 / 0 to nothing while it writes bitcode; there its sanitizer's call is all that is
 * left, and becomes a fault.
 *
 * Requires: nothing is inlined yet. Inlining folds what becomes constant, and a division by zero
 * would fold to nothing before anybody has looked at it.
 */
#include <string.h>

#include "compiler/llvm.h"

/* INT_MIN / -1, which hardware answers in different ways. */
static LLVMValueRef overflows(struct lower *lower, LLVMValueRef division)
{
	LLVMBuilderRef builder = lower->builder;
	LLVMOpcode opcode = LLVMGetInstructionOpcode(division);
	LLVMValueRef by = LLVMGetOperand(division, 1);
	LLVMTypeRef type = LLVMTypeOf(by);
	if (opcode != LLVMSDiv && opcode != LLVMSRem)
		return LLVMConstInt(lower->i1, 0, 0);
	LLVMValueRef top_bit = LLVMConstInt(type, LLVMGetIntTypeWidth(type) - 1, 0);
	LLVMValueRef least = LLVMBuildShl(builder, LLVMConstInt(type, 1, 0), top_bit, "");
	LLVMValueRef is_least =
		LLVMBuildICmp(builder, LLVMIntEQ, LLVMGetOperand(division, 0), least, "");
	return LLVMBuildAnd(builder, is_least,
		LLVMBuildICmp(builder, LLVMIntEQ, by, LLVMConstAllOnes(type), ""), "");
}

static void check_division(struct lower *lower, LLVMValueRef division)
{
	LLVMValueRef by = LLVMGetOperand(division, 1);
	LLVMTypeRef type = LLVMTypeOf(by);
	if (LLVMGetTypeKind(type) != LLVMIntegerTypeKind) {
		lower_refuse(lower, division, "division of integer vectors",
			"divide element by element");
		return;
	}
	LLVMPositionBuilderBefore(lower->builder, division);
	LLVMValueRef is_zero =
		LLVMBuildICmp(lower->builder, LLVMIntEQ, by, LLVMConstNull(type), "");
	LLVMValueRef args[] = {is_zero, overflows(lower, division),
		llvm_u32(lower, lower_site(lower, division, ""))};
	if (!LLVMIsNull(args[0]) || !LLVMIsNull(args[1]))
		llvm_call(lower, "nkl_check_division", lower->nothing, args, 3);
}

static bool is_division(LLVMValueRef instruction)
{
	LLVMOpcode opcode = LLVMGetInstructionOpcode(instruction);
	return opcode == LLVMSDiv || opcode == LLVMSRem || opcode == LLVMUDiv || opcode == LLVMURem;
}

/* What clang calls instead of dividing by zero. */
static bool is_fault_of_clang(LLVMValueRef instruction)
{
	return LLVMIsACallInst(instruction) &&
	       !strcmp(llvm_callee_name(instruction),
		       "__ubsan_handle_divrem_overflow_minimal_abort");
}

void lower_division(struct lower *lower)
{
	for (LLVMValueRef f = LLVMGetFirstFunction(lower->module); f; f = LLVMGetNextFunction(f)) {
		size_t count = 0;
		LLVMValueRef *all = llvm_instructions(f, &count);
		for (size_t i = 0; i < count; i++) {
			if (is_division(all[i]))
				check_division(lower, all[i]);
			else if (is_fault_of_clang(all[i]))
				lower_replace_by_fault(lower, all[i], NK_FAULT_DIVIDE_BY_ZERO, "");
		}
	}
}
