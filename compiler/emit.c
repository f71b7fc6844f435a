/*
 * emit.c - machine code: a copy of the module is optimised for one ISA, far accesses and loops are checked, and
 * object code is linked into an ELF shared object that exports nk_kernels and needs nothing.
 */
#include <stdlib.h>
#include <string.h>

#include <llvm-c/Object.h>

#include "compiler/emit.h"

const char *const emit_isa_names[NIMG_ISA_COUNT] = {
	[NIMG_X86_64] = "x86-64",
	[NIMG_X86_64_V3] = "x86-64-v3",
	[NIMG_RISCV64] = "riscv64",
};

/* What the kernel library asks about the machine. */
static void define_facts(struct lower *lower, enum nimg_isa isa)
{
	LLVMValueRef fact = LLVMGetNamedGlobal(lower->module, "nkl_fast_unaligned");
	if (!fact)
		return;
	LLVMSetInitializer(fact, llvm_u64(lower, isa != NIMG_RISCV64));
	LLVMSetLinkage(fact, LLVMInternalLinkage);
}

/* ---- optimisation ------------------------------------------------------------------------------- */

static void optimise(struct lower *lower)
{
	llvm_run(lower, pool_format("default<O%c>,function(scalarize-masked-mem-intrin)",
				lower->options->optimise));
}

static void check_far(struct lower *lower, const struct kernel *kernel)
{
	LLVMValueRef entry = lower_entry(lower, kernel);
	lower_drop_promises(lower, lower_part(lower, kernel, "resume"));
	lower_far(lower, entry, lower_part(lower, kernel, "resume"));
}

static void clean(struct lower *lower)
{
	lower_library_inline(lower);
	llvm_run(lower, "function(mem2reg)"); /* the counts of far bytes */
	if (lower->options->optimise != '0')
		llvm_run(lower,
			"function(early-cse<memssa>,loop-mssa(licm),loop(indvars),gvn,simplifycfg,"
			"instcombine<no-verify-fixpoint>)");
}

/* ---- object code -------------------------------------------------------------------------------- */

static const char *write_object(struct lower *lower, enum nimg_isa isa)
{
	char *path = pool_format("%s/%s.o", tools_folder(), emit_isa_names[isa]);
	char *message = NULL;
	emit_ask_stack(lower);
	lower->stack_count = 0;
	if (LLVMTargetMachineEmitToFile(
		    lower->machine, lower->module, path, LLVMObjectFile, &message)) {
		diag_error(NULL, 0, 0, message, NULL);
		return NULL;
	}
	return path;
}

static bool link_shared(struct lower *lower, enum nimg_isa isa, const char *object)
{
	static const char *const emulations[NIMG_ISA_COUNT] = {
		[NIMG_X86_64] = "elf_x86_64",
		[NIMG_X86_64_V3] = "elf_x86_64",
		[NIMG_RISCV64] = "elf64lriscv",
	};
	const char *output = pool_format("%s/%s.so", tools_folder(), emit_isa_names[isa]);
	/* Cores without an operating system report traps, whose lines the host looks up. */
	bool keeps_lines = lower->options->debug || isa == NIMG_RISCV64;
	const char *const argv[] = {NPROCC_LLD, "-m", emulations[isa], "-shared", "-Bsymbolic",
		"-z", "defs", "-z", "noexecstack", "-z", "max-page-size=4096", "--gc-sections",
		"--hash-style=both", "--build-id=none",
		keeps_lines ? "--discard-locals" : "--strip-debug", "-o", output, object, NULL};
	if (tools_run(argv, lower->options->verbose)) {
		diag_error(NULL, 0, 0, "the kernels' code does not link",
			"please report it with the source file that shows it");
		return false;
	}
	void *bytes = NULL;
	if (!tools_read(output, &bytes, &lower->program->code[isa].nbytes))
		return false;
	lower->program->code[isa].bytes = bytes;
	return true;
}

/* ---- figures ------------------------------------------------------------------------------------ */

/* Does the symbol name the kernel's entry or resume function? */
static bool is_part(const char *symbol, const struct kernel *kernel)
{
	size_t length = strlen(kernel->name);
	return !strncmp(symbol, kernel->name, length) &&
	       (!symbol[length] || !strcmp(symbol + length, ".resume"));
}

static void count_code(struct lower *lower, enum nimg_isa isa, LLVMBinaryRef binary)
{
	const struct program *program = lower->program;
	LLVMSymbolIteratorRef symbol = LLVMObjectFileCopySymbolIterator(binary);
	for (; !LLVMObjectFileIsSymbolIteratorAtEnd(binary, symbol); LLVMMoveToNextSymbol(symbol)) {
		const char *name = LLVMGetSymbolName(symbol);
		for (size_t i = 0; i < program->kernel_count; i++) {
			if (is_part(name, program->kernels[i]))
				program->kernels[i]->code_bytes[isa] +=
					(uint32_t)LLVMGetSymbolSize(symbol);
		}
	}
	LLVMDisposeSymbolIterator(symbol);
}

static bool measure_code(struct lower *lower, enum nimg_isa isa)
{
	char *message = NULL;
	LLVMMemoryBufferRef buffer = LLVMCreateMemoryBufferWithMemoryRange(
		lower->program->code[isa].bytes, lower->program->code[isa].nbytes, "image", 0);
	LLVMBinaryRef binary = LLVMCreateBinary(buffer, lower->context, &message);
	if (!binary) {
		diag_error(NULL, 0, 0, message, NULL);
		return false;
	}
	count_code(lower, isa, binary);
	LLVMDisposeBinary(binary);
	LLVMDisposeMemoryBuffer(buffer);
	return true;
}

static bool measure(struct lower *lower, enum nimg_isa isa)
{
	bool good = measure_code(lower, isa);
	for (size_t i = 0; i < lower->program->kernel_count; i++) {
		struct kernel *kernel = lower->program->kernels[i];
		kernel->stack_bytes[isa] = emit_stack_bytes(
			lower, lower_entry(lower, kernel), lower_part(lower, kernel, "resume"));
		good &= emit_check_limits(kernel, isa);
	}
	return good;
}

/* ---- the steps of one ISA ----------------------------------------------------------------------- */

static bool emit_copy(struct lower *lower, enum nimg_isa isa)
{
	struct program *program = lower->program;
	llvm_use_isa(lower, isa);
	define_facts(lower, isa);
	optimise(lower);
	lower_dump(lower, "optimise");
	if (!emit_take_turn(lower, isa))
		return false;
	for (size_t i = 0; i < program->kernel_count; i++)
		check_far(lower, program->kernels[i]);
	if (diag_error_count() || !emit_pass_turn(lower, isa))
		return false;
	lower_dump(lower, "far");
	for (size_t i = 0; i < program->kernel_count; i++)
		lower_kill(lower, lower_part(lower, program->kernels[i], "resume"));
	lower_dump(lower, "kill");
	emit_table(lower, isa);
	clean(lower);
	lower_dump(lower, "clean");
	const char *object = write_object(lower, isa);
	return object && link_shared(lower, isa, object) && measure(lower, isa);
}

bool emit_isa(struct lower *lower, enum nimg_isa isa)
{
	LLVMModuleRef whole = lower->module;
	step_begin(lower->options, emit_isa_names[isa]);
	lower->module = LLVMCloneModule(whole);
	bool good = emit_copy(lower, isa);
	LLVMDisposeModule(lower->module);
	lower->module = whole;
	return good;
}
