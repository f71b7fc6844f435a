/*
 * front_walk.h - visits what a piece of C evaluates, parents before children.
 *
 * Left out: operands that are never evaluated (sizeof, _Alignof) and the branches of a _Generic
 * that were not chosen. libclang does not say which one was: it is the one of the whole
 * expression's type; where several have that type all of them are visited.
 */
#ifndef NEARSIDE_COMPILER_FRONT_WALK_H
#define NEARSIDE_COMPILER_FRONT_WALK_H

#include <clang-c/Index.h>
#include <stdbool.h>

/*
 * A cursor on the way from the root, with what surrounds it. parent is NULL at the root's children.
 */
struct step {
	CXCursor cursor;
	const struct step *parent;
};

typedef void front_visit_fn(const struct step *step, void *context);

/* Calls `visit` for everything below `root`, not for root itself. */
void front_walk(CXCursor root, front_visit_fn *visit, void *context);

/*
 * The nearest surrounding step that is not a parenthesis, an implicit conversion or a chosen
 * _Generic branch.
 */
const struct step *front_outer(const struct step *step);

/* The cursor inside parentheses, implicit conversions and _Generic. */
CXCursor front_inner(CXCursor cursor);

/* What a call expression calls: the cursor that names it, inside parentheses, * and &. */
CXCursor front_callee(CXCursor call);

/* Is this step what a call around it calls? */
bool front_is_callee(const struct step *step);

/* Child `index` of a cursor, counted from 0; a null cursor when there is none. */
CXCursor front_child(CXCursor cursor, unsigned index);

#endif
