/*
 * lower_far.c - checks every access to far memory, and points it at the device's own address.
 *
 * Once per resume: base, len, writable and delta of each segment that is used, and for each size of
 * access the first offset at which it no longer fits. Per access, or per group of accesses of one
 * block that share a pointer:
 *
 *     p = va - base < limit ? va + delta : the firmware's search
 *
 * Requires: optimised code, in which accesses are final. Afterwards: no access in address space 1;
 * nkl_ functions are yet to be inlined.
 */
#include "compiler/lower_far.h"

#include <string.h>

#include "compiler/llvm.h"

/* ---- groups ---------------------------------------------------------------------------------- */

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

static void count_group(struct far *far, const struct access *members[], unsigned count)
{
	struct lower *lower = far->lower;
	uint64_t read = 0, written = 0;
	for (unsigned i = 0; i < count; i++) {
		read += members[i]->read ? members[i]->nbytes : 0;
		written += members[i]->write ? members[i]->nbytes : 0;
	}
	far_count(far, members[0]->instruction, FAR_READ, llvm_u64(lower, read));
	far_count(far, members[0]->instruction, FAR_WRITE, llvm_u64(lower, written));
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
	count_group(far, members, count);
	struct range range = hull_of(members, count);
	range.where = where_of(far, &range, members, count);
	LLVMValueRef checked = far_check(far, first->instruction, &range);
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
		.read = !LLVMIsAStoreInst(instruction),
		.write = write,
	};
	access.root = segment_strip(lower, pointer, &access.offset);
	far->accesses = pool_grow(far->accesses, far->access_count, sizeof *far->accesses);
	far->accesses[far->access_count++] = access;
}

/* ---- every instruction ----------------------------------------------------------------------- */

/*
 * Can control leave the block here? Then what follows is not checked together with what came
 * before.
 */
static bool is_boundary(LLVMValueRef call)
{
	LLVMValueRef callee = llvm_callee(call);
	return !callee || !LLVMGetIntrinsicID(callee);
}

/* Of memcmp(): the library's functions for far memory, which check. All that is compared counts. */
static void count_comparison(struct far *far, LLVMValueRef call)
{
	const char *name = llvm_callee_name(call);
	LLVMValueRef nbytes = NULL;
	if (!strcmp(name, "nkl_compare_both"))
		far_count(far, call, FAR_READ, nbytes = LLVMGetOperand(call, 3));
	if (nbytes || !strcmp(name, "nkl_compare_to"))
		far_count(far, call, FAR_READ, LLVMGetOperand(call, 3));
}

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
		if (is_boundary(at))
			check_accesses(far);
		if (!far_memory(far, at) && !far_masked(far, at))
			count_comparison(far, at);
		break;
	default:
		break;
	}
}

static bool is_far_operand(LLVMValueRef instruction, unsigned operand)
{
	return llvm_is_pointer_to(LLVMGetOperand(instruction, operand), SPACE_FAR);
}

static bool accesses_far(LLVMValueRef instruction)
{
	unsigned count = (unsigned)LLVMGetNumOperands(instruction);
	bool found = false;
	switch (LLVMGetInstructionOpcode(instruction)) {
	case LLVMStore:
		return is_far_operand(instruction, 1);
	case LLVMLoad:
	case LLVMAtomicRMW:
	case LLVMAtomicCmpXchg:
		return is_far_operand(instruction, 0);
	case LLVMCall:
		if (llvm_calls_intrinsic(instruction, "llvm.ptrmask"))
			return false;
		for (unsigned i = 0; i < count; i++)
			found |= is_far_operand(instruction, i);
		return found;
	default:
		return false;
	}
}

/* Refuses what is left: a form of access that no part of this step knows. */
static void check_nothing_left(struct lower *lower, LLVMValueRef resume)
{
	size_t count = 0;
	LLVMValueRef *all = llvm_instructions(resume, &count);
	for (size_t i = 0; i < count; i++) {
		if (accesses_far(all[i]))
			lower_refuse(lower, all[i],
				"an access to far memory that nprocc cannot check",
				"please report it; another level of optimisation may help");
	}
}

void lower_far(struct lower *lower, LLVMValueRef entry, LLVMValueRef resume)
{
	struct far far;
	size_t block_count = 0;
	LLVMBasicBlockRef *blocks = llvm_blocks(resume, &block_count);
	far_open(&far, lower, entry, resume);
	for (size_t i = 0; i < block_count; i++) {
		LLVMValueRef next;
		for (LLVMValueRef at = LLVMGetFirstInstruction(blocks[i]); at; at = next) {
			next = LLVMGetNextInstruction(at);
			check_instruction(&far, at);
		}
		check_accesses(&far);
	}
	far_flush_counts(&far);
	check_nothing_left(lower, resume);
}
