/*
 * bitcode.c - one run of clang: a unit's source, as the front end blanked it, becomes LLVM bitcode.
 *
 * For the host's triple (glibc's headers do not parse for another), optimised as -O2 by marks only:
 * -O0 would forbid optimisation later and drop lifetimes. Of the user's options only those that
 * change what the source means come here; what is meant for host code alone must not leak into
 * kernels.
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compiler/nprocc.h"

static char *json_string(const char *text)
{
	char *quoted = pool_alloc(2 * strlen(text) + 3);
	char *to = quoted;
	*to++ = '"';
	for (; *text; text++) {
		if (*text == '"' || *text == '\\')
			*to++ = '\\';
		*to++ = *text;
	}
	*to++ = '"';
	return quoted;
}

/* A list of files that clang reads in place of those on disk. */
static const char *write_overlay(const struct unit *unit)
{
	const char *list = "";
	for (size_t i = 0; i < unit->blanked_count; i++) {
		const struct blanked *file = &unit->blanked[i];
		const char *copy = pool_format("%s/blanked-%zu", tools_folder(), i);
		if (!tools_write(copy, file->source, strlen(file->source)))
			return NULL;
		list = pool_format(
			"%s%s{\"type\": \"file\", \"name\": %s, \"external-contents\": %s}", list,
			i ? ", " : "", json_string(file->path), json_string(copy));
	}
	const char *path = pool_format("%s/overlay.yaml", tools_folder());
	const char *text = pool_format("{\"version\": 0, \"case-sensitive\": true, "
				       "\"use-external-names\": false, \"roots\": [%s]}\n",
		list);
	return tools_write(path, text, strlen(text)) ? path : NULL;
}

/* What kernel code means, the same on every device. docs/kernel-language.md explains each. */
static const char *const language[] = {
	"-fsigned-char",
	"-ffp-contract=off",
	"-fno-math-errno",
	"-fno-strict-float-cast-overflow", /* out of range: the nearest integer */
	"-ftrivial-auto-var-init=zero",
	/* What clang would fold away where it sees constants; the rest is lower_bounds.c's. */
	"-fsanitize=array-bounds,integer-divide-by-zero",
	"-fsanitize-trap=array-bounds",
	"-fno-sanitize-recover=integer-divide-by-zero",
	"-fsanitize-minimal-runtime", /* calls with a name, which lower_division.c looks for */
	"-mllvm",
	"-ubsan-unique-traps", /* each trap keeps its place */
	"-fno-stack-protector",
	"-fno-discard-value-names", /* messages and dumps name variables */
	"-fmacro-backtrace-limit=1",
	"-Wno-everything", /* front.c has told what clang warns about */
	"-Werror=format",  /* of nproc_log() */
	"-Werror=format-nonliteral",
	"-U_FORTIFY_SOURCE",
	"-DNEARSIDE_COMPILING_KERNELS",
};

/* Adds one unit's dependencies to those of the units before it. */
static bool append_rule(const char *path, const char *rule)
{
	static const char *text = "";
	void *bytes = NULL;
	size_t nbytes = 0;
	if (!tools_read(rule, &bytes, &nbytes))
		return false;
	text = pool_format("%s%s", text, (const char *)bytes);
	return tools_write(path, text, strlen(text));
}

const char *bitcode_compile(const struct unit *unit, const struct options *options)
{
	static unsigned count;
	const char *overlay = write_overlay(unit);
	if (!overlay)
		return NULL;
	const char *output = pool_format("%s/unit-%u.bc", tools_folder(), count++);
	struct command command = {0};
	tools_add(&command, NPROCC_CLANG);
	for (size_t i = 0; i < options->clang_arg_count; i++)
		tools_add(&command, options->clang_args[i]);
	for (size_t i = 0; i < sizeof language / sizeof *language; i++)
		tools_add(&command, language[i]);
	tools_add(&command, options->debug ? "-g" : "-gline-tables-only");
	if (!options->debug)
		tools_add(&command, "-fdebug-compilation-dir=."); /* images do not depend on it */
	tools_add(&command, "-ivfsoverlay");
	tools_add(&command, overlay);
	const char *rule = pool_format("%s.d", output);
	const char *const depend[] = {"-MD", "-MT", options->output, "-MF", rule};
	for (size_t i = 0; options->depfile && i < sizeof depend / sizeof *depend; i++)
		tools_add(&command, depend[i]);
	static const char *const rest[] = {
		"-O2", "-Xclang", "-disable-llvm-passes", "-emit-llvm", "-c", "-x", "c", "-o"};
	for (size_t i = 0; i < sizeof rest / sizeof *rest; i++)
		tools_add(&command, rest[i]);
	tools_add(&command, output);
	tools_add(&command, unit->path);
	tools_add(&command, NULL);
	int status = tools_run(command.argv, options->verbose);
	if (status > 0)
		diag_error(unit->path, 0, 0, "the kernels of this file do not compile", NULL);
	if (status || (options->depfile && !append_rule(options->depfile, rule)))
		return NULL;
	return output;
}
