/*
 * lower_kill.c - lets the host end a process in any loop: where a loop goes back, it compares the
 * core's attention word with the process's own number and leaves when they are equal, for good.
 *
 * Requires: the resume function after optimisation and far checks, so that loops are what they will
 * be. Breaks nothing; nkl_poll() is yet to be inlined.
 */
#include <string.h>

#include "compiler/llvm.h"

enum visit {
	UNSEEN,
	OPEN,
	DONE
};

struct walk {
	LLVMBasicBlockRef *blocks;
	enum visit *visits;
	bool *goes_back;
	size_t count;
};

static size_t index_of(const struct walk *walk, LLVMBasicBlockRef block)
{
	size_t i = 0;
	while (walk->blocks[i] != block)
		i++;
	return i;
}

/* Depth first without recursion: an edge to a block that is still open goes back. */
static void find_back_edges(struct walk *walk)
{
	size_t *stack = pool_alloc((walk->count + 1) * sizeof *stack);
	unsigned *next = pool_alloc((walk->count + 1) * sizeof *next);
	size_t depth = 1; /* the entry, blocks[0], is at the bottom */
	walk->visits[0] = OPEN;
	while (depth > 0) {
		size_t at = stack[depth - 1];
		LLVMValueRef end = LLVMGetBasicBlockTerminator(walk->blocks[at]);
		if (next[depth - 1] == LLVMGetNumSuccessors(end)) {
			walk->visits[at] = DONE;
			depth--;
			continue;
		}
		size_t to = index_of(walk, LLVMGetSuccessor(end, next[depth - 1]++));
		if (walk->visits[to] == OPEN)
			walk->goes_back[at] = true;
		if (walk->visits[to] != UNSEEN)
			continue;
		walk->visits[to] = OPEN;
		stack[depth] = to;
		next[depth++] = 0;
	}
}

struct words {
	LLVMValueRef self, attention, id;
};

static LLVMValueRef load_word(
	struct lower *lower, LLVMTypeRef type, LLVMValueRef from, size_t offset)
{
	LLVMValueRef at = llvm_u64(lower, offset);
	LLVMValueRef address = LLVMBuildGEP2(lower->builder, lower->i8, from, &at, 1, "");
	return LLVMBuildLoad2(lower->builder, type, address, "");
}

/* Once per resume: where to look, and for what. */
static struct words load_words(struct lower *lower, LLVMValueRef resume)
{
	LLVMBasicBlockRef first = LLVMGetEntryBasicBlock(resume);
	LLVMPositionBuilderBefore(lower->builder, LLVMGetFirstInstruction(first));
	LLVMValueRef below = LLVMConstInt(lower->i64, (uint64_t)-sizeof(struct nk_process), 1);
	LLVMValueRef self = LLVMBuildGEP2(
		lower->builder, lower->i8, LLVMGetParam(resume, 0), &below, 1, "self");
	LLVMValueRef ops = load_word(lower, lower->pointer, self, offsetof(struct nk_process, ops));
	return (struct words){
		.self = self,
		.attention =
			load_word(lower, lower->pointer, ops, offsetof(struct nk_ops, attention)),
		.id = load_word(lower, lower->i64, self, offsetof(struct nk_process, self)),
	};
}

void lower_kill(struct lower *lower, LLVMValueRef resume)
{
	struct walk walk = {0};
	walk.blocks = llvm_blocks(resume, &walk.count);
	walk.visits = pool_alloc(walk.count * sizeof *walk.visits);
	walk.goes_back = pool_alloc(walk.count * sizeof *walk.goes_back);
	find_back_edges(&walk);
	struct words words = load_words(lower, resume);
	for (size_t i = 0; i < walk.count; i++) {
		if (!walk.goes_back[i])
			continue;
		LLVMPositionBuilderBefore(
			lower->builder, LLVMGetBasicBlockTerminator(walk.blocks[i]));
		LLVMValueRef args[] = {words.self, words.attention, words.id};
		llvm_call(lower, "nkl_poll", lower->nothing, args, 3);
	}
}
