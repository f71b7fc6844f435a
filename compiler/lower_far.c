/*
 * lower_far.c - checks every access to far memory, and points it at the device's own address.
 *
 * Once per resume: base, len, writable and delta of each segment that is used, and for each size of access the
 * first offset at which it no longer fits. Per access, or per group of accesses of one block that share a pointer:
 *
 *     p = va - base < limit ? va + delta : the firmware's search
 *
 * Requires: optimised code, in which accesses are final. Afterwards: no access in address space 1; nkl_ functions
 * are yet to be inlined.
 */
#include <string.h>

#include "compiler/llvm.h"
#include "compiler/lower_segment.h"

/* What is loaded of a segment, and the limits computed from it. */
struct segment {
	LLVMValueRef base, len, writable, delta;
};

struct limit {
	int segment;
	bool write;
	uint64_t nbytes;
	LLVMValueRef value;
};

struct access {
	LLVMValueRef instruction;
	unsigned operand; /* the pointer's */
	LLVMValueRef root;
	int64_t offset; /* from the root */
	uint64_t nbytes;
	bool write;
	bool done;
};

struct far {
	struct split split;
	struct lower *lower;
	LLVMValueRef self;
	LLVMValueRef segments; /* the process's table */
	LLVMValueRef prologue; /* once-per-resume code goes before it */
	struct segment segment[NK_PARAMS_MAX];
	struct limit *limits;
	size_t limit_count;
	struct access *accesses; /* of the block at hand, since the last thing that can leave it */
	size_t access_count;
};

/* ---- once per resume ---------------------------------------------------------------------------- */

static LLVMValueRef load_field(struct far *far, LLVMTypeRef type, LLVMValueRef from, size_t offset)
{
	struct lower *lower = far->lower;
	LLVMValueRef at = LLVMConstInt(lower->i64, offset, 1);
	LLVMValueRef address = LLVMBuildGEP2(lower->builder, lower->i8, from, &at, 1, "");
	return LLVMBuildLoad2(lower->builder, type, address, "");
}

static void build_prologue(struct far *far)
{
	struct lower *lower = far->lower;
	LLVMBasicBlockRef first = LLVMGetEntryBasicBlock(far->split.resume);
	far->prologue = LLVMGetFirstInstruction(first);
	LLVMPositionBuilderBefore(lower->builder, far->prologue);
	LLVMValueRef below = LLVMConstInt(lower->i64, (uint64_t)-sizeof(struct nk_process), 1);
	far->self = LLVMBuildGEP2(
		lower->builder, lower->i8, LLVMGetParam(far->split.resume, 0), &below, 1, "self");
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

/* ---- one check ---------------------------------------------------------------------------------- */

/* A range to be checked, and how its fault finds a place: by a site, or by the parts of a group. */
struct range {
	LLVMValueRef root;
	int64_t offset;
	uint64_t nbytes;
	bool write;
	LLVMValueRef where;
};

/* The device's address of a range; `before` is where it is needed first. */
static LLVMValueRef build_check(struct far *far, LLVMValueRef before, const struct range *range)
{
	struct lower *lower = far->lower;
	LLVMValueRef zero = llvm_u64(lower, 0);
	struct segment segment = {.base = zero, .delta = zero};
	LLVMValueRef limit = zero;
	int number = segment_of(&far->split, range->root);
	if (number >= 0) {
		segment = *use_segment(far, number);
		limit = use_limit(far, number, range->nbytes, range->write);
	}
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

/* ---- groups ------------------------------------------------------------------------------------- */

/* Groups reach no further than this, so that a hull never spans what the program left out. */
enum {
	GROUP_BYTES_MAX = 4096
};

static bool joins(const struct access *first, const struct access *other)
{
	int64_t distance = other->offset - first->offset;
	return !other->done && other->root == first->root && distance < GROUP_BYTES_MAX / 2 &&
	       distance > -GROUP_BYTES_MAX / 2 && other->nbytes < GROUP_BYTES_MAX / 2;
}

/* The constant table that nkl_far_group() reads (struct nkl_group). */
static LLVMValueRef build_table(
	struct far *far, const struct range *range, LLVMValueRef *parts, unsigned count)
{
	struct lower *lower = far->lower;
	LLVMContextRef context = lower->context;
	LLVMValueRef fields[] = {llvm_u64(lower, range->nbytes), llvm_u32(lower, range->write),
		llvm_u32(lower, count), LLVMConstArray2(LLVMTypeOf(parts[0]), parts, count)};
	LLVMValueRef table = LLVMConstStructInContext(context, fields, 4, 0);
	LLVMValueRef global = LLVMAddGlobal(lower->module, LLVMTypeOf(table), "group");
	LLVMSetInitializer(global, table);
	LLVMSetGlobalConstant(global, 1);
	LLVMSetLinkage(global, LLVMPrivateLinkage);
	return global;
}

static LLVMValueRef build_part(
	struct far *far, const struct range *range, const struct access *access)
{
	struct lower *lower = far->lower;
	LLVMValueRef fields[] = {llvm_u32(lower, (uint32_t)(access->offset - range->offset)),
		llvm_u32(lower, (uint32_t)access->nbytes),
		llvm_u32(lower, lower_site(lower, access->instruction, "")),
		llvm_u32(lower, access->write)};
	return LLVMConstStructInContext(lower->context, fields, 4, 0);
}

static struct range hull_of(const struct access *members[], unsigned count)
{
	struct range range = {.root = members[0]->root, .offset = members[0]->offset};
	int64_t end = range.offset;
	for (unsigned i = 0; i < count; i++) {
		int64_t member_end = members[i]->offset + (int64_t)members[i]->nbytes;
		range.offset =
			members[i]->offset < range.offset ? members[i]->offset : range.offset;
		end = member_end > end ? member_end : end;
		range.write |= members[i]->write;
	}
	range.nbytes = (uint64_t)(end - range.offset);
	return range;
}

/* One site when all members come from one place, else the table of parts. */
static LLVMValueRef where_of(
	struct far *far, const struct range *range, const struct access *members[], unsigned count)
{
	struct lower *lower = far->lower;
	uint32_t site = lower_site(lower, members[0]->instruction, "");
	bool same = true;
	LLVMValueRef *parts = pool_alloc(count * sizeof *parts);
	for (unsigned i = 0; i < count; i++) {
		same &= lower_site(lower, members[i]->instruction, "") == site &&
			members[i]->write == members[0]->write;
		parts[i] = build_part(far, range, members[i]);
	}
	return same ? llvm_u32(lower, site) : build_table(far, range, parts, count);
}

static void check_group(struct far *far, struct access *first)
{
	struct lower *lower = far->lower;
	struct access *end = far->accesses + far->access_count;
	const struct access **members = pool_alloc(far->access_count * sizeof *members);
	unsigned count = 0;
	for (struct access *access = first; access < end; access++) {
		if (joins(first, access))
			members[count++] = access;
	}
	struct range range = hull_of(members, count);
	range.where = where_of(far, &range, members, count);
	LLVMValueRef checked = build_check(far, first->instruction, &range);
	for (unsigned i = 0; i < count; i++) {
		struct access *access = far->accesses + (members[i] - far->accesses);
		LLVMPositionBuilderBefore(lower->builder, access->instruction);
		LLVMValueRef at = llvm_u64(lower, (uint64_t)(access->offset - range.offset));
		LLVMValueRef address =
			LLVMBuildGEP2(lower->builder, lower->i8, checked, &at, 1, "");
		LLVMSetOperand(access->instruction, access->operand, address);
		access->done = true;
	}
}

static void check_accesses(struct far *far)
{
	for (size_t i = 0; i < far->access_count; i++) {
		if (!far->accesses[i].done)
			check_group(far, &far->accesses[i]);
	}
	far->access_count = 0;
}

static void add_access(
	struct far *far, LLVMValueRef instruction, unsigned operand, LLVMTypeRef type, bool write)
{
	struct lower *lower = far->lower;
	LLVMValueRef pointer = LLVMGetOperand(instruction, operand);
	if (!llvm_is_pointer_to(pointer, SPACE_FAR))
		return;
	struct access access = {
		.instruction = instruction,
		.operand = operand,
		.nbytes = LLVMStoreSizeOfType(lower->layout, type),
		.write = write,
	};
	access.root = segment_strip(lower, pointer, &access.offset);
	far->accesses = pool_grow(far->accesses, far->access_count, sizeof *far->accesses);
	far->accesses[far->access_count++] = access;
}

/* ---- every instruction -------------------------------------------------------------------------- */

static void check_instruction(struct far *far, LLVMValueRef at)
{
	switch (LLVMGetInstructionOpcode(at)) {
	case LLVMLoad:
		add_access(far, at, 0, LLVMTypeOf(at), false);
		break;
	case LLVMStore:
		add_access(far, at, 1, LLVMTypeOf(LLVMGetOperand(at, 0)), true);
		break;
	case LLVMAtomicRMW:
	case LLVMAtomicCmpXchg:
		add_access(far, at, 0, LLVMTypeOf(LLVMGetOperand(at, 1)), true);
		break;
	case LLVMCall:
		if (!llvm_callee(at) || !LLVMGetIntrinsicID(llvm_callee(at)))
			check_accesses(far);
		break;
	default:
		break;
	}
}

void lower_far(struct lower *lower, LLVMValueRef entry, LLVMValueRef resume)
{
	struct far far = {
		.lower = lower,
		.split = {lower, lower_kernel_of(lower, entry), entry, resume},
	};
	size_t block_count = 0;
	LLVMBasicBlockRef *blocks = llvm_blocks(resume, &block_count);
	build_prologue(&far);
	for (size_t i = 0; i < block_count; i++) {
		LLVMValueRef next;
		for (LLVMValueRef at = LLVMGetFirstInstruction(blocks[i]); at; at = next) {
			next = LLVMGetNextInstruction(at);
			check_instruction(&far, at);
		}
		check_accesses(&far);
	}
}
