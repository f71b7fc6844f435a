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

static const char **parse_arguments(
	const struct unit *unit, const struct options *options, int *count)
{
	const char *const both[] = {"-x", "c", "-resource-dir", NPROCC_RESOURCE_DIR, "-isystem",
		tools_include_folder()};
	static const char *const device[] = {
		"-DNEARSIDE_COMPILING_KERNELS", "-fsigned-char", "-w", "-Werror=int-conversion"};
	const char **args = NULL;
	size_t n = 0;
	for (size_t i = 0; i < sizeof both / sizeof *both; i++) {
		args = pool_grow(args, n, sizeof *args);
		args[n++] = both[i];
	}
	for (size_t i = 0; i < options->clang_arg_count; i++) {
		args = pool_grow(args, n, sizeof *args);
		args[n++] = options->clang_args[i];
	}
	for (size_t i = 0; unit->blanked && i < sizeof device / sizeof *device; i++) {
		args = pool_grow(args, n, sizeof *args);
		args[n++] = device[i];
	}
	*count = (int)n;
	return args;
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
	int count = 0;
	const char **args = parse_arguments(unit, options, &count);
	enum CXErrorCode error = clang_parseTranslationUnit2(index, unit->path, args, count, files,
		(unsigned)unit->blanked_count, CXTranslationUnit_None, tu);
	if (error != CXError_Success)
		diag_error(unit->path, 0, 0, "clang cannot parse this file with these arguments",
			"nprocc -v shows the arguments");
	return error == CXError_Success;
}
