/*
 * lower_suspend.c - makes each kernel a coroutine of LLVM's, whose frame lies right behind its
 * process record.
 *
 *   entry:    frame at process + 1; the arguments; the first suspension
 *   nkl_suspend()   a suspension: the resume function returns, and goes on behind it when it is
 *                   called again
 *   return    the last suspension
 *   nkl_self()      the process record, just below the frame
 *   nkl_site()      the number of the place from which the library was called
 *
 * Nothing is allocated and nothing freed: the firmware owns the memory, and ends a process by
 * forgetting it. The frame's size is known when LLVM has split the coroutine; until then
 * nkl_frame(frame, size) keeps it, and tells LLVM that somebody else will look into the frame.
 *
 * Requires: everything inlined but functions that know nothing of suspension. Afterwards: LLVM's
 * optimiser must run, and makes `kernel.resume` of `kernel`.
 */
#include <llvm-c/DebugInfo.h>
#include <string.h>

#include "compiler/llvm.h"

struct coroutine {
	struct lower *lower;
	LLVMValueRef function;
	LLVMValueRef frame;
	LLVMValueRef self;
	LLVMBasicBlockRef suspended; /* where a suspension leaves to */
	LLVMValueRef *variables;
	size_t variable_count;
	LLVMMetadataRef no_line;
};

/*
 * Where LLVM's form of a coroutine tears a suspended one down, which never happens here. Each
 * suspension has its own, in which all variables end: else they would seem alive together, and
 * never share room in the frame.
 */
static LLVMBasicBlockRef build_destruction(struct coroutine *c)
{
	struct lower *lower = c->lower;
	LLVMBasicBlockRef here = LLVMGetInsertBlock(lower->builder);
	LLVMBasicBlockRef block =
		LLVMAppendBasicBlockInContext(lower->context, c->function, "destroyed");
	LLVMPositionBuilderAtEnd(lower->builder, block);
	for (size_t i = 0; i < c->variable_count; i++) {
		LLVMTypeRef type = LLVMGetAllocatedType(c->variables[i]);
		LLVMValueRef args[] = {
			llvm_u64(lower, LLVMABISizeOfType(lower->layout, type)), c->variables[i]};
		llvm_intrinsic(lower, "llvm.lifetime.end", &lower->pointer, 1, args, 2);
	}
	LLVMBuildBr(lower->builder, c->suspended);
	LLVMPositionBuilderAtEnd(lower->builder, here);
	return block;
}

/*
 * Suspends at the end of the builder's block; goes on at `resumed`, or nowhere (NULL) after the
 * last one.
 */
static void build_suspension(struct coroutine *c, LLVMBasicBlockRef resumed)
{
	struct lower *lower = c->lower;
	LLVMValueRef no_save = LLVMConstNull(LLVMTokenTypeInContext(lower->context));
	LLVMValueRef is_last = LLVMConstInt(lower->i1, resumed == NULL, 0);
	LLVMValueRef which = llvm_intrinsic(
		lower, "llvm.coro.suspend", NULL, 0, (LLVMValueRef[]){no_save, is_last}, 2);
	LLVMValueRef to = LLVMBuildSwitch(lower->builder, which, c->suspended, 2);
	if (resumed)
		LLVMAddCase(to, LLVMConstInt(lower->i8, 0, 0), resumed);
	LLVMAddCase(to, LLVMConstInt(lower->i8, 1, 0), build_destruction(c));
}

/* The frame, at the head of the function. */
static void build_frame(struct coroutine *c)
{
	struct lower *lower = c->lower;
	LLVMValueRef null = LLVMConstNull(lower->pointer);
	LLVMBasicBlockRef first = LLVMGetEntryBasicBlock(c->function);
	LLVMPositionBuilderBefore(lower->builder, LLVMGetFirstInstruction(first));
	LLVMSetCurrentDebugLocation2(lower->builder, c->no_line);
	LLVMValueRef align = llvm_u32(lower, sizeof(struct nk_process));
	LLVMValueRef id = llvm_intrinsic(
		lower, "llvm.coro.id", NULL, 0, (LLVMValueRef[]){align, null, null, null}, 4);
	LLVMValueRef size = llvm_intrinsic(lower, "llvm.coro.size", &lower->i64, 1, NULL, 0);
	LLVMValueRef behind = llvm_u64(lower, sizeof(struct nk_process));
	LLVMValueRef memory = LLVMBuildGEP2(
		lower->builder, lower->i8, LLVMGetParam(c->function, 0), &behind, 1, "");
	c->frame =
		llvm_intrinsic(lower, "llvm.coro.begin", NULL, 0, (LLVMValueRef[]){id, memory}, 2);
	llvm_call(lower, "nkl_frame", lower->nothing, (LLVMValueRef[]){c->frame, size}, 2);
	LLVMValueRef below = LLVMConstInt(lower->i64, (uint64_t)-sizeof(struct nk_process), 1);
	c->self = LLVMBuildGEP2(lower->builder, lower->i8, c->frame, &below, 1, "self");
}

static void build_end(struct coroutine *c)
{
	struct lower *lower = c->lower;
	LLVMPositionBuilderAtEnd(lower->builder, c->suspended);
	LLVMSetCurrentDebugLocation2(lower->builder, c->no_line);
	LLVMValueRef no_results = LLVMConstNull(LLVMTokenTypeInContext(lower->context));
	llvm_intrinsic(lower, "llvm.coro.end", NULL, 0,
		(LLVMValueRef[]){c->frame, LLVMConstInt(lower->i1, 0, 0), no_results}, 3);
	LLVMBuildRetVoid(lower->builder);
}

static void replace_suspend(struct coroutine *c, LLVMValueRef call)
{
	LLVMBasicBlockRef rest = LLVMGetInstructionParent(call);
	llvm_split_before(c->lower, call);
	LLVMSetCurrentDebugLocation2(c->lower->builder, c->no_line);
	build_suspension(c, rest);
	LLVMInstructionEraseFromParent(call);
}

static void replace_return(struct coroutine *c, LLVMValueRef instruction)
{
	LLVMPositionBuilderBefore(c->lower->builder, instruction);
	LLVMSetCurrentDebugLocation2(c->lower->builder, c->no_line);
	LLVMBasicBlockRef block = LLVMGetInstructionParent(instruction);
	LLVMInstructionEraseFromParent(instruction);
	LLVMPositionBuilderAtEnd(c->lower->builder, block);
	build_suspension(c, NULL);
}

/* True: it was a suspension of the kernel's. */
static bool replace(struct coroutine *c, LLVMValueRef instruction)
{
	const char *name = llvm_callee_name(instruction);
	if (!strcmp(name, "nkl_suspend")) {
		replace_suspend(c, instruction);
		return true;
	}
	if (!strcmp(name, "nkl_site")) {
		LLVMReplaceAllUsesWith(
			instruction, llvm_u32(c->lower, lower_site(c->lower, instruction, "")));
		LLVMInstructionEraseFromParent(instruction);
	} else if (!strcmp(name, "nkl_self")) {
		LLVMReplaceAllUsesWith(instruction, c->self);
		LLVMInstructionEraseFromParent(instruction);
	} else if (LLVMGetInstructionOpcode(instruction) == LLVMRet) {
		replace_return(c, instruction);
	}
	return false;
}

/*
 * For the message that refuses a kernel for its size; and no frame is aligned to more than its
 * record.
 */
static void add_variable(struct coroutine *c, struct kernel *kernel, LLVMValueRef variable)
{
	struct lower *lower = c->lower;
	c->variables = pool_grow(c->variables, c->variable_count, sizeof *c->variables);
	c->variables[c->variable_count++] = variable;
	uint64_t nbytes = LLVMABISizeOfType(lower->layout, LLVMGetAllocatedType(variable));
	const char *name = LLVMGetValueName(variable);
	if (LLVMGetAlignment(variable) > sizeof(struct nk_process))
		diag_error(kernel->file, kernel->line, 1,
			pool_format("kernel '%s' has a variable that is aligned to %u bytes",
				kernel->name, LLVMGetAlignment(variable)),
			"private memory is aligned to 64 bytes at most");
	if (nbytes <= kernel->largest_bytes || !*name)
		return;
	kernel->largest_bytes = (uint32_t)nbytes;
	kernel->largest_name = pool_format("%.*s", (int)strcspn(name, "."), name);
}

static LLVMMetadataRef line_zero(struct lower *lower, LLVMValueRef function)
{
	LLVMMetadataRef scope = LLVMGetSubprogram(function);
	return scope ? LLVMDIBuilderCreateDebugLocation(lower->context, 0, 0, scope, NULL) : NULL;
}

static void make_coroutine(struct lower *lower, struct kernel *kernel)
{
	LLVMValueRef function = lower_entry(lower, kernel);
	struct coroutine c = {
		.lower = lower,
		.function = function,
		.no_line = line_zero(lower, function),
	};
	size_t count = 0, suspensions = 0;
	LLVMValueRef *all = llvm_instructions(function, &count);
	llvm_add_attribute(lower, function, "presplitcoroutine");
	c.suspended = LLVMAppendBasicBlockInContext(lower->context, function, "suspended");
	build_frame(&c);
	for (size_t i = 0; i < count; i++) {
		if (LLVMIsAAllocaInst(all[i]))
			add_variable(&c, kernel, all[i]);
	}
	for (size_t i = 0; i < count; i++)
		suspensions += replace(&c, all[i]);
	build_end(&c);
	kernel->suspends = (uint32_t)suspensions - 1; /* the initial one is ours */
}

bool lower_suspend(struct lower *lower)
{
	for (size_t i = 0; i < lower->program->kernel_count; i++)
		make_coroutine(lower, lower->program->kernels[i]);
	lower->program->wait_site_count = lower->program->site_count;
	llvm_verify(lower);
	return diag_error_count() == 0;
}
