/* llvm.c - see llvm.h. */
#include "compiler/llvm.h"

#include <llvm-c/Analysis.h>
#include <llvm-c/DebugInfo.h>
#include <llvm-c/IRReader.h>
#include <llvm-c/Support.h>
#include <llvm-c/Target.h>
#include <llvm-c/Transforms/PassBuilder.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A message of LLVM's own about what this compiler did wrong. */
static _Noreturn void bug(const char *what, const char *message)
{
	fprintf(stderr,
		"nprocc: internal error in %s: %s\nnote: please report it with the source file that shows it\n",
		what, message);
	tools_clean();
	exit(2);
}

void llvm_verify(struct lower *lower)
{
	char *message = NULL;
	if (LLVMVerifyModule(lower->module, LLVMReturnStatusAction, &message))
		bug("the verifier", message);
	LLVMDisposeMessage(message);
}

void llvm_run(struct lower *lower, const char *passes)
{
	LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
	LLVMErrorRef error = LLVMRunPasses(lower->module, passes, lower->machine, options);
	LLVMDisposePassBuilderOptions(options);
	if (error)
		bug(passes, LLVMGetErrorMessage(error));
	llvm_verify(lower);
}

/*
 * LLVM's function simplification pipeline. Its named pipelines cannot serve: they split coroutines
 * before they have simplified them as far, and go on to what suits one machine.
 */
const char *llvm_before_split(void)
{
#define INSTCOMBINE "instcombine<no-verify-fixpoint>"
	return "coro-early,function<eager-inv>("
	       "sroa<modify-cfg>,early-cse<memssa>,jump-threading,correlated-propagation,simplifycfg," INSTCOMBINE
	       ",reassociate,loop-mssa(loop-instsimplify,loop-simplifycfg,licm<no-allowspeculation>,loop-rotate,"
	       "licm<allowspeculation>,simple-loop-unswitch<trivial>),simplifycfg," INSTCOMBINE
	       ",loop(loop-idiom,indvars,loop-deletion,loop-unroll-full),sroa<modify-cfg>,mldst-motion,gvn,sccp,"
	       "bdce," INSTCOMBINE
	       ",jump-threading,correlated-propagation,adce,memcpyopt,dse,loop-mssa(licm),simplifycfg," INSTCOMBINE
	       ")";
#undef INSTCOMBINE
}

const char *llvm_split(const struct lower *lower)
{
	return lower->options->optimise == '0'
		       ? "coro-early,cgscc(coro-split),coro-cleanup"
		       : "coro-early,cgscc(coro-split<reuse-storage>),coro-cleanup";
}

static LLVMModuleRef parse(struct lower *lower, LLVMMemoryBufferRef buffer)
{
	LLVMModuleRef module = NULL;
	char *message = NULL;
	if (LLVMParseIRInContext(lower->context, buffer, &module, &message))
		bug("reading bitcode", message);
	return module;
}

LLVMModuleRef llvm_read_file(struct lower *lower, const char *path)
{
	LLVMMemoryBufferRef buffer = NULL;
	char *message = NULL;
	if (LLVMCreateMemoryBufferWithContentsOfFile(path, &buffer, &message))
		bug(path, message);
	return parse(lower, buffer);
}

LLVMModuleRef llvm_read_memory(struct lower *lower, const void *bytes, size_t nbytes)
{
	return parse(lower, LLVMCreateMemoryBufferWithMemoryRangeCopy(bytes, nbytes, "library"));
}

/* ---- machines -------------------------------------------------------------------------------- */

static const struct {
	const char *triple;
	const char *cpu;
	const char *features;
	const char *abi;
} isas[NIMG_ISA_COUNT] = {
	[NIMG_X86_64] = {"x86_64-pc-linux-gnu", "x86-64", "", ""},
	[NIMG_X86_64_V3] = {"x86_64-pc-linux-gnu", "x86-64-v3", "", ""},
	[NIMG_RISCV64] = {"riscv64-unknown-elf", "generic-rv64", "+m,+a,+f,+d,+c,+zba,+zbb,+zbs",
		"lp64d"},
};

/*
 * A sum that a loop makes and does not use is computed behind it, whatever that costs there: else
 * the counts of far bytes would stay in loops that have been vectorised.
 */
static void choose_options(void)
{
	static const char *const argv[] = {"nprocc", "-replexitval=noharduse"};
	static bool done;
	if (!done)
		LLVMParseCommandLineOptions(sizeof argv / sizeof *argv, argv, NULL);
	done = true;
}

static void initialise_targets(void)
{
	choose_options();
	LLVMInitializeX86TargetInfo();
	LLVMInitializeX86Target();
	LLVMInitializeX86TargetMC();
	LLVMInitializeX86AsmPrinter();
	LLVMInitializeRISCVTargetInfo();
	LLVMInitializeRISCVTarget();
	LLVMInitializeRISCVTargetMC();
	LLVMInitializeRISCVAsmPrinter();
}

void llvm_use_isa(struct lower *lower, enum nimg_isa isa)
{
	initialise_targets();
	llvm_drop_machine(lower);
	LLVMTargetRef target = NULL;
	char *message = NULL;
	if (LLVMGetTargetFromTriple(isas[isa].triple, &target, &message))
		bug(isas[isa].triple, message);
	/* Without any optimisation every value would live on the stack, which is small. */
	LLVMCodeGenOptLevel level = lower->options->optimise == '0'   ? LLVMCodeGenLevelLess
				    : lower->options->optimise == '3' ? LLVMCodeGenLevelAggressive
								      : LLVMCodeGenLevelDefault;
	LLVMTargetMachineOptionsRef options = LLVMCreateTargetMachineOptions();
	LLVMTargetMachineOptionsSetCPU(options, isas[isa].cpu);
	LLVMTargetMachineOptionsSetFeatures(options, isas[isa].features);
	LLVMTargetMachineOptionsSetABI(options, isas[isa].abi);
	LLVMTargetMachineOptionsSetCodeGenOptLevel(options, level);
	LLVMTargetMachineOptionsSetRelocMode(options, LLVMRelocPIC);
	LLVMTargetMachineOptionsSetCodeModel(options, LLVMCodeModelMedium);
	lower->machine = LLVMCreateTargetMachineWithOptions(target, isas[isa].triple, options);
	LLVMDisposeTargetMachineOptions(options);
	lower->layout = LLVMCreateTargetDataLayout(lower->machine);
	LLVMSetTarget(lower->module, isas[isa].triple);
	LLVMSetModuleDataLayout(lower->module, lower->layout);
}

void llvm_drop_machine(struct lower *lower)
{
	if (!lower->machine)
		return;
	LLVMDisposeTargetData(lower->layout);
	LLVMDisposeTargetMachine(lower->machine);
	lower->machine = NULL;
	lower->layout = NULL;
}

/* ---- building -------------------------------------------------------------------------------- */

LLVMValueRef llvm_u64(const struct lower *lower, uint64_t value)
{
	return LLVMConstInt(lower->i64, value, 0);
}

LLVMValueRef llvm_u32(const struct lower *lower, uint32_t value)
{
	return LLVMConstInt(lower->i32, value, 0);
}

LLVMValueRef llvm_intrinsic(struct lower *lower, const char *name, LLVMTypeRef *types,
	size_t type_count, LLVMValueRef *args, unsigned arg_count)
{
	unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
	if (!id)
		bug(name, "this LLVM has no such intrinsic");
	LLVMTypeRef type = LLVMIntrinsicGetType(lower->context, id, types, type_count);
	LLVMValueRef function = LLVMGetIntrinsicDeclaration(lower->module, id, types, type_count);
	return LLVMBuildCall2(lower->builder, type, function, args, arg_count, "");
}

LLVMValueRef llvm_call(struct lower *lower, const char *name, LLVMTypeRef result,
	LLVMValueRef *args, unsigned arg_count)
{
	LLVMTypeRef types[9];
	for (unsigned i = 0; i < arg_count; i++)
		types[i] = LLVMTypeOf(args[i]);
	LLVMTypeRef type = LLVMFunctionType(result, types, arg_count, 0);
	LLVMValueRef function = LLVMGetNamedFunction(lower->module, name);
	if (!function)
		function = LLVMAddFunction(lower->module, name, type);
	return LLVMBuildCall2(lower->builder, type, function, args, arg_count, "");
}

/*
 * What jumps to `block` jumps to `head` instead. Only while `block` has no terminator: else LLVM
 * would also tell the phis behind it that they are reached from `head`.
 */
static void redirect(struct lower *lower, LLVMBasicBlockRef block, LLVMBasicBlockRef head)
{
	LLVMValueRef end = LLVMGetBasicBlockTerminator(block);
	LLVMInstructionRemoveFromParent(end);
	LLVMReplaceAllUsesWith(LLVMBasicBlockAsValue(block), LLVMBasicBlockAsValue(head));
	LLVMPositionBuilderAtEnd(lower->builder, block);
	LLVMSetCurrentDebugLocation2(lower->builder, NULL); /* moved instructions keep their own */
	LLVMInsertIntoBuilder(lower->builder, end);
}

LLVMBasicBlockRef llvm_split_before(struct lower *lower, LLVMValueRef instruction)
{
	LLVMBasicBlockRef block = LLVMGetInstructionParent(instruction);
	LLVMBasicBlockRef head = LLVMInsertBasicBlockInContext(lower->context, block, "");
	redirect(lower, block, head);
	LLVMPositionBuilderAtEnd(lower->builder, head);
	LLVMSetCurrentDebugLocation2(lower->builder, NULL);
	LLVMValueRef next;
	for (LLVMValueRef at = LLVMGetFirstInstruction(block); at != instruction; at = next) {
		next = LLVMGetNextInstruction(at);
		LLVMInstructionRemoveFromParent(at);
		LLVMInsertIntoBuilder(lower->builder, at);
	}
	return head;
}

/* ---- attributes ------------------------------------------------------------------------------ */

static unsigned attribute_kind(const char *name)
{
	unsigned kind = LLVMGetEnumAttributeKindForName(name, strlen(name));
	if (!kind)
		bug(name, "this LLVM has no such attribute");
	return kind;
}

void llvm_add_attribute(struct lower *lower, LLVMValueRef function, const char *name)
{
	LLVMAttributeRef attribute =
		LLVMCreateEnumAttribute(lower->context, attribute_kind(name), 0);
	LLVMAddAttributeAtIndex(function, LLVMAttributeFunctionIndex, attribute);
}

void llvm_add_string_attribute(
	struct lower *lower, LLVMValueRef function, const char *name, const char *value)
{
	LLVMAttributeRef attribute = LLVMCreateStringAttribute(
		lower->context, name, (unsigned)strlen(name), value, (unsigned)strlen(value));
	LLVMAddAttributeAtIndex(function, LLVMAttributeFunctionIndex, attribute);
}

void llvm_remove_attribute(LLVMValueRef function, const char *name)
{
	if (LLVMGetEnumAttributeKindForName(name, strlen(name)))
		LLVMRemoveEnumAttributeAtIndex(
			function, LLVMAttributeFunctionIndex, attribute_kind(name));
	else
		LLVMRemoveStringAttributeAtIndex(
			function, LLVMAttributeFunctionIndex, name, (unsigned)strlen(name));
}

LLVMTypeRef llvm_byval_type(LLVMValueRef function, unsigned param)
{
	LLVMAttributeRef attribute =
		LLVMGetEnumAttributeAtIndex(function, param + 1, attribute_kind("byval"));
	return attribute ? LLVMGetTypeAttributeValue(attribute) : NULL;
}

unsigned llvm_argument_align(LLVMValueRef call, unsigned argument)
{
	LLVMAttributeRef attribute =
		LLVMGetCallSiteEnumAttribute(call, argument + 1, attribute_kind("align"));
	return attribute ? (unsigned)LLVMGetEnumAttributeValue(attribute) : 1;
}

/* ---- looking --------------------------------------------------------------------------------- */

LLVMValueRef llvm_callee(LLVMValueRef instruction)
{
	if (!LLVMIsACallInst(instruction))
		return NULL;
	LLVMValueRef called = LLVMGetCalledValue(instruction);
	return LLVMIsAFunction(called) ? called : NULL;
}

const char *llvm_callee_name(LLVMValueRef instruction)
{
	LLVMValueRef callee = llvm_callee(instruction);
	return callee ? LLVMGetValueName(callee) : "";
}

bool llvm_calls_intrinsic(LLVMValueRef instruction, const char *name)
{
	LLVMValueRef callee = llvm_callee(instruction);
	return callee && LLVMGetIntrinsicID(callee) &&
	       LLVMGetIntrinsicID(callee) == LLVMLookupIntrinsicID(name, strlen(name));
}

const char *llvm_literal(LLVMValueRef pointer)
{
	LLVMValueRef text = LLVMIsAGlobalVariable(pointer) ? LLVMGetInitializer(pointer) : NULL;
	size_t length = 0;
	if (text && LLVMIsAConstantAggregateZero(text))
		return ""; /* the empty string */
	if (!text || !LLVMIsConstantString(text))
		return NULL;
	const char *bytes = LLVMGetAsString(text, &length);
	return pool_format("%.*s", (int)length, bytes);
}

bool llvm_is_atomic(LLVMValueRef instruction)
{
	switch (LLVMGetInstructionOpcode(instruction)) {
	case LLVMLoad:
	case LLVMStore:
		return LLVMGetOrdering(instruction) != LLVMAtomicOrderingNotAtomic;
	case LLVMAtomicRMW:
	case LLVMAtomicCmpXchg:
		return true;
	default:
		return false;
	}
}

bool llvm_never_returns(LLVMValueRef instruction)
{
	LLVMValueRef callee = llvm_callee(instruction);
	if (!callee)
		return false;
	unsigned kind = attribute_kind("noreturn");
	return LLVMGetEnumAttributeAtIndex(callee, LLVMAttributeFunctionIndex, kind) ||
	       LLVMGetCallSiteEnumAttribute(instruction, LLVMAttributeFunctionIndex, kind);
}

bool llvm_is_pointer_to(LLVMValueRef value, unsigned space)
{
	LLVMTypeRef type = LLVMTypeOf(value);
	return LLVMGetTypeKind(type) == LLVMPointerTypeKind &&
	       LLVMGetPointerAddressSpace(type) == space;
}

LLVMBasicBlockRef *llvm_blocks(LLVMValueRef function, size_t *count)
{
	*count = LLVMCountBasicBlocks(function);
	LLVMBasicBlockRef *blocks = pool_alloc((*count + 1) * sizeof *blocks);
	LLVMGetBasicBlocks(function, blocks);
	return blocks;
}

LLVMValueRef *llvm_instructions(LLVMValueRef function, size_t *count)
{
	LLVMValueRef *all = NULL;
	*count = 0;
	for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function); block;
		block = LLVMGetNextBasicBlock(block)) {
		for (LLVMValueRef at = LLVMGetFirstInstruction(block); at;
			at = LLVMGetNextInstruction(at)) {
			all = pool_grow(all, *count, sizeof *all);
			all[(*count)++] = at;
		}
	}
	return all;
}

/* ---- places in the source -------------------------------------------------------------------- */

/* Operand positions in a DISubprogram and a DILexicalBlock. */
enum {
	SCOPE_PARENT = 1,
	SUBPROGRAM_NAME = 2
};

static const char *text_of(const char *text, size_t length)
{
	return text ? pool_format("%.*s", (int)length, text) : "";
}

/* The name of the function that a scope is in. */
static const char *function_of_scope(LLVMContextRef context, LLVMMetadataRef scope)
{
	while (scope && LLVMGetMetadataKind(scope) != LLVMDISubprogramMetadataKind) {
		LLVMMetadataKind kind = LLVMGetMetadataKind(scope);
		if (kind != LLVMDILexicalBlockMetadataKind &&
			kind != LLVMDILexicalBlockFileMetadataKind)
			return "";
		LLVMValueRef node = LLVMMetadataAsValue(context, scope);
		LLVMValueRef operands[16];
		LLVMGetMDNodeOperands(node, operands);
		scope = operands[SCOPE_PARENT] ? LLVMValueAsMetadata(operands[SCOPE_PARENT]) : NULL;
	}
	if (!scope)
		return "";
	LLVMValueRef operands[32];
	unsigned length = 0;
	LLVMGetMDNodeOperands(LLVMMetadataAsValue(context, scope), operands);
	const char *name = LLVMGetMDString(operands[SUBPROGRAM_NAME], &length);
	return text_of(name, length);
}

static const char *file_of(LLVMMetadataRef location)
{
	LLVMMetadataRef file = LLVMDIScopeGetFile(LLVMDILocationGetScope(location));
	unsigned length = 0;
	const char *name = file ? LLVMDIFileGetFilename(file, &length) : NULL;
	return text_of(name, length);
}

/* What happens inside nearside/kernel.h happens, to its user, where it was called. */
static bool is_ours(LLVMMetadataRef location)
{
	const char *file = file_of(location);
	return strstr(file, "nearside/kernel.h") || strstr(file, "nearside/kernel_impl.h");
}

struct llvm_place llvm_place(LLVMValueRef instruction)
{
	struct llvm_place place = {.file = "", .function = ""};
	LLVMMetadataRef location = LLVMInstructionGetDebugLoc(instruction);
	if (!location)
		return place;
	while (is_ours(location) && LLVMDILocationGetInlinedAt(location))
		location = LLVMDILocationGetInlinedAt(location);
	LLVMMetadataRef scope = LLVMDILocationGetScope(location);
	place.file = file_of(location);
	place.line = LLVMDILocationGetLine(location);
	place.column = LLVMDILocationGetColumn(location);
	place.function = function_of_scope(
		LLVMGetModuleContext(LLVMGetGlobalParent(
			LLVMGetBasicBlockParent(LLVMGetInstructionParent(instruction)))),
		scope);
	return place;
}
