/*
 * emit_limits.c - how much stack a kernel's code uses, and the limits of frames, stacks and code.
 *
 * LLVM reports each function's stack frame as it generates code (attribute warn-stack-size); a
 * kernel's bound is its own frame and the deepest chain of library functions below it.
 */
#include <stdio.h>
#include <string.h>

#include "compiler/emit.h"

enum {
	RETURN_ADDRESS_BYTES = 8,
	LARGE_BYTES = 1024, /* a variable that is worth to be named */
};

void emit_ask_stack(struct lower *lower)
{
	for (LLVMValueRef f = LLVMGetFirstFunction(lower->module); f; f = LLVMGetNextFunction(f)) {
		if (!LLVMIsDeclaration(f))
			llvm_add_string_attribute(lower, f, "warn-stack-size", "0");
	}
}

/*
 * "stack frame size (72) exceeds limit (0) in function 'count.resume'"; functions without a frame
 * are silent.
 */
void emit_hear_stack(struct lower *lower, const char *message)
{
	unsigned nbytes;
	const char *size = strstr(message, "stack frame size (");
	const char *name = strstr(message, "in function '");
	if (!size || !name || sscanf(size, "stack frame size (%u)", &nbytes) != 1)
		return;
	name += strlen("in function '");
	lower->stacks = pool_grow(lower->stacks, lower->stack_count, sizeof *lower->stacks);
	lower->stacks[lower->stack_count++] = (struct stack){
		.function = pool_format("%.*s", (int)strcspn(name, "'"), name),
		.nbytes = nbytes,
	};
}

static uint32_t own_stack(const struct lower *lower, const char *function)
{
	for (size_t i = 0; i < lower->stack_count; i++) {
		if (!strcmp(lower->stacks[i].function, function))
			return lower->stacks[i].nbytes;
	}
	return 0;
}

/* The function that code generation calls for an intrinsic, or the callee itself. */
static LLVMValueRef called_function(const struct lower *lower, LLVMValueRef call)
{
	static const char *const called[] = {"memcpy", "memmove", "memset"};
	for (size_t i = 0; i < sizeof called / sizeof *called; i++) {
		if (llvm_calls_intrinsic(call, pool_format("llvm.%s", called[i])))
			return LLVMGetNamedFunction(lower->module, called[i]);
	}
	return llvm_callee(call);
}

/*
 * Recursive in the compiler: library functions call each other a few levels deep, never in a
 * circle.
 */
static uint32_t stack_below(const struct lower *lower, LLVMValueRef function)
{
	uint32_t deepest = 0;
	size_t count = 0;
	LLVMValueRef *all = llvm_instructions(function, &count);
	for (size_t i = 0; i < count; i++) {
		LLVMValueRef callee = called_function(lower, all[i]);
		if (!callee || LLVMIsDeclaration(callee) || callee == function)
			continue;
		uint32_t below = stack_below(lower, callee);
		deepest = below > deepest ? below : deepest;
	}
	return own_stack(lower, LLVMGetValueName(function)) + RETURN_ADDRESS_BYTES + deepest;
}

uint32_t emit_stack_bytes(const struct lower *lower, LLVMValueRef entry, LLVMValueRef resume)
{
	uint32_t at_start = stack_below(lower, entry);
	uint32_t later = stack_below(lower, resume);
	return at_start > later ? at_start : later;
}

/* ---- limits ---------------------------------------------------------------------------------- */

static void refuse(const struct kernel *kernel, const char *what, uint32_t nbytes, uint32_t most,
	const char *note)
{
	diag_error(kernel->file, kernel->line, 1,
		pool_format("%s of kernel '%s' has %u bytes, more than %u", what, kernel->name,
			nbytes, most),
		note);
}

static const char *largest_note(const struct kernel *kernel)
{
	if (!kernel->largest_name || kernel->largest_bytes < LARGE_BYTES)
		return "keep fewer variables at once, or compile with -O2";
	return pool_format(
		"'%s' alone has %u bytes: make it smaller, or let the host allocate far memory and "
		"pass a `far T *`",
		kernel->largest_name, kernel->largest_bytes);
}

bool emit_check_limits(const struct kernel *kernel, enum nimg_isa isa)
{
	if (kernel->frame_bytes[isa] > NK_FRAME_MAX)
		refuse(kernel, "the frame", kernel->frame_bytes[isa], NK_FRAME_MAX,
			largest_note(kernel));
	else if (kernel->stack_bytes[isa] > NK_STACK_MAX)
		refuse(kernel, "the stack", kernel->stack_bytes[isa], NK_STACK_MAX,
			largest_note(kernel));
	else if (kernel->code_bytes[isa] > NK_CODE_MAX)
		refuse(kernel, "the code", kernel->code_bytes[isa], NK_CODE_MAX,
			"whatever a kernel calls becomes part of it at every call: call large functions "
			"from one place, or compile with -Os");
	else
		return true;
	return false;
}
