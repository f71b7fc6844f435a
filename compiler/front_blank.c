#include <string.h>

#include "compiler/front_blank.h"
#include "compiler/front_blank_text.h"
#include "compiler/front_parse.h"
#include "compiler/front_text.h"
#include "compiler/front_types.h"

/* A piece of a file that is to go, unless some reader of the file needs it. */
struct piece {
	CXFile file;
	size_t begin;
	size_t end;
	enum blank_kind kind;
	bool needed;
};

struct pieces {
	CXTranslationUnit tu;
	const struct reach *reach;
	struct piece *items;
	size_t count;
};

static void add_piece(struct pieces *pieces, CXCursor cursor, enum blank_kind kind, bool needed)
{
	struct place begin = front_begin_of(cursor), end = front_end_of(cursor);
	CXFile file = front_file_of(cursor);
	if (!file || strcmp(begin.file, end.file) || begin.offset >= end.offset)
		return;
	pieces->items = pool_grow(pieces->items, pieces->count, sizeof *pieces->items);
	pieces->items[pieces->count++] =
		(struct piece){file, begin.offset, end.offset, kind, needed};
}

/* Attributes that only definitions may have. */
static enum CXChildVisitResult find_definers(CXCursor cursor, CXCursor parent, CXClientData data)
{
	(void)parent;
	if (!clang_isAttribute(clang_getCursorKind(cursor)) ||
		strcmp(front_first_word(cursor), "no_builtin"))
		return CXChildVisit_Continue;
	*(bool *)data = true;
	return CXChildVisit_Break;
}

static enum blank_kind kind_of_body(CXCursor function)
{
	bool must_be_defined = false;
	clang_visitChildren(function, find_definers, &must_be_defined);
	return must_be_defined ? BLANK_INSIDE : BLANK_BODY;
}

/* Attributes that name another function, whose body may go. */
static bool is_alias(CXCursor cursor)
{
	if (!clang_isAttribute(clang_getCursorKind(cursor)))
		return false;
	const char *name = front_first_word(cursor);
	return !strcmp(name, "alias") || !strcmp(name, "ifunc");
}

static enum CXChildVisitResult add_parts(CXCursor cursor, CXCursor function, CXClientData data)
{
	struct pieces *pieces = data;
	bool needed = front_reach_find(pieces->reach, function) < pieces->reach->function_count;
	if (clang_getCursorKind(cursor) == CXCursor_CompoundStmt)
		add_piece(pieces, cursor, kind_of_body(function), needed);
	else if (is_alias(cursor))
		add_piece(pieces, cursor, BLANK_ALL, needed);
	return CXChildVisit_Continue;
}

static bool is_reached(const struct reach *reach, CXCursor variable)
{
	CXCursor canonical = clang_getCanonicalCursor(variable);
	for (size_t i = 0; i < reach->global_count; i++) {
		if (clang_equalCursors(
			    clang_getCanonicalCursor(reach->globals[i].cursor), canonical))
			return true;
	}
	return false;
}

/*
 * Numbers stay, since constant expressions may name them; pointers may be of the wrong kind on the
 * device.
 */
static void add_variable(struct pieces *pieces, CXCursor variable)
{
	CXCursor value = clang_Cursor_getVarDeclInitializer(variable);
	if (!clang_Cursor_isNull(value) &&
		front_holds_private_pointer(clang_getCursorType(variable)))
		add_piece(pieces, value, BLANK_INITIALISER, is_reached(pieces->reach, variable));
}

static enum CXChildVisitResult add_declaration(CXCursor cursor, CXCursor parent, CXClientData data)
{
	(void)parent;
	struct pieces *pieces = data;
	if (clang_Location_isInSystemHeader(clang_getCursorLocation(cursor)))
		return CXChildVisit_Continue;
	if (clang_getCursorKind(cursor) == CXCursor_FunctionDecl)
		clang_visitChildren(cursor, add_parts, pieces);
	else if (clang_getCursorKind(cursor) == CXCursor_VarDecl)
		add_variable(pieces, cursor);
	else if (clang_getCursorKind(cursor) == CXCursor_UnexposedDecl &&
		 !strcmp(front_first_word(cursor), "asm"))
		add_piece(pieces, cursor, BLANK_ALL, false);
	return CXChildVisit_Continue;
}

/* A header that is included several times may define several functions by one text. */
static bool is_needed(const struct pieces *pieces, const struct piece *piece)
{
	for (size_t i = 0; i < pieces->count; i++) {
		const struct piece *other = &pieces->items[i];
		if (other->needed && other->begin == piece->begin &&
			clang_File_isEqual(other->file, piece->file))
			return true;
	}
	return false;
}

static struct blanked *open_file(struct pieces *pieces, CXFile file, struct unit *unit)
{
	char *path = front_path(file);
	for (size_t i = 0; i < unit->blanked_count; i++) {
		if (!strcmp(unit->blanked[i].path, path))
			return &unit->blanked[i];
	}
	size_t length = 0;
	const char *text = clang_getFileContents(pieces->tu, file, &length);
	unit->blanked = pool_grow(unit->blanked, unit->blanked_count, sizeof *unit->blanked);
	struct blanked *opened = &unit->blanked[unit->blanked_count++];
	*opened = (struct blanked){
		path,
		front_take(clang_getFileName(file)),
		pool_format("%.*s", (int)length, text ? text : ""),
	};
	return opened;
}

static void blank_piece(struct pieces *pieces, const struct piece *piece, struct unit *unit)
{
	if (piece->needed || is_needed(pieces, piece))
		return;
	struct blanked *file = open_file(pieces, piece->file, unit);
	if (piece->end <= strlen(file->source))
		front_blank_text(file->source, piece->begin, piece->end, piece->kind);
}

void front_blank(CXTranslationUnit tu, const struct reach *reach, struct unit *unit)
{
	struct pieces pieces = {.tu = tu, .reach = reach};
	unit->blanked = NULL;
	unit->blanked_count = 0;
	open_file(&pieces, clang_getFile(tu, unit->path), unit);
	clang_visitChildren(clang_getTranslationUnitCursor(tu), add_declaration, &pieces);
	for (size_t i = 0; i < pieces.count; i++)
		blank_piece(&pieces, &pieces.items[i], unit);
}
