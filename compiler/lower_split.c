/*
 * lower_split.c - optimises the kernels as functions, so that little lives across their waits, then
 * lets LLVM split them into an entry and a resume function. What follows is done for each ISA on
 * its own.
 *
 * Requires: coroutines. Afterwards: `kernel` and `kernel.resume`; the frame's layout and size are
 * settled.
 */
#include <string.h>

#include "compiler/llvm.h"

LLVMValueRef lower_part(const struct lower *lower, const struct kernel *kernel, const char *part)
{
	return LLVMGetNamedFunction(lower->module, pool_format("%s.%s", kernel->name, part));
}

/* Reads and removes the mark that lower_suspend.c left in the entry. */
static uint32_t take_frame_bytes(LLVMValueRef entry)
{
	size_t count = 0;
	LLVMValueRef *all = llvm_instructions(entry, &count);
	for (size_t i = 0; i < count; i++) {
		if (strcmp(llvm_callee_name(all[i]), "nkl_frame"))
			continue;
		uint64_t nbytes = LLVMConstIntGetZExtValue(LLVMGetOperand(all[i], 1));
		LLVMInstructionEraseFromParent(all[i]);
		return (uint32_t)nbytes;
	}
	return 0;
}

/* A frame is forgotten, never destroyed. */
static void drop_part(struct lower *lower, const struct kernel *kernel, const char *part)
{
	LLVMValueRef function = lower_part(lower, kernel, part);
	if (!function)
		return;
	LLVMReplaceAllUsesWith(function, LLVMConstNull(lower->pointer));
	LLVMDeleteFunction(function);
}

bool lower_split(struct lower *lower)
{
	const struct program *program = lower->program;
	for (size_t i = 0; i < program->kernel_count; i++)
		lower_separate(lower, lower_entry(lower, program->kernels[i]));
	if (lower->options->optimise != '0')
		llvm_run(lower, llvm_before_split());
	llvm_run(lower, llvm_split(lower));
	for (size_t i = 0; i < program->kernel_count; i++) {
		struct kernel *kernel = program->kernels[i];
		uint32_t nbytes = take_frame_bytes(lower_entry(lower, kernel));
		for (int isa = 0; isa < NIMG_ISA_COUNT; isa++)
			kernel->frame_bytes[isa] = nbytes;
		drop_part(lower, kernel, "destroy");
		drop_part(lower, kernel, "cleanup");
		lower_separate(lower, lower_part(lower, kernel, "resume"));
	}
	return true;
}
