#include "compiler/front_walk.h"

struct walk {
	front_visit_fn *visit;
	void *context;
	const struct step *parent;
};

/* Is `child` a branch that _Generic did not choose, or what it chooses by? */
static bool left_out_of_generic(CXCursor generic, CXCursor child)
{
	if (clang_equalCursors(front_child(generic, 0), child))
		return true;
	CXType whole = clang_getCanonicalType(clang_getCursorType(generic));
	CXType branch = clang_getCanonicalType(clang_getCursorType(child));
	return !clang_equalTypes(whole, branch);
}

static bool is_evaluated(CXCursor cursor, CXCursor parent)
{
	if (clang_getCursorKind(cursor) == CXCursor_UnaryExpr)
		return false;
	if (clang_getCursorKind(parent) == CXCursor_GenericSelectionExpr)
		return !left_out_of_generic(parent, cursor);
	return true;
}

static enum CXChildVisitResult walk_child(CXCursor cursor, CXCursor parent, CXClientData data)
{
	const struct walk *walk = data;
	if (!is_evaluated(cursor, parent))
		return CXChildVisit_Continue;
	struct step step = {cursor, walk->parent};
	walk->visit(&step, walk->context);
	struct walk below = {walk->visit, walk->context, &step};
	clang_visitChildren(cursor, walk_child, &below);
	return CXChildVisit_Continue;
}

void front_walk(CXCursor root, front_visit_fn *visit, void *context)
{
	struct walk walk = {visit, context, NULL};
	clang_visitChildren(root, walk_child, &walk);
}

static bool is_wrapping(CXCursor cursor)
{
	enum CXCursorKind kind = clang_getCursorKind(cursor);
	return kind == CXCursor_ParenExpr || kind == CXCursor_UnexposedExpr ||
	       kind == CXCursor_GenericSelectionExpr;
}

const struct step *front_outer(const struct step *step)
{
	const struct step *outer = step->parent;
	while (outer && is_wrapping(outer->cursor))
		outer = outer->parent;
	return outer;
}

struct search {
	unsigned left;
	CXCursor found;
};

static enum CXChildVisitResult find_child(CXCursor cursor, CXCursor parent, CXClientData data)
{
	(void)parent;
	struct search *search = data;
	if (search->left--)
		return CXChildVisit_Continue;
	search->found = cursor;
	return CXChildVisit_Break;
}

CXCursor front_child(CXCursor cursor, unsigned index)
{
	struct search search = {index, clang_getNullCursor()};
	clang_visitChildren(cursor, find_child, &search);
	return search.found;
}

static enum CXChildVisitResult find_chosen(CXCursor cursor, CXCursor parent, CXClientData data)
{
	CXCursor *found = data;
	if (left_out_of_generic(parent, cursor))
		return CXChildVisit_Continue;
	*found = cursor;
	return CXChildVisit_Break;
}

CXCursor front_inner(CXCursor cursor)
{
	while (is_wrapping(cursor)) {
		CXCursor inner = clang_getNullCursor();
		if (clang_getCursorKind(cursor) == CXCursor_GenericSelectionExpr)
			clang_visitChildren(cursor, find_chosen, &inner);
		else
			inner = front_child(cursor, 0);
		if (clang_Cursor_isNull(inner))
			break;
		cursor = inner;
	}
	return cursor;
}

CXCursor front_callee(CXCursor call)
{
	CXCursor callee = front_inner(front_child(call, 0));
	while (clang_getCursorKind(callee) == CXCursor_UnaryOperator)
		callee = front_inner(front_child(callee, 0));
	return callee;
}

bool front_is_callee(const struct step *step)
{
	const struct step *outer = front_outer(step);
	while (outer && clang_getCursorKind(outer->cursor) == CXCursor_UnaryOperator)
		outer = front_outer(outer);
	return outer && clang_getCursorKind(outer->cursor) == CXCursor_CallExpr &&
	       clang_equalCursors(front_callee(outer->cursor), step->cursor);
}
