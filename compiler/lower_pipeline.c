/* lower_pipeline.c - the order of the lowering steps, which lower.h lists, and what they share. */
#include <stdio.h>
#include <string.h>

#include <llvm-c/Linker.h>

#include "compiler/emit.h"

/* ---- parts of a kernel -------------------------------------------------------------------------- */

LLVMValueRef lower_entry(const struct lower *lower, const struct kernel *kernel)
{
	return LLVMGetNamedFunction(lower->module, kernel->name);
}

struct kernel *lower_kernel_of(const struct lower *lower, LLVMValueRef function)
{
	const char *name = LLVMGetValueName(function);
	size_t length = strcspn(name, ".");
	for (size_t i = 0; i < lower->program->kernel_count; i++) {
		struct kernel *kernel = lower->program->kernels[i];
		if (strlen(kernel->name) == length && !strncmp(kernel->name, name, length))
			return kernel;
	}
	return NULL;
}

/* ---- places ------------------------------------------------------------------------------------- */

static LLVMValueRef function_of(LLVMValueRef instruction)
{
	return LLVMGetBasicBlockParent(LLVMGetInstructionParent(instruction));
}

/* Where an instruction comes from; for one without a line, where its kernel begins. */
static struct llvm_place place_of(struct lower *lower, LLVMValueRef instruction)
{
	struct llvm_place place = llvm_place(instruction);
	const struct kernel *kernel = lower_kernel_of(lower, function_of(instruction));
	if (place.line || !kernel)
		return place;
	return (struct llvm_place){kernel->file, kernel->line, 1, kernel->name};
}

static bool same_site(const struct site *site, const struct llvm_place *place, const char *text)
{
	return site->line == place->line && site->column == place->column &&
	       !strcmp(site->file, place->file) && !strcmp(site->function, place->function) &&
	       !strcmp(site->text, text);
}

uint32_t lower_site(struct lower *lower, LLVMValueRef instruction, const char *text)
{
	struct program *program = lower->program;
	struct llvm_place place = place_of(lower, instruction);
	for (size_t i = 1; i < program->site_count; i++) {
		if (same_site(&program->sites[i], &place, text))
			return (uint32_t)i;
	}
	program->sites = pool_grow(program->sites, program->site_count, sizeof *program->sites);
	program->sites[program->site_count] =
		(struct site){place.file, place.line, place.column, place.function, text};
	return (uint32_t)program->site_count++;
}

void lower_refuse(struct lower *lower, LLVMValueRef instruction, const char *text, const char *note)
{
	struct llvm_place place = place_of(lower, instruction);
	diag_error(place.file, place.line, place.column, text, note);
}

void lower_fault_before(
	struct lower *lower, LLVMValueRef instruction, enum nk_fault kind, const char *text)
{
	LLVMPositionBuilderBefore(lower->builder, instruction);
	LLVMValueRef site = llvm_u32(lower, lower_site(lower, instruction, text));
	LLVMValueRef args[] = {llvm_u32(lower, kind), site};
	llvm_call(lower, "nkl_fault_here", lower->nothing, args, 2);
}

void lower_replace_by_fault(
	struct lower *lower, LLVMValueRef call, enum nk_fault kind, const char *text)
{
	lower_fault_before(lower, call, kind, text);
	LLVMInstructionEraseFromParent(call);
}

void lower_dump(const struct lower *lower, const char *step)
{
	if (!lower->options->dump || strcmp(lower->options->dump, step))
		return;
	char *text = LLVMPrintModuleToString(lower->module);
	printf("; after step %s, for %s\n%s", step, LLVMGetTarget(lower->module), text);
	fflush(stdout);
	LLVMDisposeMessage(text);
}

/* ---- the steps ---------------------------------------------------------------------------------- */

/* LLVM's remarks are not for people, but for two: stack sizes, and errors. */
static void listen(LLVMDiagnosticInfoRef info, void *context)
{
	char *message = LLVMGetDiagInfoDescription(info);
	emit_hear_stack(context, message);
	if (LLVMGetDiagInfoSeverity(info) == LLVMDSError)
		diag_error(NULL, 0, 0, pool_copy(message), NULL);
	LLVMDisposeMessage(message);
}

static void open_lower(struct lower *lower, struct program *program)
{
	LLVMContextRef context = LLVMContextCreate();
	*lower = (struct lower){
		.program = program,
		.options = program->options,
		.context = context,
		.builder = LLVMCreateBuilderInContext(context),
		.nothing = LLVMVoidTypeInContext(context),
		.i1 = LLVMInt1TypeInContext(context),
		.i8 = LLVMInt8TypeInContext(context),
		.i32 = LLVMInt32TypeInContext(context),
		.i64 = LLVMInt64TypeInContext(context),
		.pointer = LLVMPointerTypeInContext(context, SPACE_PRIVATE),
		.far_pointer = LLVMPointerTypeInContext(context, SPACE_FAR),
	};
	LLVMContextSetDiagnosticHandler(context, listen, lower);
	program->sites = pool_grow(NULL, 0, sizeof *program->sites);
	program->sites[program->site_count++] =
		(struct site){.file = "", .function = "", .text = ""};
}

static void close_lower(struct lower *lower)
{
	llvm_drop_machine(lower);
	if (lower->module)
		LLVMDisposeModule(lower->module);
	LLVMDisposeBuilder(lower->builder);
	LLVMContextDispose(lower->context);
}

/* Units are closed one by one, so that their static functions keep apart, then joined. */
static bool close_unit(struct lower *lower, const struct unit *unit, const char *bitcode_path)
{
	LLVMModuleRef joined = lower->module;
	lower->module = llvm_read_file(lower, bitcode_path);
	llvm_use_isa(lower, NIMG_X86_64);
	lower_dump(lower, "bitcode");
	bool good = lower_close(lower, unit);
	if (good)
		lower_dump(lower, "close");
	if (!joined)
		return good;
	good = !LLVMLinkModules2(joined, lower->module) && good; /* takes the second module */
	lower->module = joined;
	return good;
}

static bool close_units(struct lower *lower, const char *const *bitcode_paths)
{
	const struct program *program = lower->program;
	step_begin(lower->options, "close");
	for (size_t i = 0; i < program->unit_count; i++) {
		if (bitcode_paths[i] && !close_unit(lower, &program->units[i], bitcode_paths[i]))
			return false;
	}
	return true;
}

static bool run_shared_steps(struct lower *lower)
{
	static const struct {
		const char *name;
		bool (*run)(struct lower *);
	} steps[] = {
		{"concrete", lower_concrete},
		{"bounds", lower_bounds},
		{"scratch", lower_scratch},
		{"library", lower_library},
		{"suspend", lower_suspend},
		{"split", lower_split},
	};
	for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
		step_begin(lower->options, steps[i].name);
		if (!steps[i].run(lower))
			return false;
		lower_dump(lower, steps[i].name);
	}
	return true;
}

bool lower_program(struct program *program, const char *const *bitcode_paths)
{
	struct lower lower;
	open_lower(&lower, program);
	bool good =
		close_units(&lower, bitcode_paths) && run_shared_steps(&lower) && emit_all(&lower);
	close_lower(&lower);
	return good && diag_error_count() == 0;
}
