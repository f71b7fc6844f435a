/*
 * lower_overrun.c - keeps mistakes in sight while variables become registers.
 *
 * LLVM's sroa drops an access that is outside its variable for certain, as undefined: x[7] of `int
 * x[4]`, or 8 bytes read from an int. lower_bounds.c must see it. So its address is hidden first,
 * behind an offset of 0 that sroa does not look through (llvm.ssa.copy); sroa leaves that variable
 * alone.
 *
 * Pointers in structs become known only while sroa runs. So it runs twice: first variables without
 * pointers in them are held in memory, while those with pointers become registers; then the
 * accesses are looked at again.
 *
 * Requires: everything inlined. Afterwards: registers, not memory.
 */
#include "compiler/llvm.h"
#include "compiler/lower_object.h"

static const char hold[] = "nkl_hold";

struct walk {
	struct lower *lower;
	LLVMValueRef seen[64]; /* phis and selects on the way */
	size_t seen_count;
	uint64_t nbytes; /* of the access */
};

/* ---- what is outside for certain ------------------------------------------------------------- */

static bool was_seen(struct walk *walk, LLVMValueRef pointer)
{
	for (size_t i = 0; i < walk->seen_count; i++) {
		if (walk->seen[i] == pointer)
			return true;
	}
	if (walk->seen_count == sizeof walk->seen / sizeof *walk->seen)
		return true;
	walk->seen[walk->seen_count++] = pointer;
	return false;
}

static bool is_outside(const struct walk *walk, LLVMValueRef variable, int64_t offset)
{
	LLVMValueRef count = LLVMGetOperand(variable, 0);
	if (!LLVMIsAConstantInt(count))
		return false;
	uint64_t size = LLVMABISizeOfType(walk->lower->layout, LLVMGetAllocatedType(variable)) *
			LLVMConstIntGetZExtValue(count);
	return offset < 0 || (uint64_t)offset > size || walk->nbytes > size - (uint64_t)offset;
}

static bool overruns(struct walk *walk, LLVMValueRef pointer, int64_t offset);

static bool one_overruns(struct walk *walk, LLVMValueRef chosen, int64_t offset)
{
	bool is_phi = LLVMIsAPHINode(chosen) != NULL;
	unsigned count = is_phi ? LLVMCountIncoming(chosen) : 2;
	if (was_seen(walk, chosen))
		return false;
	for (unsigned i = 0; i < count; i++) {
		LLVMValueRef pointer =
			is_phi ? LLVMGetIncomingValue(chosen, i) : LLVMGetOperand(chosen, i + 1);
		if (overruns(walk, pointer, offset))
			return true;
	}
	return false;
}

/* Is an access at pointer + offset outside of a variable, wherever it goes on its way there? */
static bool overruns(struct walk *walk, LLVMValueRef pointer, int64_t offset)
{
	if (LLVMIsAAllocaInst(pointer))
		return is_outside(walk, pointer, offset);
	if (LLVMIsAPHINode(pointer) || LLVMIsASelectInst(pointer))
		return one_overruns(walk, pointer, offset);
	if (!LLVMIsAGetElementPtrInst(pointer))
		return false;
	LLVMValueRef added = object_bytes_added(walk->lower, pointer);
	uint64_t sum = added ? (uint64_t)offset + LLVMConstIntGetZExtValue(added) : 0;
	return added && overruns(walk, LLVMGetOperand(pointer, 0), (int64_t)sum);
}

/* ---- accesses -------------------------------------------------------------------------------- */

static void hide(struct lower *lower, LLVMValueRef instruction, unsigned operand)
{
	LLVMValueRef none = llvm_u64(lower, 0);
	LLVMPositionBuilderBefore(lower->builder, instruction);
	none = llvm_intrinsic(lower, "llvm.ssa.copy", &lower->i64, 1, &none, 1);
	LLVMSetOperand(instruction, operand,
		LLVMBuildGEP2(lower->builder, lower->i8, LLVMGetOperand(instruction, operand),
			&none, 1, ""));
}

static void look_at(
	struct lower *lower, LLVMValueRef instruction, unsigned operand, uint64_t nbytes)
{
	struct walk walk = {.lower = lower, .nbytes = nbytes};
	LLVMValueRef pointer = LLVMGetOperand(instruction, operand);
	if (llvm_is_pointer_to(pointer, SPACE_PRIVATE) && overruns(&walk, pointer, 0))
		hide(lower, instruction, operand);
}

static uint64_t size_of(struct lower *lower, LLVMTypeRef type)
{
	return LLVMStoreSizeOfType(lower->layout, type);
}

static void look_at_call(struct lower *lower, LLVMValueRef call)
{
	bool copies = llvm_calls_intrinsic(call, "llvm.memcpy") ||
		      llvm_calls_intrinsic(call, "llvm.memcpy.inline") ||
		      llvm_calls_intrinsic(call, "llvm.memmove");
	bool sets = llvm_calls_intrinsic(call, "llvm.memset") ||
		    llvm_calls_intrinsic(call, "llvm.memset.inline");
	if ((!copies && !sets) || !LLVMIsAConstantInt(LLVMGetOperand(call, 2)))
		return;
	uint64_t nbytes = LLVMConstIntGetZExtValue(LLVMGetOperand(call, 2));
	look_at(lower, call, 0, nbytes);
	if (copies)
		look_at(lower, call, 1, nbytes);
}

static void look_at_instruction(struct lower *lower, LLVMValueRef at)
{
	switch (LLVMGetInstructionOpcode(at)) {
	case LLVMLoad:
		look_at(lower, at, 0, size_of(lower, LLVMTypeOf(at)));
		break;
	case LLVMStore:
		look_at(lower, at, 1, size_of(lower, LLVMTypeOf(LLVMGetOperand(at, 0))));
		break;
	case LLVMCall:
		look_at_call(lower, at);
		break;
	default: /* sroa leaves variables with other accesses alone */
		break;
	}
}

/* ---- variables without pointers -------------------------------------------------------------- */

static bool has_pointers(LLVMTypeRef type)
{
	switch (LLVMGetTypeKind(type)) {
	case LLVMPointerTypeKind:
		return true;
	case LLVMArrayTypeKind:
		return has_pointers(LLVMGetElementType(type));
	case LLVMStructTypeKind:
		for (unsigned i = 0; i < LLVMCountStructElementTypes(type); i++) {
			if (has_pointers(LLVMStructGetTypeAtIndex(type, i)))
				return true;
		}
		return false;
	default:
		return false;
	}
}

static void hold_in_memory(struct lower *lower, LLVMValueRef at)
{
	if (!LLVMIsAAllocaInst(at) || has_pointers(LLVMGetAllocatedType(at)))
		return;
	LLVMPositionBuilderBefore(lower->builder, LLVMGetNextInstruction(at));
	LLVMSetCurrentDebugLocation2(lower->builder, NULL);
	llvm_call(lower, hold, lower->nothing, &at, 1);
}

static void release(struct lower *lower, LLVMValueRef at)
{
	(void)lower;
	if (!LLVMIsACallInst(at) ||
		LLVMGetCalledValue(at) != LLVMGetNamedFunction(lower->module, hold))
		return;
	LLVMInstructionEraseFromParent(at);
}

static void show(struct lower *lower, LLVMValueRef at)
{
	(void)lower;
	if (!llvm_calls_intrinsic(at, "llvm.ssa.copy"))
		return;
	LLVMReplaceAllUsesWith(at, LLVMGetOperand(at, 0));
	LLVMInstructionEraseFromParent(at);
}

/* ---- all of a unit --------------------------------------------------------------------------- */

static void for_each_instruction(
	struct lower *lower, void (*run)(struct lower *lower, LLVMValueRef at))
{
	for (LLVMValueRef f = LLVMGetFirstFunction(lower->module); f; f = LLVMGetNextFunction(f)) {
		size_t count = 0;
		LLVMValueRef *all = llvm_instructions(f, &count);
		for (size_t i = 0; i < count; i++)
			run(lower, all[i]);
	}
}

void lower_registers(struct lower *lower)
{
	llvm_run(lower, "function(mem2reg)");
	for_each_instruction(lower, look_at_instruction);
	for_each_instruction(lower, hold_in_memory);
	llvm_run(lower, "function(sroa)");
	for_each_instruction(lower, release);
	for_each_instruction(lower, look_at_instruction);
	llvm_run(lower, "function(sroa)");
	for_each_instruction(lower, show);
}
