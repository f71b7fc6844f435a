/* front_parse.h - from a source file to a libclang translation unit. */
#ifndef NEARSIDE_COMPILER_FRONT_PARSE_H
#define NEARSIDE_COMPILER_FRONT_PARSE_H

#include <clang-c/Index.h>

#include "compiler/nprocc.h"

/*
 * Parses unit->path: as host code while nothing is blanked, else as device code with the blanked
 * files in place of those on disk. False (reported) when clang cannot even begin; what it finds
 * wrong is in the unit.
 */
bool front_parse(CXIndex index, const struct unit *unit, const struct options *options,
	CXTranslationUnit *tu);

/*
 * Where something stands in a file: of a macro's text, where the macro was used or its argument
 * written.
 */
struct place {
	const char *file; /* as the unit named it; "" when it is in none */
	unsigned line;
	unsigned column;
	unsigned offset;
};

struct place front_place(CXSourceLocation location);
struct place front_place_of(CXCursor cursor);

/* The first byte of a cursor's text, and the first after it. */
struct place front_begin_of(CXCursor cursor);
struct place front_end_of(CXCursor cursor);

/* Is this in one of Nearside's own headers? */
bool front_in_library(const struct place *place);

/* The file that a cursor's text stands in. */
CXFile front_file_of(CXCursor cursor);

#endif
