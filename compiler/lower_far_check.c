/* lower_far_check.c - one check: what it needs once per resume, and the check itself. */
#include "compiler/lower_far.h"

#include "compiler/llvm.h"

/* ---- once per resume ------------------------------------------------------------------------- */

static LLVMValueRef load_field(struct far *far, LLVMTypeRef type, LLVMValueRef from, size_t offset)
{
	struct lower *lower = far->lower;
	LLVMValueRef at = LLVMConstInt(lower->i64, offset, 1);
	LLVMValueRef address = LLVMBuildGEP2(lower->builder, lower->i8, from, &at, 1, "");
	return LLVMBuildLoad2(lower->builder, type, address, "");
}

void far_open(struct far *far, struct lower *lower, LLVMValueRef entry, LLVMValueRef resume)
{
	*far = (struct far){
		.lower = lower,
		.split = {.lower = lower,
			.kernel = lower_kernel_of(lower, entry),
			.entry = entry,
			.resume = resume},
	};
	segment_open(&far->split);
	far->prologue = LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(resume));
	LLVMPositionBuilderBefore(lower->builder, far->prologue);
	LLVMValueRef below = LLVMConstInt(lower->i64, (uint64_t)-sizeof(struct nk_process), 1);
	far->self = LLVMBuildGEP2(
		lower->builder, lower->i8, LLVMGetParam(resume, 0), &below, 1, "self");
	far->segments =
		load_field(far, lower->pointer, far->self, offsetof(struct nk_process, segments));
}

static const struct segment *use_segment(struct far *far, int number)
{
	struct segment *segment = &far->segment[number];
	struct lower *lower = far->lower;
	if (segment->base)
		return segment;
	size_t at = (size_t)number * sizeof(struct nk_segment);
	LLVMPositionBuilderBefore(lower->builder, far->prologue);
	segment->base =
		load_field(far, lower->i64, far->segments, at + offsetof(struct nk_segment, base));
	segment->len =
		load_field(far, lower->i64, far->segments, at + offsetof(struct nk_segment, len));
	segment->writable = load_field(
		far, lower->i64, far->segments, at + offsetof(struct nk_segment, writable));
	segment->delta =
		load_field(far, lower->i64, far->segments, at + offsetof(struct nk_segment, delta));
	return segment;
}

static LLVMValueRef use_limit(struct far *far, int number, uint64_t nbytes, bool write)
{
	for (size_t i = 0; i < far->limit_count; i++) {
		const struct limit *limit = &far->limits[i];
		if (limit->segment == number && limit->nbytes == nbytes && limit->write == write)
			return limit->value;
	}
	const struct segment *segment = use_segment(far, number);
	struct lower *lower = far->lower;
	LLVMPositionBuilderBefore(lower->builder, far->prologue);
	LLVMValueRef args[] = {write ? segment->writable : segment->len, llvm_u64(lower, nbytes)};
	LLVMValueRef value = llvm_call(lower, "nkl_limit", lower->i64, args, 2);
	far->limits = pool_grow(far->limits, far->limit_count, sizeof *far->limits);
	far->limits[far->limit_count++] = (struct limit){number, write, nbytes, value};
	return value;
}

/* ---- one check ------------------------------------------------------------------------------- */

void far_use(struct far *far, LLVMValueRef pointer, uint64_t nbytes, bool write,
	struct segment *segment, LLVMValueRef *limit)
{
	LLVMValueRef zero = llvm_u64(far->lower, 0);
	int number = segment_of(&far->split, pointer);
	*segment = (struct segment){.base = zero, .delta = zero};
	*limit = zero;
	if (number < 0)
		return;
	*segment = *use_segment(far, number);
	*limit = use_limit(far, number, nbytes, write);
}

LLVMValueRef far_check(struct far *far, LLVMValueRef before, const struct range *range)
{
	struct lower *lower = far->lower;
	struct segment segment;
	LLVMValueRef limit;
	far_use(far, range->root, range->nbytes, range->write, &segment, &limit);
	LLVMPositionBuilderBefore(lower->builder, before);
	LLVMValueRef offset = LLVMConstInt(lower->i64, (uint64_t)range->offset, 1);
	LLVMValueRef va = LLVMBuildPtrToInt(lower->builder, range->root, lower->i64, "");
	va = LLVMBuildAdd(lower->builder, va, offset, "");
	if (llvm_is_pointer_to(range->where, SPACE_PRIVATE)) {
		LLVMValueRef args[] = {
			far->self, va, segment.base, limit, segment.delta, range->where};
		return llvm_call(lower, "nkl_check_group", lower->pointer, args, 6);
	}
	LLVMValueRef args[] = {far->self, va, segment.base, limit, segment.delta,
		llvm_u64(lower, range->nbytes), range->where};
	const char *check = range->write ? "nkl_check_write" : "nkl_check_read";
	return llvm_call(lower, check, lower->pointer, args, 7);
}
