/*
 * lower_far_masked.c - vector loads and stores with a mask, which the vectoriser makes of `if
 * (a[i]) sum += b[i]`: lanes that do not count may lie outside the segment. library/masked.c says
 * how they are done.
 */
#include "compiler/lower_far.h"

#include "compiler/llvm.h"

struct masked {
	LLVMValueRef call, pointer, mask;
	LLVMTypeRef type;
	bool write;
	LLVMValueRef va, bits, lane_bytes, buffer, site;
	struct segment segment;
	LLVMValueRef limit;
};

static bool read_masked(struct masked *masked, LLVMValueRef call)
{
	bool write = llvm_calls_intrinsic(call, "llvm.masked.store");
	if (!write && !llvm_calls_intrinsic(call, "llvm.masked.load"))
		return false;
	*masked = (struct masked){
		.call = call,
		.pointer = LLVMGetOperand(call, write ? 1 : 0),
		.mask = LLVMGetOperand(call, write ? 3 : 2),
		.type = write ? LLVMTypeOf(LLVMGetOperand(call, 0)) : LLVMTypeOf(call),
		.write = write,
	};
	return llvm_is_pointer_to(masked->pointer, SPACE_FAR);
}

/* Private memory for one vector. */
static LLVMValueRef build_buffer(struct far *far, LLVMTypeRef type)
{
	LLVMBuilderRef builder = far->lower->builder;
	LLVMPositionBuilderBefore(builder, far->prologue);
	return LLVMBuildAlloca(builder, type, "lanes");
}

/* The lanes that count. */
static void count_lanes(struct far *far, const struct masked *masked)
{
	struct lower *lower = far->lower;
	LLVMValueRef bits = masked->bits;
	LLVMValueRef lanes = llvm_intrinsic(lower, "llvm.ctpop", &lower->i64, 1, &bits, 1);
	far_count(far, masked->call, masked->write ? FAR_WRITE : FAR_READ,
		LLVMBuildMul(lower->builder, lanes, masked->lane_bytes, ""));
}

static void build_operands(struct far *far, struct masked *masked)
{
	struct lower *lower = far->lower;
	LLVMBuilderRef builder = lower->builder;
	unsigned lanes = LLVMGetVectorSize(masked->type);
	uint64_t nbytes = LLVMStoreSizeOfType(lower->layout, masked->type);
	far_use(far, masked->pointer, nbytes, masked->write, &masked->segment, &masked->limit);
	masked->buffer = build_buffer(far, masked->type);
	masked->lane_bytes = llvm_u64(lower, nbytes / lanes);
	masked->site = llvm_u32(lower, lower_site(lower, masked->call, ""));
	LLVMPositionBuilderBefore(builder, masked->call);
	masked->va = LLVMBuildPtrToInt(builder, masked->pointer, lower->i64, "");
	LLVMTypeRef bits = LLVMIntTypeInContext(lower->context, lanes);
	masked->bits = LLVMBuildIntCast2(
		builder, LLVMBuildBitCast(builder, masked->mask, bits, ""), lower->i64, 0, "");
}

static void replace_load(struct far *far, const struct masked *masked)
{
	struct lower *lower = far->lower;
	LLVMValueRef begin[] = {far->self, masked->va, masked->segment.base, masked->limit,
		masked->segment.delta, masked->lane_bytes, masked->bits, masked->buffer,
		masked->site};
	LLVMValueRef at = llvm_call(lower, "nkl_begin_masked_read", lower->pointer, begin, 9);
	LLVMTypeRef types[] = {masked->type, lower->pointer};
	LLVMValueRef args[] = {
		at, LLVMGetOperand(masked->call, 1), masked->mask, LLVMGetOperand(masked->call, 3)};
	LLVMValueRef loaded = llvm_intrinsic(lower, "llvm.masked.load", types, 2, args, 4);
	LLVMReplaceAllUsesWith(masked->call, loaded);
}

static void replace_store(struct far *far, const struct masked *masked)
{
	struct lower *lower = far->lower;
	LLVMValueRef begin[] = {masked->va, masked->segment.base, masked->limit,
		masked->segment.delta, masked->buffer};
	LLVMValueRef at = llvm_call(lower, "nkl_begin_masked_write", lower->pointer, begin, 5);
	LLVMTypeRef types[] = {masked->type, lower->pointer};
	LLVMValueRef args[] = {
		LLVMGetOperand(masked->call, 0), at, LLVMGetOperand(masked->call, 2), masked->mask};
	llvm_intrinsic(lower, "llvm.masked.store", types, 2, args, 4);
	LLVMValueRef end[] = {far->self, at, masked->va, masked->lane_bytes, masked->bits,
		masked->buffer, masked->site};
	llvm_call(lower, "nkl_end_masked_write", lower->nothing, end, 7);
}

bool far_masked(struct far *far, LLVMValueRef call)
{
	struct masked masked;
	if (!read_masked(&masked, call))
		return false;
	build_operands(far, &masked);
	count_lanes(far, &masked);
	if (masked.write)
		replace_store(far, &masked);
	else
		replace_load(far, &masked);
	LLVMInstructionEraseFromParent(call);
	return true;
}
