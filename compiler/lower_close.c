/*
 * lower_close.c - closes the world of a unit: per kernel one function, and nothing that it calls is
 * left outside.
 *
 * For `int64_t count(const far uint64_t *keys, uint64_t n)` this makes
 *
 *     void count(struct nk_process *process, const uint64_t *args)
 *     {
 *         load keys and n from args
 *         nkl_suspend();                       the initial suspension: so far nothing of the body
 *                                              has run
 *         nkl_done(count.body(keys, n));
 *     }
 *
 * makes every other function internal and inlines it.
 *
 * Requires: a unit fresh from clang. Afterwards: kernels call nothing but nk_ functions of the
 * library and intrinsics.
 */
#include <llvm-c/DebugInfo.h>
#include <string.h>

#include "compiler/llvm.h"

/* ---- argument words -------------------------------------------------------------------------- */

struct words {
	LLVMValueRef args;
	unsigned next; /* the next word that is not yet consumed */
};

static LLVMValueRef address_of_word(struct lower *lower, const struct words *words)
{
	LLVMValueRef index = llvm_u64(lower, words->next);
	return LLVMBuildGEP2(lower->builder, lower->i64, words->args, &index, 1, "");
}

/* A value of up to 8 bytes: the low bytes of one word, as both sides are little-endian. */
static LLVMValueRef load_word(struct lower *lower, struct words *words, LLVMTypeRef type)
{
	LLVMValueRef address = address_of_word(lower, words);
	words->next++;
	if (type != lower->i1)
		return LLVMBuildLoad2(lower->builder, type, address, "");
	LLVMValueRef byte = LLVMBuildLoad2(lower->builder, lower->i8, address, "");
	return LLVMBuildTrunc(lower->builder, byte, lower->i1, "");
}

/* A struct that is passed in memory: a private copy of its words. */
static LLVMValueRef copy_struct(struct lower *lower, struct words *words, LLVMTypeRef type)
{
	uint64_t nbytes = LLVMABISizeOfType(lower->layout, type);
	LLVMValueRef copy = LLVMBuildAlloca(lower->builder, type, "");
	LLVMBuildMemCpy(
		lower->builder, copy, 8, address_of_word(lower, words), 8, llvm_u64(lower, nbytes));
	words->next += (unsigned)((nbytes + 7) / 8);
	return copy;
}

/*
 * The values that clang's x86-64 calling convention passes for the kernel's parameters, from the
 * words. A struct of up to 16 bytes arrives as one value per 8 bytes, a larger one in memory.
 */
static void load_arguments(
	struct lower *lower, LLVMValueRef body, LLVMValueRef args, LLVMValueRef *values)
{
	struct words words = {.args = args};
	unsigned count = LLVMCountParams(body);
	for (unsigned i = 0; i < count; i++) {
		LLVMTypeRef in_memory = llvm_byval_type(body, i);
		values[i] = in_memory ? copy_struct(lower, &words, in_memory)
				      : load_word(lower, &words, LLVMTypeOf(LLVMGetParam(body, i)));
	}
}

static unsigned words_of(const struct kernel *kernel)
{
	unsigned words = 0;
	for (unsigned i = 0; i < kernel->param_count; i++)
		words += kernel->params[i].kind == NIMG_STRUCT ? (kernel->params[i].bytes + 7) / 8
							       : 1;
	return words;
}

static unsigned words_of_function(struct lower *lower, LLVMValueRef body)
{
	unsigned words = 0;
	for (unsigned i = 0; i < LLVMCountParams(body); i++) {
		LLVMTypeRef type = llvm_byval_type(body, i);
		words += type ? (unsigned)((LLVMABISizeOfType(lower->layout, type) + 7) / 8) : 1;
	}
	return words;
}

/* ---- entries --------------------------------------------------------------------------------- */

/*
 * Refuses a kernel whose struct parameters hold 8 bytes of nothing but padding, which no value
 * stands for.
 */
static bool check_words(struct lower *lower, const struct kernel *kernel, LLVMValueRef body)
{
	if (words_of(kernel) == words_of_function(lower, body))
		return true;
	diag_error(kernel->file, kernel->line, 1,
		pool_format(
			"a struct parameter of kernel '%s' has 8 bytes of padding", kernel->name),
		"order or pack its members so that every 8 bytes hold one");
	return false;
}

static bool make_entry(struct lower *lower, const struct kernel *kernel)
{
	LLVMValueRef body = LLVMGetNamedFunction(lower->module, kernel->name);
	if (!check_words(lower, kernel, body))
		return false;
	const char *name = pool_format("%s.body", kernel->name);
	LLVMSetValueName2(body, name, strlen(name));
	LLVMTypeRef params[] = {lower->pointer, lower->pointer};
	LLVMValueRef entry = LLVMAddFunction(
		lower->module, kernel->name, LLVMFunctionType(lower->nothing, params, 2, 0));
	if (lower->options->optimise == 's')
		llvm_add_attribute(lower, entry, "optsize");
	LLVMPositionBuilderAtEnd(
		lower->builder, LLVMAppendBasicBlockInContext(lower->context, entry, "entry"));
	LLVMSetCurrentDebugLocation2(lower->builder, NULL);
	LLVMValueRef values[NK_ARG_WORDS_MAX];
	load_arguments(lower, body, LLVMGetParam(entry, 1), values);
	llvm_call(lower, "nkl_suspend", lower->nothing, NULL, 0);
	LLVMValueRef code = LLVMBuildCall2(lower->builder, LLVMGlobalGetValueType(body), body,
		values, LLVMCountParams(body), "");
	llvm_call(lower, "nkl_done", lower->nothing, &code, 1);
	LLVMBuildRetVoid(lower->builder);
	return true;
}

/* The entry takes over the body's debug information, whose scopes its instructions name. */
static void adopt_debug_information(
	struct lower *lower, const struct kernel *kernel, LLVMMetadataRef scope)
{
	if (scope)
		LLVMSetSubprogram(lower_entry(lower, kernel), scope);
}

/* ---- the rest of the unit -------------------------------------------------------------------- */

/* Lists that keep functions alive or describe them: their work is done. */
static void drop_lists(struct lower *lower)
{
	static const char *const lists[] = {"llvm.used", "llvm.compiler.used",
		"llvm.global.annotations", "llvm.global_ctors", "llvm.global_dtors"};
	for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
		LLVMValueRef list = LLVMGetNamedGlobal(lower->module, lists[i]);
		if (list)
			LLVMDeleteGlobal(list);
	}
}

/* Tables of the host name functions that do not exist here: what no kernel uses goes. */
static void make_globals_internal(struct lower *lower)
{
	for (LLVMValueRef g = LLVMGetFirstGlobal(lower->module); g; g = LLVMGetNextGlobal(g)) {
		if (LLVMIsDeclaration(g))
			continue;
		LLVMSetLinkage(g, LLVMInternalLinkage);
		LLVMSetVisibility(g, LLVMDefaultVisibility);
	}
}

static void make_internal(struct lower *lower, LLVMValueRef function)
{
	static const char *const dropped[] = {"noinline", "optnone", "target-cpu",
		"target-features", "tune-cpu", "frame-pointer", "stack-protector-buffer-size",
		"min-legal-vector-width"};
	for (size_t i = 0; i < sizeof dropped / sizeof *dropped; i++)
		llvm_remove_attribute(function, dropped[i]);
	if (LLVMIsDeclaration(function))
		return;
	LLVMSetLinkage(function, LLVMInternalLinkage);
	LLVMSetVisibility(function, LLVMDefaultVisibility);
	llvm_add_attribute(lower, function, "alwaysinline");
}

/* Refuses what the front end cannot see: what is left after inlining. */
static void check_call(struct lower *lower, LLVMValueRef call)
{
	LLVMValueRef callee = llvm_callee(call);
	if (!callee) {
		lower_refuse(lower, call, "call through a pointer or inline assembly in a kernel",
			"a kernel's calls are known when it is compiled: use switch, or if");
		return;
	}
	const char *name = LLVMGetValueName(callee);
	if (!strcmp(name, "nk_log_far_string"))
		lower_refuse(lower, call, "nproc_log() of a string in far memory",
			"copy it into a private array first, or log its address: %p of a const far void *");
	else if (!LLVMIsDeclaration(callee))
		lower_refuse(lower, call, pool_format("recursion: '%s' calls itself", name),
			"a process has no stack across waits: write a loop, with an array as its stack");
	else if (strncmp(name, "nk_", 3) && strncmp(name, "nkl_", 4) && !LLVMGetIntrinsicID(callee))
		lower_refuse(lower, call, pool_format("'%s' is not defined in this file", name),
			"a kernel calls functions with bodies in its file or headers, and nearside/kernel.h");
}

static void check_calls(struct lower *lower, LLVMValueRef function)
{
	size_t count = 0;
	LLVMValueRef *all = llvm_instructions(function, &count);
	for (size_t i = 0; i < count; i++) {
		if (LLVMGetInstructionOpcode(all[i]) == LLVMCall)
			check_call(lower, all[i]);
	}
}

bool lower_close(struct lower *lower, const struct unit *unit)
{
	LLVMMetadataRef *scopes = pool_alloc(unit->kernel_count * sizeof *scopes);
	lower_concrete(lower); /* before inlining folds what becomes constant */
	lower_division(lower);
	lower_spawn(lower);
	drop_lists(lower);
	make_globals_internal(lower);
	for (LLVMValueRef f = LLVMGetFirstFunction(lower->module); f; f = LLVMGetNextFunction(f))
		make_internal(lower, f);
	for (size_t i = 0; i < unit->kernel_count; i++) {
		const struct kernel *kernel = &unit->kernels[i];
		scopes[i] = LLVMGetSubprogram(LLVMGetNamedFunction(lower->module, kernel->name));
		if (!make_entry(lower, kernel))
			return false;
	}
	llvm_run(lower, "always-inline,globaldce");
	for (size_t i = 0; i < unit->kernel_count; i++)
		adopt_debug_information(lower, &unit->kernels[i], scopes[i]);
	for (size_t i = 0; i < unit->kernel_count; i++)
		lower_compare(lower, lower_entry(lower, &unit->kernels[i]));
	lower_registers(lower);
	for (size_t i = 0; i < unit->kernel_count; i++)
		check_calls(lower, lower_entry(lower, &unit->kernels[i]));
	return diag_error_count() == 0;
}
