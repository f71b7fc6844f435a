/* lower_object.c - see lower_object.h. */
#include "compiler/lower_object.h"

#include "compiler/llvm.h"
#include "compiler/lower_table.h"

struct traced {
	LLVMValueRef pointer;
	struct object object;
};

static struct object known(LLVMValueRef size, LLVMValueRef offset)
{
	return (struct object){.size = size, .offset = offset};
}

static struct object unknown(const char *why)
{
	return (struct object){.unknown = why};
}

static void remember(struct tracer *tracer, LLVMValueRef pointer, struct object object)
{
	tracer->traced = pool_grow(tracer->traced, tracer->traced_count, sizeof *tracer->traced);
	tracer->traced[tracer->traced_count++] = (struct traced){pointer, object};
}

static struct object alloca_object(struct tracer *tracer, LLVMValueRef pointer)
{
	struct lower *lower = tracer->lower;
	LLVMValueRef count = LLVMGetOperand(pointer, 0);
	if (!LLVMIsAConstantInt(count))
		return unknown("an array whose length is not a constant");
	uint64_t nbytes = LLVMABISizeOfType(lower->layout, LLVMGetAllocatedType(pointer));
	nbytes *= LLVMConstIntGetZExtValue(count);
	return known(llvm_u64(lower, nbytes), llvm_u64(lower, 0));
}

static struct object global_object(struct tracer *tracer, LLVMValueRef pointer)
{
	struct lower *lower = tracer->lower;
	if (LLVMIsDeclaration(pointer))
		return unknown("a variable that is not defined in this file");
	uint64_t nbytes = LLVMABISizeOfType(lower->layout, LLVMGlobalGetValueType(pointer));
	if (tracer->for_write && LLVMIsGlobalConstant(pointer))
		nbytes = 0;
	return known(llvm_u64(lower, nbytes), llvm_u64(lower, 0));
}

/* ---- offsets of member and element addresses ------------------------------------------------- */

static LLVMValueRef widen(struct lower *lower, LLVMValueRef index)
{
	return LLVMBuildIntCast2(lower->builder, index, lower->i64, 1, "");
}

static LLVMValueRef add_element(
	struct lower *lower, LLVMValueRef offset, LLVMTypeRef type, LLVMValueRef index)
{
	LLVMValueRef size = llvm_u64(lower, LLVMABISizeOfType(lower->layout, type));
	LLVMValueRef bytes = LLVMBuildMul(lower->builder, widen(lower, index), size, "");
	return LLVMBuildAdd(lower->builder, offset, bytes, "");
}

/* The bytes that a getelementptr adds to its pointer. */
static LLVMValueRef bytes_added(struct lower *lower, LLVMValueRef element)
{
	LLVMTypeRef type = LLVMGetGEPSourceElementType(element);
	LLVMValueRef offset =
		add_element(lower, llvm_u64(lower, 0), type, LLVMGetOperand(element, 1));
	int count = LLVMGetNumOperands(element);
	for (int i = 2; i < count; i++) {
		LLVMValueRef index = LLVMGetOperand(element, (unsigned)i);
		if (LLVMGetTypeKind(type) == LLVMStructTypeKind) {
			unsigned member = (unsigned)LLVMConstIntGetZExtValue(index);
			uint64_t at = LLVMOffsetOfElement(lower->layout, type, member);
			offset = LLVMBuildAdd(lower->builder, offset, llvm_u64(lower, at), "");
			type = LLVMStructGetTypeAtIndex(type, member);
		} else {
			type = LLVMGetElementType(type);
			offset = add_element(lower, offset, type, index);
		}
	}
	return offset;
}

LLVMValueRef object_bytes_added(struct lower *lower, LLVMValueRef element)
{
	int count = LLVMGetNumOperands(element);
	for (int i = 1; i < count; i++) {
		if (!LLVMIsAConstantInt(LLVMGetOperand(element, (unsigned)i)))
			return NULL;
	}
	return bytes_added(lower, element); /* of constants: nothing is built */
}

static struct object element_object(struct tracer *tracer, LLVMValueRef pointer)
{
	struct lower *lower = tracer->lower;
	struct object base = object_of(tracer, LLVMGetOperand(pointer, 0));
	if (!base.size)
		return base;
	if (LLVMIsAInstruction(pointer))
		LLVMPositionBuilderBefore(lower->builder, pointer);
	LLVMValueRef added = bytes_added(lower, pointer);
	return known(base.size, LLVMBuildAdd(lower->builder, base.offset, added, ""));
}

/* ---- pointers that are one of several -------------------------------------------------------- */

static struct object select_object(struct tracer *tracer, LLVMValueRef pointer)
{
	struct lower *lower = tracer->lower;
	LLVMValueRef condition = LLVMGetOperand(pointer, 0);
	struct object yes = object_of(tracer, LLVMGetOperand(pointer, 1));
	struct object no = object_of(tracer, LLVMGetOperand(pointer, 2));
	if (!yes.size || !no.size)
		return yes.size ? no : yes;
	LLVMPositionBuilderBefore(lower->builder, pointer);
	return known(LLVMBuildSelect(lower->builder, condition, yes.size, no.size, ""),
		LLVMBuildSelect(lower->builder, condition, yes.offset, no.offset, ""));
}

/* Remembered before its incoming pointers are traced, which may lead back to it. */
static struct object phi_object(struct tracer *tracer, LLVMValueRef pointer)
{
	struct lower *lower = tracer->lower;
	LLVMPositionBuilderBefore(lower->builder, pointer);
	struct object object = known(LLVMBuildPhi(lower->builder, lower->i64, ""),
		LLVMBuildPhi(lower->builder, lower->i64, ""));
	remember(tracer, pointer, object);
	unsigned count = LLVMCountIncoming(pointer);
	const char *why = NULL;
	for (unsigned i = 0; i < count; i++) {
		LLVMBasicBlockRef block = LLVMGetIncomingBlock(pointer, i);
		struct object incoming = object_of(tracer, LLVMGetIncomingValue(pointer, i));
		if (!incoming.size) {
			why = incoming.unknown;
			incoming = known(llvm_u64(lower, 0), llvm_u64(lower, 0));
		}
		LLVMAddIncoming(object.size, &incoming.size, &block, 1);
		LLVMAddIncoming(object.offset, &incoming.offset, &block, 1);
	}
	return why ? unknown(why) : object;
}

/* __builtin_align_down(): as many bytes before as the mask takes away. */
static struct object masked_object(struct tracer *tracer, LLVMValueRef pointer)
{
	struct lower *lower = tracer->lower;
	if (!llvm_calls_intrinsic(pointer, "llvm.ptrmask"))
		return unknown("the result of a call");
	struct object base = object_of(tracer, LLVMGetOperand(pointer, 0));
	if (!base.size)
		return base;
	LLVMPositionBuilderBefore(lower->builder, pointer);
	LLVMValueRef address =
		LLVMBuildPtrToInt(lower->builder, LLVMGetOperand(pointer, 0), lower->i64, "");
	LLVMValueRef mask = LLVMGetOperand(pointer, 1);
	LLVMValueRef gone =
		LLVMBuildAnd(lower->builder, address, LLVMBuildNot(lower->builder, mask, ""), "");
	return known(base.size, LLVMBuildSub(lower->builder, base.offset, gone, ""));
}

static struct object instruction_object(struct tracer *tracer, LLVMValueRef pointer)
{
	switch (LLVMGetInstructionOpcode(pointer)) {
	case LLVMAlloca:
		return alloca_object(tracer, pointer);
	case LLVMGetElementPtr:
		return element_object(tracer, pointer);
	case LLVMSelect:
		return select_object(tracer, pointer);
	case LLVMPHI:
		return phi_object(tracer, pointer);
	case LLVMFreeze:
		return object_of(tracer, LLVMGetOperand(pointer, 0));
	case LLVMCall:
		return masked_object(tracer, pointer);
	case LLVMAddrSpaceCast:
		return unknown("a cast from a far pointer");
	case LLVMIntToPtr:
		return unknown("a cast from an integer");
	case LLVMLoad:
		return table_object(tracer, pointer);
	default:
		return unknown("an expression that hides where it comes from");
	}
}

static struct object trace(struct tracer *tracer, LLVMValueRef pointer)
{
	if (LLVMIsAInstruction(pointer))
		return instruction_object(tracer, pointer);
	if (LLVMIsAArgument(pointer)) /* the entry's argument words */
		return known(llvm_u64(tracer->lower, INT64_MAX), llvm_u64(tracer->lower, 0));
	if (LLVMIsAGlobalVariable(pointer))
		return global_object(tracer, pointer);
	if (LLVMIsAConstantExpr(pointer) && LLVMGetConstOpcode(pointer) == LLVMGetElementPtr)
		return element_object(tracer, pointer);
	if (LLVMIsNull(pointer))
		return known(llvm_u64(tracer->lower, 0), llvm_u64(tracer->lower, 0));
	return unknown("an expression that hides where it comes from");
}

struct object object_of(struct tracer *tracer, LLVMValueRef pointer)
{
	for (size_t i = tracer->traced_count; i-- > 0;) {
		if (tracer->traced[i].pointer == pointer)
			return tracer->traced[i].object;
	}
	struct object object = trace(tracer, pointer);
	remember(tracer, pointer, object);
	return object;
}
