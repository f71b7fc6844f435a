/* front_parse.h - from a source file to a libclang translation unit without errors. */
#ifndef NEARSIDE_COMPILER_FRONT_PARSE_H
#define NEARSIDE_COMPILER_FRONT_PARSE_H

#include <clang-c/Index.h>
#include <stdbool.h>

#include "compiler/nprocc.h"

/*
 * Parses unit->path: as host code when unit->blanked is NULL, else as device code with the blanked files in
 * place of those on disk. False after errors, all of which were reported.
 */
bool front_parse(CXIndex index, const struct unit *unit, const struct options *options,
	CXTranslationUnit *tu);

/* Where a cursor stands in a file: of a macro's text, where the macro was used or its argument written. */
struct place {
	CXFile file;
	unsigned line;
	unsigned column;
	unsigned offset;
};

struct place front_place(CXSourceLocation location);
struct place front_place_of(CXCursor cursor);

/* The first byte of a cursor's text, and the first after it. */
struct place front_begin_of(CXCursor cursor);
struct place front_end_of(CXCursor cursor);

#endif
