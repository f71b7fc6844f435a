/*
 * options.c - the command line: one table of options, the same spelling as cc's where both have
 * one.
 */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "compiler/options.h"

static const char help[] =
	"usage: nprocc [options] app.c [more.c | .o | .a]... -o app    program with its kernels inside\n"
	"       nprocc [options] -c kernels.c... -o kernels.nk         image of kernels\n"
	"       nprocc [options] -c kernels.c... -o kernels.o          the same inside an object file\n"
	"\n"
	"  -o FILE           where to write (a.out; with -c: the first input with .nk, and\n"
	"                    - for standard output)\n"
	"  -c                kernels only: write an image, which nproc_image_open() loads\n"
	"  -O0 -O1 -O2 -O3 -Os   how far to optimise (-O2)\n"
	"  -g                debug information for kernels and host code\n"
	"  -D -U -I -include -isystem -std=   as for cc, for kernels and host code\n"
	"  -W... -f... -m... -pthread         for host code only\n"
	"  -l -L -Wl,...     for the linker of the program\n"
	"  -MF FILE          with -c: write there, for make, which files the kernels depend on\n"
	"  --report          code, frame and stack bytes, waits and far accesses of each kernel\n"
	"  --report=json     the same as JSON\n"
	"  --dump=STEP       print the kernels' code after STEP:\n"
	"                    bitcode, close, concrete, bounds, scratch, library, suspend,\n"
	"                    optimise, far, kill, clean\n"
	"  -v                print the steps, their time and the commands that are run\n"
	"  --version         print the version\n"
	"  -h, --help        print this\n"
	"\n"
	"Exit code: 0 done, 1 the source was refused or the output cannot be written,\n"
	"2 wrong usage or a missing tool.\n";

static const char *const steps[] = {"bitcode", "close", "concrete", "bounds", "scratch", "library",
	"suspend", "split", "optimise", "far", "kill", "clean"};

struct arguments {
	int argc;
	const char *const *argv;
	int at;
};

/* The value of an option: the rest of its word, or the next word. NULL: there is none. */
static const char *value_of(struct arguments *arguments, size_t option_length)
{
	const char *word = arguments->argv[arguments->at];
	if (word[option_length])
		return word + option_length;
	return arguments->at + 1 < arguments->argc ? arguments->argv[++arguments->at] : NULL;
}

static bool starts(const char *word, const char *prefix)
{
	return !strncmp(word, prefix, strlen(prefix));
}

static void append(const char ***list, size_t *count, const char *item)
{
	*list = pool_grow(*list, *count, sizeof **list);
	(*list)[(*count)++] = item;
}

static bool usage_error(const char *what, const char *word)
{
	fprintf(stderr, "nprocc: %s%s%s\nnote: nprocc --help lists the options\n", what,
		word ? ": " : "", word ? word : "");
	return false;
}

/* -D NAME, -Idir, -include FILE...: for both parses. */
static bool parse_for_clang(struct options *options, struct arguments *arguments, bool *known)
{
	static const char *const names[] = {"-include", "-isystem", "-iquote", "-D", "-U", "-I"};
	const char *word = arguments->argv[arguments->at];
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		if (!starts(word, names[i]))
			continue;
		const char *value = value_of(arguments, strlen(names[i]));
		if (!value)
			return usage_error("option without a value", word);
		append(&options->clang_args, &options->clang_arg_count, names[i]);
		append(&options->clang_args, &options->clang_arg_count, value);
		*known = true;
		return true;
	}
	if (starts(word, "-std=")) {
		append(&options->clang_args, &options->clang_arg_count, word);
		*known = true;
	}
	return true;
}

static bool parse_for_host(struct options *options, struct arguments *arguments, bool *known)
{
	const char *word = arguments->argv[arguments->at];
	if (starts(word, "-l") || starts(word, "-L")) {
		const char *value = value_of(arguments, 2);
		if (!value)
			return usage_error("option without a value", word);
		append(&options->link_args, &options->link_arg_count,
			pool_format("%.2s%s", word, value));
		*known = true;
	} else if (starts(word, "-Wl,")) {
		append(&options->link_args, &options->link_arg_count, word);
		*known = true;
	} else if (starts(word, "-W") || starts(word, "-f") || starts(word, "-m") ||
		   !strcmp(word, "-pthread") || !strcmp(word, "-w")) {
		append(&options->host_args, &options->host_arg_count, word);
		*known = true;
	}
	return true;
}

static bool parse_dump(struct options *options, const char *step)
{
	for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
		if (!strcmp(step, steps[i])) {
			options->dump = steps[i];
			return true;
		}
	}
	return usage_error("--dump knows no step of this name", step);
}

static bool parse_switch(struct options *options, const char *word, bool *known)
{
	*known = true;
	if (!strcmp(word, "-c"))
		options->compile_only = true;
	else if (!strcmp(word, "-g"))
		options->debug = true;
	else if (!strcmp(word, "-v"))
		options->verbose = true;
	else if (!strcmp(word, "--report"))
		options->report = true;
	else if (!strcmp(word, "--report=json"))
		options->report = options->report_json = true;
	else if (!strcmp(word, "-O"))
		options->optimise = '1';
	else if (starts(word, "-O") && strchr("0123s", word[2]) && !word[3])
		options->optimise = word[2];
	else if (starts(word, "--dump="))
		return parse_dump(options, word + strlen("--dump="));
	else
		*known = false;
	return true;
}

static bool parse_word(struct options *options, struct arguments *arguments)
{
	const char *word = arguments->argv[arguments->at];
	bool known = false;
	if (word[0] != '-' || !word[1]) {
		append(&options->inputs, &options->input_count, word);
		return true;
	}
	if (starts(word, "-MF")) {
		options->depfile = value_of(arguments, 3);
		return options->depfile || usage_error("option without a value", word);
	}
	if (starts(word, "-o")) {
		options->output = value_of(arguments, 2);
		return options->output || usage_error("option without a value", word);
	}
	bool good = parse_switch(options, word, &known) &&
		    (known || parse_for_clang(options, arguments, &known)) &&
		    (known || parse_for_host(options, arguments, &known));
	return good && (known || usage_error("unknown option", word));
}

static bool check_inputs(const struct options *options)
{
	for (size_t i = 0; i < options->input_count; i++) {
		const char *input = options->inputs[i];
		bool source = tools_ends(input, ".c");
		if (!source && options->compile_only)
			return usage_error("with -c every input is a .c file", input);
		if (!source && !tools_ends(input, ".o") && !tools_ends(input, ".a") &&
			!tools_ends(input, ".so"))
			return usage_error("an input is a .c, .o, .a or .so file", input);
	}
	return options->input_count || usage_error("no input file", NULL);
}

static void choose_output(struct options *options)
{
	if (options->output)
		return;
	const char *input = options->inputs[0];
	const char *slash = strrchr(input, '/');
	const char *base = slash ? slash + 1 : input;
	options->output = options->compile_only
				  ? pool_format("%.*s.nk", (int)strlen(base) - 2, base)
				  : "a.out";
}

/* An image may go where others read it; what else would be printed there has to go. */
static bool check_standard_output(const struct options *options)
{
	if (!options_writes_to_standard_output(options))
		return true;
	if (!options->compile_only)
		return usage_error(
			"a program is not written to standard output: name its file with -o, "
			"or use -c for an image",
			NULL);
	if (options->report)
		return usage_error(
			"the image and --report cannot both go to standard output", NULL);
	if (options->depfile)
		return usage_error("-MF needs the name of the image: name its file with -o", NULL);
	return true;
}

/* What is written must not take the place of what is read, under whatever name. */
static bool check_output(const struct options *options)
{
	struct stat output, input;
	if (options_writes_to_standard_output(options) || stat(options->output, &output))
		return true;
	for (size_t i = 0; i < options->input_count; i++) {
		if (!stat(options->inputs[i], &input) && input.st_dev == output.st_dev &&
			input.st_ino == output.st_ino)
			return usage_error(
				"the output would overwrite this input", options->inputs[i]);
	}
	return true;
}

bool options_writes_to_standard_output(const struct options *options)
{
	return !strcmp(options->output, "-");
}

bool options_parse(struct options *options, int argc, const char *const *argv, int *status)
{
	struct arguments arguments = {.argc = argc, .argv = argv, .at = 1};
	*options = (struct options){.optimise = '2'};
	*status = NPROCC_FAILED;
	for (; arguments.at < argc; arguments.at++) {
		const char *word = argv[arguments.at];
		bool asks_version = !strcmp(word, "--version");
		if (asks_version || !strcmp(word, "--help") || !strcmp(word, "-h")) {
			fputs(asks_version ? "nprocc " NPROCC_VERSION "\n" : help, stdout);
			*status = report_flush() ? NPROCC_OK : NPROCC_FAILED;
			return false;
		}
		if (!parse_word(options, &arguments))
			return false;
	}
	if (!check_inputs(options))
		return false;
	append(&options->clang_args, &options->clang_arg_count, "-I");
	append(&options->clang_args, &options->clang_arg_count, tools_include_folder());
	choose_output(options);
	return check_standard_output(options) && check_output(options);
}
