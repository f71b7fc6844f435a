/*
 * lower_separate.c - tells the optimiser that far and private memory never overlap: each far access
 * gets the alias scope "far", each private one a noalias mark for it. Without that no private
 * variable whose address was ever given away could stay in a register across an access to far
 * memory, and no loop that has both were vectorised.
 *
 * Requires: address spaces 0 and 1 still mean private and far. Done before and after the coroutine
 * is split, which makes accesses of its own.
 */
#include <string.h>

#include "compiler/llvm.h"

static LLVMMetadataRef string(struct lower *lower, const char *text)
{
	return LLVMMDStringInContext2(lower->context, text, strlen(text));
}

/* !{!"far", !{!"memory"}} */
static LLVMMetadataRef far_scope(struct lower *lower)
{
	LLVMMetadataRef name = string(lower, "nearside.memory");
	LLVMMetadataRef domain = LLVMMDNodeInContext2(lower->context, &name, 1);
	LLVMMetadataRef scope[] = {string(lower, "nearside.far"), domain};
	return LLVMMDNodeInContext2(lower->context, scope, 2);
}

/* Adds the scope to a list of scopes, which inlined `restrict` pointers may have begun. */
static void add_scope(
	struct lower *lower, LLVMValueRef access, const char *list, LLVMMetadataRef scope)
{
	enum {
		SCOPES_MAX = 64
	};
	unsigned kind = LLVMGetMDKindIDInContext(lower->context, list, (unsigned)strlen(list));
	LLVMValueRef old = LLVMGetMetadata(access, kind);
	LLVMValueRef scopes[SCOPES_MAX];
	LLVMMetadataRef all[SCOPES_MAX + 1];
	unsigned count = old ? (unsigned)LLVMGetMDNodeNumOperands(old) : 0;
	if (count > SCOPES_MAX)
		return;
	if (old)
		LLVMGetMDNodeOperands(old, scopes);
	for (unsigned i = 0; i < count; i++) {
		all[i] = LLVMValueAsMetadata(scopes[i]);
		if (all[i] == scope)
			return;
	}
	all[count] = scope;
	LLVMMetadataRef longer = LLVMMDNodeInContext2(lower->context, all, count + 1);
	LLVMSetMetadata(access, kind, LLVMMetadataAsValue(lower->context, longer));
}

static LLVMValueRef accessed_pointer(LLVMValueRef instruction)
{
	switch (LLVMGetInstructionOpcode(instruction)) {
	case LLVMLoad:
	case LLVMAtomicRMW:
	case LLVMAtomicCmpXchg:
		return LLVMGetOperand(instruction, 0);
	case LLVMStore:
		return LLVMGetOperand(instruction, 1);
	default:
		return NULL;
	}
}

void lower_separate(struct lower *lower, LLVMValueRef function)
{
	LLVMMetadataRef scope = far_scope(lower);
	size_t count = 0;
	LLVMValueRef *all = llvm_instructions(function, &count);
	for (size_t i = 0; i < count; i++) {
		LLVMValueRef pointer = accessed_pointer(all[i]);
		if (pointer)
			add_scope(lower, all[i],
				llvm_is_pointer_to(pointer, SPACE_FAR) ? "alias.scope" : "noalias",
				scope);
	}
}
