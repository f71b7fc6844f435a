/*
 * lower_far_memory.c - memcpy, memmove and memset of which a side is far, and prefetches. Small
 * ones of constant size become ordinary checked accesses; the rest calls the library, which checks
 * the whole range and moves it in pieces.
 */
#include "compiler/lower_far.h"

#include "compiler/llvm.h"

/* Up to here LLVM makes loads and stores of a copy, and nobody waits for it. */
enum {
	SMALL_BYTES = 256
};

enum what {
	COPY,
	MOVE,
	SET
};

struct bulk {
	enum what what;
	LLVMValueRef call, to, from, size; /* from: of a set, the byte */
	bool to_is_far, from_is_far;
};

static bool read_bulk(struct bulk *bulk, LLVMValueRef call)
{
	static const struct {
		const char *name;
		enum what what;
	} intrinsics[] = {
		{"llvm.memcpy", COPY},
		{"llvm.memcpy.inline", COPY},
		{"llvm.memmove", MOVE},
		{"llvm.memset", SET},
		{"llvm.memset.inline", SET},
	};
	size_t i = 0, count = sizeof intrinsics / sizeof *intrinsics;
	while (i < count && !llvm_calls_intrinsic(call, intrinsics[i].name))
		i++;
	if (i == count)
		return false;
	*bulk = (struct bulk){
		.what = intrinsics[i].what,
		.call = call,
		.to = LLVMGetOperand(call, 0),
		.from = LLVMGetOperand(call, 1),
		.size = LLVMGetOperand(call, 2),
	};
	bulk->to_is_far = llvm_is_pointer_to(bulk->to, SPACE_FAR);
	bulk->from_is_far = llvm_is_pointer_to(bulk->from, SPACE_FAR);
	return bulk->to_is_far || bulk->from_is_far;
}

static LLVMValueRef site_of(struct far *far, const struct bulk *bulk)
{
	return llvm_u32(far->lower, lower_site(far->lower, bulk->call, ""));
}

/* ---- small ones ------------------------------------------------------------------------------ */

static LLVMValueRef check_side(
	struct far *far, const struct bulk *bulk, LLVMValueRef pointer, bool write)
{
	struct range range = {
		.nbytes = LLVMConstIntGetZExtValue(bulk->size),
		.write = write,
		.where = site_of(far, bulk),
	};
	range.root = segment_strip(far->lower, pointer, &range.offset);
	far_count(
		far, bulk->call, write ? FAR_WRITE : FAR_READ, llvm_u64(far->lower, range.nbytes));
	return far_check(far, bulk->call, &range);
}

static void replace_small(struct far *far, const struct bulk *bulk)
{
	LLVMBuilderRef builder = far->lower->builder;
	LLVMValueRef to = bulk->to_is_far ? check_side(far, bulk, bulk->to, true) : bulk->to;
	LLVMValueRef from =
		bulk->from_is_far ? check_side(far, bulk, bulk->from, false) : bulk->from;
	unsigned to_align = llvm_argument_align(bulk->call, 0);
	unsigned from_align = llvm_argument_align(bulk->call, 1);
	LLVMPositionBuilderBefore(builder, bulk->call);
	if (bulk->what == SET)
		LLVMBuildMemSet(builder, to, from, bulk->size, to_align);
	else if (bulk->what == COPY)
		LLVMBuildMemCpy(builder, to, to_align, from, from_align, bulk->size);
	else
		LLVMBuildMemMove(builder, to, to_align, from, from_align, bulk->size);
}

/* ---- large ones ------------------------------------------------------------------------------ */

static LLVMValueRef as_word(struct far *far, LLVMValueRef pointer)
{
	return LLVMBuildPtrToInt(far->lower->builder, pointer, far->lower->i64, "");
}

static void replace_large(struct far *far, const struct bulk *bulk)
{
	struct lower *lower = far->lower;
	LLVMPositionBuilderBefore(lower->builder, bulk->call);
	LLVMValueRef size = LLVMBuildIntCast2(lower->builder, bulk->size, lower->i64, 0, "");
	if (bulk->to_is_far)
		far_count(far, bulk->call, FAR_WRITE, size);
	if (bulk->from_is_far)
		far_count(far, bulk->call, FAR_READ, size);
	LLVMValueRef to = bulk->to_is_far ? as_word(far, bulk->to) : bulk->to;
	LLVMValueRef from = bulk->from_is_far ? as_word(far, bulk->from) : bulk->from;
	const char *function = "nkl_copy_far";
	if (bulk->what == SET) {
		function = "nkl_set_far";
		from = LLVMBuildIntCast2(lower->builder, from, lower->i32, 0, "");
	} else if (!bulk->to_is_far) {
		function = "nkl_copy_in";
	} else if (!bulk->from_is_far) {
		function = "nkl_copy_out";
	}
	LLVMValueRef args[] = {far->self, to, from, size, site_of(far, bulk)};
	llvm_call(lower, function, lower->nothing, args, 5);
}

/* A prefetch needs no check: it changes nothing and cannot fault. */
static void replace_prefetch(struct far *far, LLVMValueRef call)
{
	struct lower *lower = far->lower;
	struct segment segment;
	LLVMValueRef limit;
	far_use(far, LLVMGetOperand(call, 0), 1, false, &segment, &limit);
	LLVMPositionBuilderBefore(lower->builder, call);
	LLVMValueRef va =
		LLVMBuildPtrToInt(lower->builder, LLVMGetOperand(call, 0), lower->i64, "");
	LLVMValueRef address = LLVMBuildIntToPtr(lower->builder,
		LLVMBuildAdd(lower->builder, va, segment.delta, ""), lower->pointer, "");
	LLVMValueRef args[] = {
		address, LLVMGetOperand(call, 1), LLVMGetOperand(call, 2), LLVMGetOperand(call, 3)};
	llvm_intrinsic(lower, "llvm.prefetch", &lower->pointer, 1, args, 4);
	LLVMInstructionEraseFromParent(call);
}

bool far_memory(struct far *far, LLVMValueRef call)
{
	if (llvm_calls_intrinsic(call, "llvm.prefetch") &&
		llvm_is_pointer_to(LLVMGetOperand(call, 0), SPACE_FAR)) {
		replace_prefetch(far, call);
		return true;
	}
	struct bulk bulk;
	if (!read_bulk(&bulk, call))
		return false;
	if (LLVMIsAConstantInt(bulk.size) && LLVMConstIntGetZExtValue(bulk.size) <= SMALL_BYTES)
		replace_small(far, &bulk);
	else
		replace_large(far, &bulk);
	LLVMInstructionEraseFromParent(call);
	return true;
}
