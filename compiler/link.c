/*
 * link.c - single source: the host code of every input becomes ordinary object code, the image goes
 * between the symbols that nearside/nproc.h declares, and clang links both with libnearside into
 * one program.
 *
 * Kernels leave no host code behind: nearside/kernel.h makes them inline functions that nobody
 * calls. What they call and nobody else does goes when the linker drops unused sections.
 */
#include <string.h>

#include "compiler/nprocc.h"

static void add_all(struct command *command, const char *const *arguments, size_t count)
{
	for (size_t i = 0; i < count; i++)
		tools_add(command, arguments[i]);
}

static bool run(struct command *command, const struct options *options)
{
	tools_add(command, NULL);
	return tools_run(command->argv, options->verbose) == 0;
}

/* The object file of one source, or NULL: clang has said why. */
static const char *compile_host(const struct options *options, const char *source, size_t number)
{
	struct command command = {0};
	const char *object = pool_format("%s/host-%zu.o", tools_folder(), number);
	tools_add(&command, NPROCC_CLANG);
	tools_add(&command, pool_format("-O%c", options->optimise));
	if (options->debug)
		tools_add(&command, "-g");
	tools_add(&command, "-Wno-undefined-internal"); /* kernels of other files */
	add_all(&command, options->clang_args, options->clang_arg_count);
	add_all(&command, options->host_args, options->host_arg_count);
	static const char *const rest[] = {"-ffunction-sections", "-fdata-sections", "-c", "-o"};
	add_all(&command, rest, sizeof rest / sizeof *rest);
	tools_add(&command, object);
	tools_add(&command, source);
	if (run(&command, options))
		return object;
	diag_error(source, 0, 0, "the host code of this file does not compile", NULL);
	return NULL;
}

bool link_object(
	const struct options *options, const char *path, const void *image, size_t image_nbytes)
{
	const char *bytes = pool_format("%s/image.nk", tools_folder());
	const char *assembly = pool_format("%s/image.S", tools_folder());
	const char *text = pool_format("	.section .rodata.nearside_image, \"a\"\n"
				       "	.balign 64\n"
				       "	.globl nearside_image_begin, nearside_image_end\n"
				       "nearside_image_begin:\n"
				       "	.incbin \"%s\"\n"
				       "nearside_image_end:\n"
				       "	.section .note.GNU-stack, \"\"\n",
		bytes);
	if (!tools_write(bytes, image, image_nbytes) || !tools_write(assembly, text, strlen(text)))
		return false;
	const char *const argv[] = {NPROCC_CLANG, "-c", "-o", path, assembly, NULL};
	return tools_run(argv, options->verbose) == 0;
}

/* Objects and libraries in the order of the command line. */
static bool add_inputs(struct command *command, const struct options *options)
{
	bool good = true;
	for (size_t i = 0; i < options->input_count; i++) {
		const char *input = options->inputs[i];
		if (tools_ends(input, ".c"))
			input = compile_host(options, input, i);
		if (input)
			tools_add(command, input);
		good &= input != NULL;
	}
	return good;
}

bool link_program(const struct program *program, const void *image, size_t image_nbytes)
{
	const struct options *options = program->options;
	struct command command = {0};
	tools_add(&command, NPROCC_CLANG);
	tools_add(&command, "-o");
	tools_add(&command, options->output);
	if (!add_inputs(&command, options))
		return false;
	const char *object = pool_format("%s/image.o", tools_folder());
	if (image && !link_object(options, object, image, image_nbytes))
		return false;
	if (image)
		tools_add(&command, object);
	add_all(&command, options->host_args, options->host_arg_count);
	tools_add(&command, pool_format("--ld-path=%s", NPROCC_LLD));
	tools_add(&command, "-Wl,--gc-sections");
	add_all(&command, options->link_args, options->link_arg_count);
	tools_add(&command, pool_format("%s/libnearside.a", tools_library_folder()));
	tools_add(&command, "-pthread");
	tools_add(&command, "-lz"); /* checksums of images */
	tools_add(&command, "-lnuma");
	if (run(&command, options))
		return true;
	diag_error(options->output, 0, 0, "the program does not link", NULL);
	return false;
}
