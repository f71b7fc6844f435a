/*
 * lower_far_count.c - counts the bytes of far memory that a kernel reads and writes: variables of
 * the resume function, which LLVM makes registers, and sums in loops products. Before the firmware
 * is called and before the function returns they are added to the core's counters (struct
 * nk_far_bytes), except on the way into a fault: that would keep them alive in every loop.
 */
#include "compiler/lower_far.h"

#include "compiler/llvm.h"

static LLVMValueRef field_at(struct far *far, LLVMValueRef from, size_t offset)
{
	LLVMValueRef at = llvm_u64(far->lower, offset);
	return LLVMBuildGEP2(far->lower->builder, far->lower->i8, from, &at, 1, "");
}

/* Once per resume: where the core's counters are. */
static void load_counters(struct far *far)
{
	struct lower *lower = far->lower;
	LLVMValueRef ops = LLVMBuildLoad2(lower->builder, lower->pointer,
		field_at(far, far->self, offsetof(struct nk_process, ops)), "");
	far->counters = LLVMBuildLoad2(lower->builder, lower->pointer,
		field_at(far, ops, offsetof(struct nk_ops, far_bytes)), "");
}

static void use_count(struct far *far, enum far_direction direction)
{
	struct lower *lower = far->lower;
	if (far->counts[direction])
		return;
	LLVMPositionBuilderBefore(lower->builder, far->prologue);
	if (!far->counters)
		load_counters(far);
	far->counts[direction] = LLVMBuildAlloca(lower->builder, lower->i64, "far_bytes");
	LLVMBuildStore(lower->builder, llvm_u64(lower, 0), far->counts[direction]);
}

static void add_to(struct lower *lower, LLVMValueRef address, LLVMValueRef nbytes)
{
	LLVMValueRef sum = LLVMBuildLoad2(lower->builder, lower->i64, address, "");
	LLVMBuildStore(lower->builder, LLVMBuildAdd(lower->builder, sum, nbytes, ""), address);
}

void far_count(
	struct far *far, LLVMValueRef before, enum far_direction direction, LLVMValueRef nbytes)
{
	if (LLVMIsAConstantInt(nbytes) && LLVMConstIntGetZExtValue(nbytes) == 0)
		return;
	use_count(far, direction);
	LLVMPositionBuilderBefore(far->lower->builder, before);
	add_to(far->lower, far->counts[direction], nbytes);
}

static void flush(struct far *far, LLVMValueRef before, enum far_direction direction)
{
	static const size_t offsets[] = {
		[FAR_READ] = offsetof(struct nk_far_bytes, read),
		[FAR_WRITE] = offsetof(struct nk_far_bytes, written),
	};
	struct lower *lower = far->lower;
	LLVMValueRef count = far->counts[direction];
	if (!count)
		return;
	LLVMPositionBuilderBefore(lower->builder, before);
	add_to(lower, field_at(far, far->counters, offsets[direction]),
		LLVMBuildLoad2(lower->builder, lower->i64, count, ""));
	LLVMBuildStore(lower->builder, llvm_u64(lower, 0), count);
}

/*
 * The firmware's operations are the only calls through pointers; library functions call it to find
 * memory, or for good.
 */
static bool leaves(LLVMValueRef instruction)
{
	return LLVMIsAReturnInst(instruction) ||
	       (LLVMIsACallInst(instruction) && !llvm_callee(instruction));
}

void far_flush_counts(struct far *far)
{
	size_t count = 0;
	LLVMValueRef *all = llvm_instructions(far->split.resume, &count);
	for (size_t i = 0; i < count; i++) {
		if (!leaves(all[i]))
			continue;
		flush(far, all[i], FAR_READ);
		flush(far, all[i], FAR_WRITE);
	}
}
