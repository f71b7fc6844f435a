#include "compiler/front_walk.h"
#include "compiler/nprocc.h"

/*
 * libclang goes down into the tree without recursion, so source that is nested very deeply does no
 * harm. The steps from the root to the cursor that is visited are kept here, one for each depth,
 * and used again.
 */
struct walk {
	front_visit_fn *visit;
	void *context;
	struct step **steps;
	size_t depth;    /* how many of them lead to the last cursor */
	size_t capacity; /* how many there are */
};

/* clang_equalCursors() tells the same expression apart when it was come upon in different ways. */
static bool is_same_expression(CXCursor a, CXCursor b)
{
	return clang_getCursorKind(a) == clang_getCursorKind(b) &&
	       clang_equalRanges(clang_getCursorExtent(a), clang_getCursorExtent(b));
}

/* Is `child` a branch that _Generic did not choose, or what it chooses by? */
static bool left_out_of_generic(CXCursor generic, CXCursor child)
{
	if (is_same_expression(front_child(generic, 0), child))
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

static struct step *step_at(struct walk *walk, size_t depth)
{
	if (depth == walk->capacity) {
		walk->steps = pool_grow(walk->steps, walk->capacity, sizeof *walk->steps);
		walk->steps[walk->capacity++] = pool_alloc(sizeof **walk->steps);
	}
	return walk->steps[depth];
}

static enum CXChildVisitResult walk_child(CXCursor cursor, CXCursor parent, CXClientData data)
{
	struct walk *walk = data;
	while (walk->depth && !clang_equalCursors(walk->steps[walk->depth - 1]->cursor, parent))
		walk->depth--;
	if (!is_evaluated(cursor, parent))
		return CXChildVisit_Continue;
	struct step *step = step_at(walk, walk->depth);
	*step = (struct step){cursor, walk->depth ? walk->steps[walk->depth - 1] : NULL};
	walk->depth++;
	walk->visit(step, walk->context);
	return CXChildVisit_Recurse;
}

void front_walk(CXCursor root, front_visit_fn *visit, void *context)
{
	struct walk walk = {.visit = visit, .context = context};
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
	       is_same_expression(front_callee(outer->cursor), step->cursor);
}
