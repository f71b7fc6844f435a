/*
 * lower_library.c - brings the kernel library in: the parts that belong into kernels are inlined,
 * the rest become functions of the image.
 *
 * Requires: user code is checked already; what comes in here is trusted. Afterwards: the module is
 * whole, but for nkl_self(), nkl_suspend() and nkl_site().
 */
#include <string.h>

#include "compiler/library/embed.h"
#include "compiler/llvm.h"

#include <llvm-c/Linker.h>

/* Is it meant for kernels only, where it knows its process? */
static bool belongs_into_kernel(LLVMValueRef function)
{
	size_t count = 0;
	LLVMValueRef *all = llvm_instructions(function, &count);
	for (size_t i = 0; i < count; i++) {
		const char *name = llvm_callee_name(all[i]);
		if (!strcmp(name, "nkl_self") || !strcmp(name, "nkl_suspend") ||
			!strcmp(name, "nkl_site"))
			return true;
	}
	return false;
}

/*
 * The rest stays visible, so that it is still there when later steps, or code generation, call it.
 */
static void place_function(LLVMValueRef function)
{
	const char *name = LLVMGetValueName(function);
	if (LLVMIsDeclaration(function))
		return;
	llvm_remove_attribute(function, "target-cpu");
	llvm_remove_attribute(function, "target-features");
	llvm_remove_attribute(function, "tune-cpu");
	if (belongs_into_kernel(function))
		LLVMSetLinkage(function, LLVMInternalLinkage);
	if (LLVMGetLinkage(function) == LLVMInternalLinkage)
		return;
	LLVMSetVisibility(function, LLVMHiddenVisibility);
	LLVMSetSection(
		function, pool_format(".text.%s", name)); /* so that the linker can drop it */
}

void lower_library_inline(struct lower *lower)
{
	for (LLVMValueRef f = LLVMGetFirstFunction(lower->module); f; f = LLVMGetNextFunction(f)) {
		if (!strncmp(LLVMGetValueName(f), "nkl_", 4) && !LLVMIsDeclaration(f))
			LLVMSetLinkage(f, LLVMInternalLinkage);
	}
	llvm_run(lower, "always-inline,globaldce");
}

bool lower_library(struct lower *lower)
{
	for (size_t i = 0; i < lower->program->kernel_count; i++)
		lower_yield(lower, lower->program->kernels[i]);
	LLVMModuleRef library = llvm_read_memory(
		lower, nkl_bitcode_begin, (size_t)(nkl_bitcode_end - nkl_bitcode_begin));
	LLVMSetTarget(library, LLVMGetTarget(lower->module));
	LLVMSetDataLayout(library, LLVMGetDataLayoutStr(lower->module));
	if (LLVMLinkModules2(lower->module, library))
		return false;
	for (LLVMValueRef f = LLVMGetFirstFunction(lower->module); f; f = LLVMGetNextFunction(f)) {
		if (!lower_kernel_of(lower, f))
			place_function(f);
	}
	llvm_run(lower, "always-inline,globaldce,function(sroa)");
	return lower_spawn_check(lower);
}
