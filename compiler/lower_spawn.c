/*
 * lower_spawn.c - nproc_spawn(start, kernel(arguments)): what reads like a call of a kernel starts
 * it as a process.
 *
 *     %code = call i64 @kernel(arguments)              words[0], words[1]... = arguments
 *     %child = call i32 @nk_spawn(start, %code)
 *         ->   %child = call i32 @nkl_spawn(start, @nk_code.kernel, words)
 *
 * The words are those that the kernel's entry reads (lower_close.c). @nk_code.kernel stands for the
 * kernel's entry in the image's table until emit.c has that.
 *
 * Requires: kernels are still the functions that clang made, and nothing is inlined; the front end
 * has seen to it that the second argument is a kernel's call. Afterwards: no kernel is called.
 */
#include <string.h>

#include "compiler/llvm.h"

#define CODE_PREFIX "nk_code."

static void store_word(struct lower *lower, LLVMValueRef words, unsigned index, LLVMValueRef value)
{
	LLVMValueRef at = llvm_u64(lower, index);
	LLVMValueRef word = LLVMBuildGEP2(lower->builder, lower->i64, words, &at, 1, "");
	if (LLVMTypeOf(value) == lower->i1)
		value = LLVMBuildZExt(lower->builder, value, lower->i8, "");
	LLVMBuildStore(lower->builder, value, word);
}

/* A struct that is passed in memory: `count` words. */
static void copy_words(struct lower *lower, LLVMValueRef words, unsigned index, LLVMTypeRef type,
	LLVMValueRef from)
{
	LLVMValueRef at = llvm_u64(lower, index);
	LLVMValueRef to = LLVMBuildGEP2(lower->builder, lower->i64, words, &at, 1, "");
	LLVMBuildMemCpy(lower->builder, to, 8, from, 1,
		llvm_u64(lower, LLVMABISizeOfType(lower->layout, type)));
}

static unsigned words_of_param(struct lower *lower, LLVMValueRef body, unsigned param)
{
	LLVMTypeRef type = llvm_byval_type(body, param);
	return type ? (unsigned)((LLVMABISizeOfType(lower->layout, type) + 7) / 8) : 1;
}

/*
 * An object that lives from here to the end of the call, so that it is not kept while the process
 * waits. It stands in the function's first block: one object, however often the call is run.
 */
static LLVMValueRef begin_object(struct lower *lower, LLVMValueRef spawn, uint64_t words)
{
	LLVMValueRef function = LLVMGetBasicBlockParent(LLVMGetInstructionParent(spawn));
	LLVMBasicBlockRef first = LLVMGetEntryBasicBlock(function);
	LLVMPositionBuilderBefore(lower->builder, LLVMGetFirstInstruction(first));
	LLVMValueRef object =
		LLVMBuildAlloca(lower->builder, LLVMArrayType2(lower->i64, words), "");
	LLVMValueRef args[] = {llvm_u64(lower, 8 * words), object};
	LLVMPositionBuilderBefore(lower->builder, spawn);
	llvm_intrinsic(lower, "llvm.lifetime.start", &lower->pointer, 1, args, 2);
	return object;
}

static void end_object(struct lower *lower, LLVMValueRef object, uint64_t words)
{
	LLVMValueRef args[] = {llvm_u64(lower, 8 * words), object};
	llvm_intrinsic(lower, "llvm.lifetime.end", &lower->pointer, 1, args, 2);
}

static void fill_words(struct lower *lower, LLVMValueRef words, unsigned count, LLVMValueRef call)
{
	LLVMValueRef body = llvm_callee(call);
	unsigned next = 0;
	for (unsigned i = 0; i < count; i++)
		store_word(lower, words, i, llvm_u64(lower, 0));
	for (unsigned i = 0; i < LLVMCountParams(body); i++) {
		LLVMTypeRef type = llvm_byval_type(body, i);
		LLVMValueRef value = LLVMGetOperand(call, i);
		if (type)
			copy_words(lower, words, next, type, value);
		else
			store_word(lower, words, next, value);
		next += words_of_param(lower, body, i);
	}
}

/* The image's entry of a kernel, by its name. */
static LLVMValueRef code_of(struct lower *lower, const char *kernel)
{
	const char *name = pool_format(CODE_PREFIX "%s", kernel);
	LLVMValueRef code = LLVMGetNamedGlobal(lower->module, name);
	return code ? code : LLVMAddGlobal(lower->module, lower->i8, name);
}

static void replace_spawn(struct lower *lower, LLVMValueRef spawn, LLVMValueRef call)
{
	enum {
		START_WORDS = (sizeof(struct nk_start) + 7) / 8
	};
	LLVMValueRef body = llvm_callee(call);
	unsigned count = 0;
	for (unsigned i = 0; i < LLVMCountParams(body); i++)
		count += words_of_param(lower, body, i);
	LLVMValueRef start = begin_object(lower, spawn, START_WORDS);
	LLVMBuildMemCpy(lower->builder, start, 8, LLVMGetOperand(spawn, 0), 1,
		llvm_u64(lower, sizeof(struct nk_start)));
	LLVMValueRef words = begin_object(lower, spawn, count + 1); /* never without any */
	fill_words(lower, words, count, call);
	LLVMValueRef args[] = {start, code_of(lower, LLVMGetValueName(body)), words};
	LLVMValueRef child = llvm_call(lower, "nkl_spawn", LLVMTypeOf(spawn), args, 3);
	end_object(lower, words, count + 1);
	end_object(lower, start, START_WORDS);
	LLVMReplaceAllUsesWith(spawn, child);
	LLVMInstructionEraseFromParent(spawn);
	LLVMInstructionEraseFromParent(call);
}

static void replace_spawns(struct lower *lower, LLVMValueRef function)
{
	size_t count = 0;
	LLVMValueRef *all = llvm_instructions(function, &count);
	for (size_t i = 0; i < count; i++) {
		if (!strcmp(llvm_callee_name(all[i]), "nk_spawn"))
			replace_spawn(lower, all[i], LLVMGetOperand(all[i], 1));
	}
}

void lower_spawn(struct lower *lower)
{
	for (LLVMValueRef f = LLVMGetFirstFunction(lower->module); f; f = LLVMGetNextFunction(f))
		replace_spawns(lower, f);
}

static const struct kernel *find_kernel(const struct program *program, const char *name)
{
	for (size_t i = 0; i < program->kernel_count; i++) {
		if (!strcmp(program->kernels[i]->name, name))
			return program->kernels[i];
	}
	return NULL;
}

bool lower_spawn_check(struct lower *lower)
{
	size_t prefix = strlen(CODE_PREFIX);
	bool good = true;
	for (LLVMValueRef g = LLVMGetFirstGlobal(lower->module); g; g = LLVMGetNextGlobal(g)) {
		const char *name = LLVMGetValueName(g);
		if (strncmp(name, CODE_PREFIX, prefix) != 0 ||
			find_kernel(lower->program, name + prefix))
			continue;
		diag_error(NULL, 0, 0,
			pool_format(
				"kernel '%s' is started by another, but is in no file of the image",
				name + prefix),
			"name the file that defines it, too");
		good = false;
	}
	return good;
}

void lower_spawn_resolve(struct lower *lower, LLVMValueRef table, LLVMTypeRef entry)
{
	for (size_t i = 0; i < lower->program->kernel_count; i++) {
		const char *name = pool_format(CODE_PREFIX "%s", lower->program->kernels[i]->name);
		LLVMValueRef code = LLVMGetNamedGlobal(lower->module, name);
		LLVMValueRef index = llvm_u64(lower, i);
		if (!code)
			continue;
		LLVMReplaceAllUsesWith(code, LLVMConstGEP2(entry, table, &index, 1));
		LLVMDeleteGlobal(code);
	}
}
