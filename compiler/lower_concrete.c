/*
 * lower_concrete.c - gives a meaning to what C leaves undefined, where the optimiser could
 * otherwise drop a check: it may assume that undefined things do not happen, and far memory may
 * hold any bytes.
 *
 *   integer arithmetic wraps            flags nsw, nuw, exact go
 *   shift counts count modulo width     a mask, which the hardware has built in
 *   values read are any bits            range and nonnull marks on loads go
 *   what was never written is 0         undef and poison become 0
 *
 * Requires: everything inlined, registers not memory (sroa). Breaks nothing.
 */
#include <string.h>

#include "compiler/llvm.h"

static bool is_integer(LLVMTypeRef type)
{
	if (LLVMGetTypeKind(type) == LLVMVectorTypeKind)
		type = LLVMGetElementType(type);
	return LLVMGetTypeKind(type) == LLVMIntegerTypeKind;
}

static unsigned width_of(LLVMTypeRef type)
{
	if (LLVMGetTypeKind(type) == LLVMVectorTypeKind)
		type = LLVMGetElementType(type);
	return LLVMGetIntTypeWidth(type);
}

static LLVMValueRef same_everywhere(LLVMTypeRef type, uint64_t value)
{
	if (LLVMGetTypeKind(type) != LLVMVectorTypeKind)
		return LLVMConstInt(type, value, 0);
	LLVMValueRef lanes[64];
	unsigned count = LLVMGetVectorSize(type);
	for (unsigned i = 0; i < count; i++)
		lanes[i] = LLVMConstInt(LLVMGetElementType(type), value, 0);
	return LLVMConstVector(lanes, count);
}

/*
 * x << n becomes x << (n & width - 1); widths that are no power of two do not come from C's
 * operators.
 */
static void mask_count(struct lower *lower, LLVMValueRef shift)
{
	LLVMTypeRef type = LLVMTypeOf(shift);
	LLVMPositionBuilderBefore(lower->builder, shift);
	LLVMValueRef mask = same_everywhere(type, width_of(type) - 1);
	LLVMSetOperand(shift, 1, LLVMBuildAnd(lower->builder, LLVMGetOperand(shift, 1), mask, ""));
}

static void drop_flags(LLVMValueRef instruction)
{
	switch (LLVMGetInstructionOpcode(instruction)) {
	case LLVMAdd:
	case LLVMSub:
	case LLVMMul:
	case LLVMShl:
	case LLVMTrunc:
		LLVMSetNSW(instruction, 0);
		LLVMSetNUW(instruction, 0);
		break;
	case LLVMSDiv:
	case LLVMUDiv:
	case LLVMAShr:
	case LLVMLShr:
		LLVMSetExact(instruction, 0);
		break;
	case LLVMOr:
		LLVMSetIsDisjoint(instruction, 0);
		break;
	case LLVMZExt:
	case LLVMUIToFP:
		LLVMSetNNeg(instruction, 0);
		break;
	default:
		break;
	}
}

static void drop_marks(LLVMValueRef load)
{
	static const char *const marks[] = {"range", "nonnull", "noundef", "dereferenceable",
		"dereferenceable_or_null", "align", "invariant.load"};
	for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
		LLVMSetMetadata(load, LLVMGetMDKindID(marks[i], (unsigned)strlen(marks[i])), NULL);
}

static void define_operands(LLVMValueRef instruction)
{
	int count = LLVMGetNumOperands(instruction);
	for (int i = 0; i < count; i++) {
		LLVMValueRef operand = LLVMGetOperand(instruction, (unsigned)i);
		if (operand && LLVMIsUndef(operand))
			LLVMSetOperand(
				instruction, (unsigned)i, LLVMConstNull(LLVMTypeOf(operand)));
	}
}

static void make_concrete(struct lower *lower, LLVMValueRef instruction)
{
	LLVMOpcode opcode = LLVMGetInstructionOpcode(instruction);
	define_operands(instruction);
	drop_flags(instruction);
	if (opcode == LLVMLoad)
		drop_marks(instruction);
	bool shifts = opcode == LLVMShl || opcode == LLVMLShr || opcode == LLVMAShr;
	if (shifts && is_integer(LLVMTypeOf(instruction)))
		mask_count(lower, instruction);
}

/* A far pointer may be moved anywhere; only accesses through it are checked. */
static void drop_in_bounds(struct lower *lower, LLVMValueRef element)
{
	LLVMValueRef indices[32];
	unsigned count = (unsigned)LLVMGetNumOperands(element) - 1;
	if (!llvm_is_pointer_to(element, SPACE_FAR) || count > 32)
		return;
	for (unsigned i = 0; i < count; i++)
		indices[i] = LLVMGetOperand(element, i + 1);
	LLVMPositionBuilderBefore(lower->builder, element);
	LLVMValueRef plain = LLVMBuildGEP2(lower->builder, LLVMGetGEPSourceElementType(element),
		LLVMGetOperand(element, 0), indices, count, "");
	LLVMReplaceAllUsesWith(element, plain);
	LLVMInstructionEraseFromParent(element);
}

/*
 * What the optimiser has concluded from pointers that stay in bounds must not reach the checks that
 * follow: an address and its check have to be the same number, whatever it is.
 */
void lower_drop_promises(struct lower *lower, LLVMValueRef function)
{
	size_t count = 0;
	LLVMValueRef *all = llvm_instructions(function, &count);
	for (size_t i = 0; i < count; i++) {
		drop_flags(all[i]);
		if (LLVMIsAGetElementPtrInst(all[i]))
			drop_in_bounds(lower, all[i]);
	}
}

bool lower_concrete(struct lower *lower)
{
	for (LLVMValueRef f = LLVMGetFirstFunction(lower->module); f; f = LLVMGetNextFunction(f)) {
		size_t count = 0;
		LLVMValueRef *all = llvm_instructions(f, &count);
		for (size_t i = 0; i < count; i++)
			make_concrete(lower, all[i]);
	}
	llvm_verify(lower);
	return true;
}
