/*
 * lower_name.c - what the source calls a private object, for those whose access outside of it ends
 * a process. clang names variables in bitcode; a name that may be of LLVM's making is dropped.
 */
#include "compiler/lower_name.h"

#include <ctype.h>
#include <string.h>

#include "compiler/llvm.h"

/* ---- names that can be trusted --------------------------------------------------------------- */

static bool is_name_of(LLVMValueRef value, const char *name, size_t length)
{
	const char *other = LLVMGetValueName(value);
	return strlen(other) == length && !strncmp(other, name, length);
}

/* LLVM tells values of one name apart by numbers behind it. */
static bool may_be_numbered(
	LLVMValueRef function, const char *name, LLVMValueRef *all, size_t count)
{
	size_t length = strlen(name);
	while (length && isdigit((unsigned char)name[length - 1]))
		length--;
	if (!name[length])
		return false;
	for (size_t i = 0; i < count; i++) {
		if (is_name_of(all[i], name, length))
			return true;
	}
	for (unsigned i = 0; i < LLVMCountParams(function); i++) {
		if (is_name_of(LLVMGetParam(function, i), name, length))
			return true;
	}
	return false;
}

/* Those with a dot are clang's own, but for the memory of parameters. */
static bool is_of_source(LLVMValueRef function, const char *name, LLVMValueRef *all, size_t count)
{
	const char *dot = strchr(name, '.');
	return (!dot || !strcmp(dot, ".addr")) && !may_be_numbered(function, name, all, count);
}

void lower_names_begin(struct lower *lower)
{
	for (LLVMValueRef f = LLVMGetFirstFunction(lower->module); f; f = LLVMGetNextFunction(f)) {
		size_t count = 0;
		LLVMValueRef *all = llvm_instructions(f, &count);
		for (size_t i = 0; i < count; i++) {
			if (LLVMIsAAllocaInst(all[i]) &&
				!is_of_source(f, LLVMGetValueName(all[i]), all, count))
				LLVMSetValueName2(all[i], "", 0);
		}
	}
}

static const char *name_of(LLVMValueRef variable)
{
	const char *name = LLVMGetValueName(variable);
	if (LLVMIsAAllocaInst(variable))
		return pool_format("%.*s", (int)strcspn(name, "."), name);
	const char *dot =
		strchr(name, '.'); /* of a static variable of a function, behind its name */
	if (dot && dot != name && !isdigit((unsigned char)dot[1]))
		name = dot + 1;
	return pool_format("%.*s", (int)strcspn(name, "."), name);
}

/* ---- where a pointer comes from -------------------------------------------------------------- */

struct walk {
	LLVMValueRef seen[32];
	size_t seen_count;
	LLVMValueRef variable;
};

static bool leads_to_one(struct walk *walk, LLVMValueRef pointer)
{
	if (LLVMIsAAllocaInst(pointer) || LLVMIsAGlobalVariable(pointer)) {
		bool same = !walk->variable || walk->variable == pointer;
		walk->variable = pointer;
		return same;
	}
	if (LLVMIsAGetElementPtrInst(pointer) ||
		(LLVMIsAConstantExpr(pointer) && LLVMGetConstOpcode(pointer) == LLVMGetElementPtr))
		return leads_to_one(walk, LLVMGetOperand(pointer, 0));
	bool is_phi = LLVMIsAPHINode(pointer) != NULL;
	if (!is_phi && !LLVMIsASelectInst(pointer))
		return false;
	for (size_t i = 0; i < walk->seen_count; i++) {
		if (walk->seen[i] == pointer)
			return true;
	}
	if (walk->seen_count == sizeof walk->seen / sizeof *walk->seen)
		return false;
	walk->seen[walk->seen_count++] = pointer;
	unsigned first = is_phi ? 0 : 1, end = is_phi ? LLVMCountIncoming(pointer) : 3;
	for (unsigned i = first; i < end; i++) {
		if (!leads_to_one(walk, LLVMGetOperand(pointer, i)))
			return false;
	}
	return true;
}

static LLVMValueRef variable_of(LLVMValueRef pointer)
{
	struct walk walk = {0};
	return leads_to_one(&walk, pointer) ? walk.variable : NULL;
}

static LLVMTypeRef type_of(LLVMValueRef variable)
{
	return LLVMIsAAllocaInst(variable) ? LLVMGetAllocatedType(variable)
					   : LLVMGlobalGetValueType(variable);
}

/* ---- phrases --------------------------------------------------------------------------------- */

static bool is_array(LLVMTypeRef type)
{
	return LLVMGetTypeKind(type) == LLVMArrayTypeKind;
}

static const char *array_phrase(const char *name, uint64_t length)
{
	return *name ? pool_format("%s[%llu]", name, (unsigned long long)length)
		     : pool_format("an array of %llu", (unsigned long long)length);
}

struct named lower_name(struct lower *lower, LLVMValueRef pointer)
{
	LLVMValueRef variable = variable_of(pointer);
	if (!variable)
		return (struct named){"", 1};
	LLVMTypeRef type = type_of(variable);
	const char *name = name_of(variable);
	uint64_t nbytes = LLVMABISizeOfType(lower->layout, type);
	uint64_t unit =
		is_array(type) ? LLVMABISizeOfType(lower->layout, LLVMGetElementType(type)) : 0;
	if (unit)
		return (struct named){array_phrase(name, LLVMGetArrayLength2(type)), unit};
	return (struct named){pool_format("the %llu bytes of %s", (unsigned long long)nbytes,
				      *name ? name : "an object"),
		1};
}

/* clang widens an index for its check and once more for the address. */
static LLVMValueRef unwidened(LLVMValueRef index)
{
	while (LLVMIsAZExtInst(index) || LLVMIsASExtInst(index))
		index = LLVMGetOperand(index, 0);
	return index;
}

/* The address that is formed where an index was right, of the array that was indexed. */
static LLVMValueRef find_element(LLVMBasicBlockRef block, LLVMValueRef index)
{
	for (LLVMValueRef at = LLVMGetFirstInstruction(block); at;
		at = LLVMGetNextInstruction(at)) {
		int count = LLVMIsAGetElementPtrInst(at) ? LLVMGetNumOperands(at) : 0;
		for (int i = 1; i < count; i++) {
			if (unwidened(LLVMGetOperand(at, (unsigned)i)) == unwidened(index))
				return at;
		}
	}
	return NULL;
}

static const char *element_phrase(LLVMValueRef element, uint64_t length)
{
	LLVMValueRef variable = element ? variable_of(LLVMGetOperand(element, 0)) : NULL;
	const char *name = variable ? name_of(variable) : "";
	if (variable && is_array(type_of(variable)) &&
		LLVMGetArrayLength2(type_of(variable)) == length)
		return array_phrase(name, length);
	return *name ? pool_format("an array of %llu in %s", (unsigned long long)length, name)
		     : array_phrase("", length);
}

bool lower_name_index(LLVMValueRef trap, LLVMValueRef *index, const char **phrase)
{
	LLVMValueRef block = LLVMBasicBlockAsValue(LLVMGetInstructionParent(trap));
	LLVMUseRef use = LLVMGetFirstUse(block);
	LLVMValueRef branch = use ? LLVMGetUser(use) : NULL;
	if (!branch || LLVMGetNextUse(use) || !LLVMIsABranchInst(branch) ||
		!LLVMIsConditional(branch))
		return false;
	LLVMValueRef condition = LLVMGetCondition(branch);
	if (!LLVMIsAICmpInst(condition) || !LLVMIsAConstantInt(LLVMGetOperand(condition, 1)))
		return false;
	*index = LLVMGetOperand(condition, 0);
	*phrase = element_phrase(find_element(LLVMGetSuccessor(branch, 0), *index),
		LLVMConstIntGetZExtValue(LLVMGetOperand(condition, 1)));
	return true;
}
