/* main.c - the pipeline of nprocc, as nprocc.h describes it. */
#include <stdio.h>
#include <string.h>

#include "compiler/options.h"

static void list_kernels(struct program *program, struct unit *unit)
{
	for (size_t i = 0; i < unit->kernel_count; i++) {
		program->kernels = pool_grow(
			program->kernels, program->kernel_count, sizeof *program->kernels);
		program->kernels[program->kernel_count++] = &unit->kernels[i];
	}
}

static bool read_units(struct program *program)
{
	const struct options *options = program->options;
	step_begin(options, "read");
	program->units = pool_alloc(options->input_count * sizeof *program->units);
	bool good = true;
	for (size_t i = 0; i < options->input_count; i++) {
		if (!tools_ends(options->inputs[i], ".c"))
			continue;
		struct unit *unit = &program->units[program->unit_count++];
		unit->path = options->inputs[i];
		if (front_read(unit, options))
			list_kernels(program, unit);
		else
			good = false;
	}
	return good;
}

/* Kernels are found by name in an image, across all its units. */
static bool check_names(const struct program *program)
{
	for (size_t i = 0; i < program->kernel_count; i++) {
		for (size_t j = 0; j < i; j++) {
			const struct kernel *first = program->kernels[j],
					    *second = program->kernels[i];
			if (strcmp(first->name, second->name))
				continue;
			diag_error(second->file, second->line, 1,
				pool_format("a second kernel of the name '%s'", second->name),
				"kernels of one image need different names: rename one");
			diag_note(first->file, first->line, 1, "the first one is here");
		}
	}
	if (program->kernel_count == 0 && program->options->compile_only)
		diag_error(program->options->inputs[0], 0, 0, "no kernel in here",
			"mark one: NPROC_KERNEL int64_t name(...)");
	else if (program->kernel_count == 0)
		diag_warning(program->options->inputs[0], 0, 0,
			program->unit_count > 1 ? "no kernel in any of these files"
						: "no kernel in here",
			"the program will find no image of its own; mark one: NPROC_KERNEL int64_t "
			"name(...)");
	return diag_error_count() == 0;
}

static bool compile_kernels(struct program *program)
{
	const char **bitcode = pool_alloc(program->unit_count * sizeof *bitcode);
	step_begin(program->options, "bitcode");
	for (size_t i = 0; i < program->unit_count; i++) {
		if (program->units[i].kernel_count == 0)
			continue;
		bitcode[i] = bitcode_compile(&program->units[i], program->options);
		if (!bitcode[i])
			return false;
	}
	return program->kernel_count == 0 || lower_program(program, bitcode);
}

static bool write_output(const struct program *program)
{
	void *image = NULL;
	size_t nbytes = 0;
	const struct options *options = program->options;
	step_begin(options, "image");
	if (program->kernel_count)
		image_build(program, &image, &nbytes);
	if (options_writes_to_standard_output(options))
		return fwrite(image, 1, nbytes, stdout) == nbytes;
	if (options->compile_only && tools_ends(options->output, ".o"))
		return link_object(options, options->output, image, nbytes);
	if (options->compile_only)
		return tools_write(options->output, image, nbytes);
	step_begin(options, "link");
	return link_program(program, image, nbytes);
}

static int compile(const struct options *options)
{
	struct program program = {.options = options};
	bool good = read_units(&program) && check_names(&program) && compile_kernels(&program);
	if (good && !options->dump)
		good = write_output(&program);
	step_end(options);
	if (good && options->report)
		report_print(&program, options->report_json);
	if (!report_flush())
		return NPROCC_FAILED;
	return good && diag_error_count() == 0 ? NPROCC_OK : NPROCC_REFUSED;
}

int main(int argc, char **argv)
{
	struct options options;
	int status;
	if (!options_parse(&options, argc, (const char *const *)argv, &status))
		return status;
	interrupt_catch();
	status = compile(&options);
	tools_clean();
	return status;
}
