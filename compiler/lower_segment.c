/* lower_segment.c - see lower_segment.h. */
#include "compiler/lower_segment.h"

#include <string.h>

#include "compiler/llvm.h"
#include "compiler/lower_object.h"

enum {
	NO_GUESS = -1
};

/* Sums of constants go no further, so that they never overflow. */
#define OFFSET_MAX ((int64_t)1 << 40)

LLVMValueRef segment_strip(struct lower *lower, LLVMValueRef pointer, int64_t *offset)
{
	*offset = 0;
	while (LLVMIsAGetElementPtrInst(pointer)) {
		LLVMValueRef added = object_bytes_added(lower, pointer);
		int64_t nbytes = added ? LLVMConstIntGetSExtValue(added) : 0;
		if (!added || nbytes > OFFSET_MAX || nbytes < -OFFSET_MAX)
			break;
		if (*offset + nbytes > OFFSET_MAX || *offset + nbytes < -OFFSET_MAX)
			break;
		*offset += nbytes;
		pointer = LLVMGetOperand(pointer, 0);
	}
	return pointer;
}

/* ---- what is kept in the frame --------------------------------------------------------------- */

struct kept {
	int64_t slot;       /* offset in the frame */
	LLVMValueRef store; /* whose value may be replaced while accesses are checked */
};

/* `frame` is how far behind the function's first parameter the frame begins. */
static void find_kept(struct split *split, LLVMValueRef function, int64_t frame)
{
	size_t count = 0;
	LLVMValueRef *all = llvm_instructions(function, &count);
	for (size_t i = 0; i < count; i++) {
		int64_t offset;
		if (!LLVMIsAStoreInst(all[i]))
			continue;
		LLVMValueRef base = segment_strip(split->lower, LLVMGetOperand(all[i], 1), &offset);
		if (base != LLVMGetParam(function, 0))
			continue;
		split->kept = pool_grow(split->kept, split->kept_count, sizeof *split->kept);
		split->kept[split->kept_count++] = (struct kept){offset - frame, all[i]};
	}
}

void segment_open(struct split *split)
{
	find_kept(split, split->entry, sizeof(struct nk_process));
	find_kept(split, split->resume, 0);
}

/* ---- the search ------------------------------------------------------------------------------ */

struct search {
	const struct split *split;
	LLVMValueRef *seen;
	size_t seen_count;
};

static int guess(struct search *search, LLVMValueRef value);

/* True the first time; phis and slots lead around in circles. */
static bool is_new(struct search *search, LLVMValueRef value)
{
	for (size_t i = 0; i < search->seen_count; i++) {
		if (search->seen[i] == value)
			return false;
	}
	search->seen = pool_grow(search->seen, search->seen_count, sizeof *search->seen);
	search->seen[search->seen_count++] = value;
	return true;
}

/* Which far pointer parameter the argument word at this offset is. */
static int guess_word(const struct search *search, int64_t offset)
{
	const struct kernel *kernel = search->split->kernel;
	int64_t at = 0;
	int segment = 0;
	for (unsigned i = 0; i < kernel->param_count && at <= offset; i++) {
		const struct param *param = &kernel->params[i];
		if (at == offset && param->kind == NIMG_FAR)
			return segment;
		segment += param->kind == NIMG_FAR;
		at += param->kind == NIMG_STRUCT ? (param->bytes + 7) / 8 * 8 : 8;
	}
	return NO_GUESS;
}

/* What is kept in this slot of the frame. */
static int guess_kept(struct search *search, int64_t slot)
{
	const struct split *split = search->split;
	for (size_t i = 0; i < split->kept_count; i++) {
		if (split->kept[i].slot != slot)
			continue;
		int found = guess(search, LLVMGetOperand(split->kept[i].store, 0));
		if (found != NO_GUESS)
			return found;
	}
	return NO_GUESS;
}

static int guess_load(struct search *search, LLVMValueRef load)
{
	const struct split *split = search->split;
	LLVMValueRef address = LLVMGetOperand(load, 0);
	if (llvm_is_pointer_to(address, SPACE_FAR))
		return guess(search, address);
	LLVMValueRef function = LLVMGetBasicBlockParent(LLVMGetInstructionParent(load));
	int64_t offset;
	LLVMValueRef base = segment_strip(split->lower, address, &offset);
	if (function == split->entry)
		return base == LLVMGetParam(function, 1) ? guess_word(search, offset) : NO_GUESS;
	if (!strncmp(llvm_callee_name(base), "nkl_check_", strlen("nkl_check_")))
		return guess(search, LLVMGetOperand(base, 1)); /* far memory, checked by now */
	if (base != LLVMGetParam(function, 0))
		return NO_GUESS;
	return guess_kept(search, offset);
}

static int guess_first(struct search *search, LLVMValueRef value, unsigned first, unsigned count)
{
	for (unsigned i = first; i < count; i++) {
		int found = guess(search, LLVMGetOperand(value, i));
		if (found != NO_GUESS)
			return found;
	}
	return NO_GUESS;
}

static int guess(struct search *search, LLVMValueRef value)
{
	if (!LLVMIsAInstruction(value) || !is_new(search, value))
		return NO_GUESS;
	switch (LLVMGetInstructionOpcode(value)) {
	case LLVMLoad:
		return guess_load(search, value);
	case LLVMPHI:
		return guess_first(search, value, 0, LLVMCountIncoming(value));
	case LLVMSelect:
		return guess_first(search, value, 1, 3);
	case LLVMGetElementPtr:
	case LLVMFreeze:
	case LLVMPtrToInt:
	case LLVMIntToPtr:
		return guess(search, LLVMGetOperand(value, 0));
	case LLVMAdd:
	case LLVMSub:
	case LLVMAnd:
	case LLVMOr:
	case LLVMXor:
		return guess_first(search, value, 0, 2);
	case LLVMCall:
		return llvm_calls_intrinsic(value, "llvm.ptrmask")
			       ? guess(search, LLVMGetOperand(value, 0))
			       : NO_GUESS;
	default:
		return NO_GUESS;
	}
}

int segment_of(const struct split *split, LLVMValueRef pointer)
{
	struct search search = {.split = split};
	int found = guess(&search, pointer);
	if (found != NO_GUESS)
		return found;
	for (unsigned i = 0; i < split->kernel->param_count; i++) {
		if (split->kernel->params[i].kind == NIMG_FAR)
			return 0;
	}
	return NO_GUESS;
}
