/*
 * lower_bounds.c - checks every access to private memory, and turns mistakes into faults with a
 * place.
 *
 *   loads, stores, atomics, memcpy and its like, buffers given to the library   nkl_check_private()
 *   atomics on far memory                                                       nkl_check_aligned()
 *   traps that clang placed for array indices, unreachable code, nproc_assert   nkl_fault_here()
 *
 * An access whose object is not known is refused: a private pointer that cannot be checked does not
 * exist.
 *
 * Requires: everything of the user's inlined, values concrete; the library not there yet, which is
 * trusted and not checked. Afterwards: no private access outside its object.
 */
#include <string.h>

#include "compiler/llvm.h"
#include "compiler/lower_object.h"

struct checker {
	struct lower *lower;
	struct kernel *kernel;
	struct tracer reads;
	struct tracer writes;
};

/* ---- private memory -------------------------------------------------------------------------- */

/* lim as of a far access: the first offset at which nbytes no longer fit. */
static LLVMValueRef limit_of(struct lower *lower, LLVMValueRef size, LLVMValueRef nbytes)
{
	LLVMBuilderRef builder = lower->builder;
	LLVMValueRef fits = LLVMBuildICmp(builder, LLVMIntULE, nbytes, size, "");
	LLVMValueRef room = LLVMBuildSub(builder, size, nbytes, "");
	LLVMValueRef limit = LLVMBuildAdd(builder, room, llvm_u64(lower, 1), "");
	return LLVMBuildSelect(builder, fits, limit, llvm_u64(lower, 0), "");
}

static bool is_known_good(LLVMValueRef offset, LLVMValueRef limit)
{
	return LLVMIsAConstantInt(offset) && LLVMIsAConstantInt(limit) &&
	       LLVMConstIntGetZExtValue(offset) < LLVMConstIntGetZExtValue(limit);
}

/* False: it is not known, which is refused. */
static bool find_object(struct checker *checker, LLVMValueRef instruction, LLVMValueRef pointer,
	bool write, struct object *object)
{
	*object = object_of(write ? &checker->writes : &checker->reads, pointer);
	if (!object->size)
		lower_refuse(checker->lower, instruction,
			pool_format("access through %s", object->unknown),
			"a private pointer must come from an object in sight: index an array, or pass "
			"the pointer as an argument");
	return object->size;
}

static void check_object(struct checker *checker, LLVMValueRef instruction, LLVMValueRef pointer,
	LLVMValueRef nbytes, bool write)
{
	struct lower *lower = checker->lower;
	struct object object;
	if (!llvm_is_pointer_to(pointer, SPACE_PRIVATE) ||
		!find_object(checker, instruction, pointer, write, &object))
		return;
	LLVMPositionBuilderBefore(lower->builder, instruction);
	LLVMValueRef limit = limit_of(lower, object.size, nbytes);
	if (is_known_good(object.offset, limit))
		return;
	LLVMValueRef site = llvm_u32(lower, lower_site(lower, instruction, ""));
	LLVMValueRef args[] = {object.offset, limit, site};
	llvm_call(lower, "nkl_check_private", lower->nothing, args, 3);
}

static void check_aligned(
	struct lower *lower, LLVMValueRef instruction, LLVMValueRef pointer, LLVMTypeRef type)
{
	LLVMPositionBuilderBefore(lower->builder, instruction);
	LLVMValueRef args[] = {LLVMBuildPtrToInt(lower->builder, pointer, lower->i64, ""),
		llvm_u64(lower, LLVMStoreSizeOfType(lower->layout, type)),
		llvm_u32(lower, lower_site(lower, instruction, ""))};
	llvm_call(lower, "nkl_check_aligned", lower->nothing, args, 3);
}

static void check_access(struct checker *checker, LLVMValueRef instruction, unsigned pointer,
	LLVMTypeRef type, bool write)
{
	LLVMValueRef nbytes =
		llvm_u64(checker->lower, LLVMStoreSizeOfType(checker->lower->layout, type));
	LLVMValueRef address = LLVMGetOperand(instruction, pointer);
	if (llvm_is_atomic(instruction) && llvm_is_pointer_to(address, SPACE_FAR))
		check_aligned(checker->lower, instruction, address, type);
	if (llvm_is_pointer_to(address, SPACE_FAR))
		checker->kernel->far_accesses++;
	check_object(checker, instruction, address, nbytes, write);
}

/* ---- calls ----------------------------------------------------------------------------------- */

/* Operands of calls that point to private memory, and what says how many bytes. */
static const struct {
	const char *function;
	unsigned pointer;
	unsigned count;
	unsigned unit; /* bytes per count */
	bool write;
} buffers[] = {
	{"nk_read", 1, 2, 1, true},
	{"nk_read_full", 1, 2, 1, true},
	{"nk_write", 1, 2, 1, false},
	{"nk_get", 0, 2, 1, true},
	{"nk_put", 1, 2, 1, false},
	{"nk_log", 1, 2, 8, false},
	{"nkl_compare_private", 0, 2, 1, false},
	{"nkl_compare_private", 1, 2, 1, false},
	{"nkl_compare_mixed", 0, 2, 1, false},
};

static const struct {
	const char *name;
	bool reads; /* its operand 1 */
} memory_intrinsics[] = {
	{"llvm.memcpy", true},
	{"llvm.memcpy.inline", true},
	{"llvm.memmove", true},
	{"llvm.memset", false},
	{"llvm.memset.inline", false},
};

/* A product that would wrap is more than any object has. */
static LLVMValueRef bytes_of(struct lower *lower, LLVMValueRef count, unsigned unit)
{
	LLVMBuilderRef builder = lower->builder;
	LLVMValueRef most = llvm_u64(lower, UINT64_MAX / unit);
	LLVMValueRef wraps = LLVMBuildICmp(builder, LLVMIntUGT, count, most, "");
	LLVMValueRef nbytes = LLVMBuildMul(builder, count, llvm_u64(lower, unit), "");
	return LLVMBuildSelect(builder, wraps, llvm_u64(lower, UINT64_MAX), nbytes, "");
}

/* The string is the kernel's as far as it is printed. */
static void check_string(struct checker *checker, LLVMValueRef call)
{
	struct lower *lower = checker->lower;
	LLVMValueRef string = LLVMGetOperand(call, 0);
	struct object object;
	if (!find_object(checker, call, string, false, &object))
		return;
	LLVMPositionBuilderBefore(lower->builder, call);
	LLVMValueRef args[] = {string, object.offset, object.size, lower_log_limit(lower, call),
		llvm_u32(lower, lower_site(lower, call, ""))};
	LLVMReplaceAllUsesWith(call, llvm_call(lower, "nkl_log_string", lower->i64, args, 5));
	LLVMInstructionEraseFromParent(call);
}

static void check_library_call(struct checker *checker, LLVMValueRef call)
{
	struct lower *lower = checker->lower;
	const char *name = llvm_callee_name(call);
	if (!strcmp(name, "nk_log"))
		lower_log(lower, call);
	if (!strcmp(name, "nkl_compare_mixed") || !strcmp(name, "nkl_compare_far") ||
		!strcmp(name, "nk_get") || !strcmp(name, "nk_put"))
		checker->kernel->far_accesses++;
	for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++) {
		if (strcmp(name, buffers[i].function))
			continue;
		LLVMPositionBuilderBefore(lower->builder, call);
		LLVMValueRef nbytes =
			bytes_of(lower, LLVMGetOperand(call, buffers[i].count), buffers[i].unit);
		check_object(checker, call, LLVMGetOperand(call, buffers[i].pointer), nbytes,
			buffers[i].write);
	}
}

static void check_memory_intrinsic(struct checker *checker, LLVMValueRef call)
{
	struct lower *lower = checker->lower;
	for (size_t i = 0; i < sizeof memory_intrinsics / sizeof *memory_intrinsics; i++) {
		if (!llvm_calls_intrinsic(call, memory_intrinsics[i].name))
			continue;
		LLVMPositionBuilderBefore(lower->builder, call);
		LLVMValueRef nbytes = LLVMBuildIntCast2(
			lower->builder, LLVMGetOperand(call, 2), lower->i64, 0, "");
		bool reads = memory_intrinsics[i].reads;
		if (llvm_is_pointer_to(LLVMGetOperand(call, 0), SPACE_FAR) ||
			(reads && llvm_is_pointer_to(LLVMGetOperand(call, 1), SPACE_FAR)))
			checker->kernel->far_accesses++;
		check_object(checker, call, LLVMGetOperand(call, 0), nbytes, true);
		if (reads)
			check_object(checker, call, LLVMGetOperand(call, 1), nbytes, false);
	}
}

/* ---- faults ---------------------------------------------------------------------------------- */

/* clang's -fsanitize-trap is asked for array indices alone. */
static enum nk_fault fault_of_trap(LLVMValueRef call)
{
	return llvm_calls_intrinsic(call, "llvm.ubsantrap") ? NK_FAULT_BOUNDS : NK_FAULT_TRAP;
}

static bool is_trap(LLVMValueRef call)
{
	return llvm_calls_intrinsic(call, "llvm.ubsantrap") ||
	       llvm_calls_intrinsic(call, "llvm.trap") ||
	       llvm_calls_intrinsic(call, "llvm.debugtrap");
}

/* After a call that does not return nothing needs to be said. */
static void check_unreachable(struct lower *lower, LLVMValueRef unreachable)
{
	LLVMValueRef before = LLVMGetPreviousInstruction(unreachable);
	if (before &&
		(llvm_never_returns(before) || !strcmp(llvm_callee_name(before), "nkl_fault_here")))
		return;
	lower_fault_before(lower, unreachable, NK_FAULT_UNREACHABLE, "");
}

/* ---- every instruction ----------------------------------------------------------------------- */

static const char *condition_of(LLVMValueRef call)
{
	const char *text = llvm_literal(LLVMGetOperand(call, 0));
	return text ? text : "";
}

static void check_call(struct checker *checker, LLVMValueRef call)
{
	if (is_trap(call))
		lower_replace_by_fault(checker->lower, call, fault_of_trap(call), "");
	else if (!strcmp(llvm_callee_name(call), "nk_assert_failed"))
		lower_replace_by_fault(checker->lower, call, NK_FAULT_ASSERT, condition_of(call));
	else if (!strcmp(llvm_callee_name(call), "nk_log_string"))
		check_string(checker, call);
	else if (!LLVMGetIntrinsicID(llvm_callee(call)))
		check_library_call(checker, call);
	else
		check_memory_intrinsic(checker, call);
}

static void check_instruction(struct checker *checker, LLVMValueRef at)
{
	switch (LLVMGetInstructionOpcode(at)) {
	case LLVMLoad:
		check_access(checker, at, 0, LLVMTypeOf(at), false);
		break;
	case LLVMStore:
		check_access(checker, at, 1, LLVMTypeOf(LLVMGetOperand(at, 0)), true);
		break;
	case LLVMAtomicRMW:
	case LLVMAtomicCmpXchg:
		check_access(checker, at, 0, LLVMTypeOf(LLVMGetOperand(at, 1)), true);
		break;
	case LLVMCall:
		check_call(checker, at);
		break;
	case LLVMUnreachable:
		check_unreachable(checker->lower, at);
		break;
	default:
		break;
	}
}

static void check_kernel(struct lower *lower, struct kernel *kernel)
{
	LLVMValueRef entry = lower_entry(lower, kernel);
	if (!entry)
		return;
	struct checker checker = {
		.lower = lower,
		.kernel = kernel,
		.reads = {.lower = lower},
		.writes = {.lower = lower, .for_write = true},
	};
	size_t count = 0;
	LLVMValueRef *all = llvm_instructions(entry, &count);
	for (size_t i = 0; i < count; i++)
		check_instruction(&checker, all[i]);
}

bool lower_bounds(struct lower *lower)
{
	for (size_t i = 0; i < lower->program->kernel_count; i++)
		check_kernel(lower, lower->program->kernels[i]);
	if (diag_error_count())
		return false;
	llvm_verify(lower);
	return true;
}
