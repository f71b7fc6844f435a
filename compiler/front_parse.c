#include <string.h>

#include "compiler/front_parse.h"
#include "compiler/front_text.h"

struct place front_place(CXSourceLocation location)
{
	CXFile file;
	struct place place;
	clang_getFileLocation(location, &file, &place.line, &place.column, &place.offset);
	place.file = file ? front_take(clang_getFileName(file)) : "";
	return place;
}

struct place front_place_of(CXCursor cursor)
{
	return front_place(clang_getCursorLocation(cursor));
}

bool front_in_library(const struct place *place)
{
	const char *folder = pool_format("%s/nearside/", tools_include_folder());
	return !strncmp(place->file, folder, strlen(folder));
}

CXFile front_file_of(CXCursor cursor)
{
	CXFile file;
	clang_getFileLocation(clang_getCursorLocation(cursor), &file, NULL, NULL, NULL);
	return file;
}

struct place front_begin_of(CXCursor cursor)
{
	return front_place(clang_getRangeStart(clang_getCursorExtent(cursor)));
}

struct place front_end_of(CXCursor cursor)
{
	return front_place(clang_getRangeEnd(clang_getCursorExtent(cursor)));
}

struct arguments {
	const char **items;
	size_t count;
};

static void add(struct arguments *arguments, const char *const *items, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		arguments->items =
			pool_grow(arguments->items, arguments->count, sizeof *arguments->items);
		arguments->items[arguments->count++] = items[i];
	}
}

/* What -W and -w say about warnings; -Wl, and -Wp, are for other programs. */
static void add_warnings(struct arguments *arguments, const struct options *options)
{
	for (size_t i = 0; i < options->host_arg_count; i++) {
		const char *argument = options->host_args[i];
		bool is_passed_on = strlen(argument) > 3 && argument[3] == ',';
		if (!strcmp(argument, "-w") || (!strncmp(argument, "-W", 2) && !is_passed_on))
			add(arguments, &argument, 1);
	}
}

/*
 * Of device code only what would be wrong in a kernel: warnings about the file were for the first
 * parse.
 */
static struct arguments arguments_of(const struct unit *unit, const struct options *options)
{
	const char *const both[] = {"-x", "c", "-resource-dir", NPROCC_RESOURCE_DIR, "-isystem",
		tools_include_folder()};
	static const char *const device[] = {"-DNEARSIDE_COMPILING_KERNELS", "-fsigned-char",
		"-Wno-everything", "-Werror=int-conversion", "-Werror=format",
		"-Werror=format-nonliteral", "-Werror=shift-count-negative",
		"-Werror=shift-count-overflow", /* of constants, which clang folds to nothing */
		"-Wreturn-type"};               /* for judge_returns() */
	/* Kernels of other files, which are static functions to the host. */
	static const char *const host[] = {"-Wno-undefined-internal"};
	struct arguments arguments = {0};
	add(&arguments, both, sizeof both / sizeof *both);
	add(&arguments, options->clang_args, options->clang_arg_count);
	if (unit->blanked) {
		add(&arguments, device, sizeof device / sizeof *device);
	} else {
		add(&arguments, host, sizeof host / sizeof *host);
		add_warnings(&arguments, options);
	}
	return arguments;
}

bool front_parse(CXIndex index, const struct unit *unit, const struct options *options,
	CXTranslationUnit *tu)
{
	struct CXUnsavedFile *files = NULL;
	for (size_t i = 0; i < unit->blanked_count; i++) {
		files = pool_grow(files, i, sizeof *files);
		files[i] = (struct CXUnsavedFile){unit->blanked[i].name, unit->blanked[i].source,
			strlen(unit->blanked[i].source)};
	}
	struct arguments arguments = arguments_of(unit, options);
	enum CXErrorCode error = clang_parseTranslationUnit2(index, unit->path, arguments.items,
		(int)arguments.count, files, (unsigned)unit->blanked_count, CXTranslationUnit_None,
		tu);
	if (error != CXError_Success)
		diag_error(unit->path, 0, 0, "clang cannot parse this file with these arguments",
			"nprocc -v shows the arguments");
	return error == CXError_Success;
}
