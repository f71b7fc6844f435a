/* front_judge_calls.c - recursion, calls, and functions used as values. */
#include <string.h>

#include "compiler/front_judge.h"
#include "compiler/front_text.h"
#include "compiler/front_types.h"
#include "compiler/nprocc.h"

/* ---- one call, one name --------------------------------------------------------------------- */

static bool names_function(CXCursor cursor)
{
	return clang_getCursorKind(cursor) == CXCursor_DeclRefExpr &&
	       clang_getCursorKind(clang_getCursorReferenced(cursor)) == CXCursor_FunctionDecl;
}

static bool is_spawn(CXCursor cursor)
{
	if (clang_getCursorKind(cursor) != CXCursor_CallExpr)
		return false;
	CXCursor callee = front_callee(cursor);
	return names_function(callee) && !strcmp(front_name(callee), "nk_spawn");
}

/* Does it name what nproc_spawn(start, kernel(arguments)) starts? */
static bool is_started(const struct step *name)
{
	const struct step *call = front_is_callee(name) ? front_outer(name) : NULL;
	const struct step *spawn = call ? front_outer(call) : NULL;
	return spawn && is_spawn(spawn->cursor);
}

static bool calls_kernel(const struct judge *judge, CXCursor expression)
{
	CXCursor call = front_inner(expression);
	CXCursor callee = clang_getCursorKind(call) == CXCursor_CallExpr ? front_callee(call)
									 : clang_getNullCursor();
	if (!names_function(callee))
		return false;
	size_t index = front_reach_find(judge->reach, clang_getCursorReferenced(callee));
	const struct function *function = &judge->reach->functions[index];
	return function->is_kernel || function->is_other_kernel;
}

static void judge_spawn(struct judge *judge, CXCursor spawn)
{
	CXCursor started = clang_Cursor_getArgument(spawn, 1);
	if (!calls_kernel(judge, started))
		judge_refuse(judge, front_inner(started),
			"the second argument of nproc_spawn() does not name a kernel",
			"write the kernel's name and its arguments there: nproc_spawn(start, kernel(a, b))");
}

static void judge_kernel_name(
	struct judge *judge, const struct step *step, const struct function *kernel)
{
	if (is_started(step))
		return;
	if (front_is_callee(step))
		judge_refuse(judge, step->cursor,
			pool_format("kernel '%s' is called like a function", kernel->name),
			"a kernel runs as a process of its own: nproc_spawn(NPROC_HERE, kernel(arguments)) starts "
			"it; move what both need into a helper function");
	else
		judge_refuse(judge, step->cursor,
			pool_format("the address of kernel '%s' is taken", kernel->name),
			"the host starts kernels by name, kernels with nproc_spawn(start, kernel(arguments))");
}

/*
 * A function's name becomes a pointer, or is what & is asked of. Where it does neither, clang has
 * refused what stands around it and keeps the pieces.
 */
static bool is_piece(const struct step *step)
{
	const struct step *outer = step->parent;
	while (outer &&
		(clang_getCursorKind(outer->cursor) == CXCursor_ParenExpr ||
			clang_getCursorKind(outer->cursor) == CXCursor_GenericSelectionExpr))
		outer = outer->parent;
	if (!outer || clang_getCursorKind(outer->cursor) == CXCursor_UnaryOperator)
		return false;
	return front_pointee(clang_getCursorType(outer->cursor)).kind == CXType_Invalid;
}

static void judge_function_name(struct judge *judge, const struct step *step)
{
	if (is_piece(step))
		return;
	size_t index = front_reach_find(judge->reach, clang_getCursorReferenced(step->cursor));
	const struct function *function = &judge->reach->functions[index];
	if (function->is_kernel || function->is_other_kernel)
		judge_kernel_name(judge, step, function);
	else if (!front_is_callee(step))
		judge_refuse(judge, step->cursor,
			pool_format("the address of function '%s' is taken", function->name),
			"call the function by its name; where one of several is meant, choose with switch or if");
}

/* To libclang, `int f()` takes any arguments, too: it has no prototype. */
static bool is_variadic(CXType function)
{
	return clang_getCanonicalType(function).kind == CXType_FunctionProto &&
	       clang_isFunctionTypeVariadic(function);
}

static void judge_variadic(struct judge *judge, CXCursor parameter_or_body)
{
	const struct function *function = &judge->reach->functions[judge->index];
	if (clang_getCursorKind(parameter_or_body) != CXCursor_CompoundStmt ||
		!is_variadic(clang_getCursorType(function->cursor)))
		return;
	judge_refuse(judge, function->cursor,
		pool_format("function '%s' takes a variable number of arguments", function->name),
		"give it as many parameters as it needs, or an array and a count");
}

void judge_call(struct judge *judge, const struct step *step)
{
	if (!step->parent)
		judge_variadic(judge, step->cursor);
	if (is_spawn(step->cursor))
		judge_spawn(judge, step->cursor);
	if (names_function(step->cursor))
		judge_function_name(judge, step);
	else if (clang_getCursorKind(step->cursor) == CXCursor_CallExpr &&
		 !names_function(front_callee(step->cursor)))
		judge_refuse(judge, step->cursor, "call through a function pointer",
			"call the function by its name; where one of several is meant, choose with switch or if");
}

/* ---- recursion ------------------------------------------------------------------------------ */

/* A way through the call graph; `from` is NULL at its beginning. */
struct way {
	size_t index;
	const struct way *from;
};

struct search {
	struct judge *judge;
	bool *done; /* functions from which every call was followed */
};

static bool is_on_way(const struct way *way, size_t index)
{
	while (way && way->index != index)
		way = way->from;
	return way;
}

/* "f -> g -> f" for the cycle that a call of `to` from the end of the way closes. */
static char *spell_cycle(const struct reach *reach, const struct way *way, size_t to)
{
	char *cycle = pool_copy(reach->functions[to].name);
	for (;; way = way->from) {
		cycle = pool_format("%s -> %s", reach->functions[way->index].name, cycle);
		if (way->index == to)
			return cycle;
	}
}

static void follow_calls(struct search *search, const struct way *way);

static void follow_call(struct search *search, const struct way *way, const struct edge *edge)
{
	const struct reach *reach = search->judge->reach;
	if (!edge->is_call || reach->functions[edge->to].is_kernel)
		return;
	if (is_on_way(way, edge->to)) {
		search->judge->index = way->index;
		judge_refuse(search->judge, edge->at,
			pool_format("recursion: %s", spell_cycle(reach, way, edge->to)),
			"write a loop; where it must remember a path, keep it in an array of fixed size or in far "
			"memory");
	} else if (!search->done[edge->to]) {
		struct way next = {edge->to, way};
		follow_calls(search, &next);
	}
}

static void follow_calls(struct search *search, const struct way *way)
{
	const struct function *function = &search->judge->reach->functions[way->index];
	for (size_t i = 0; i < function->edge_count; i++)
		follow_call(search, way, &function->edges[i]);
	search->done[way->index] = true;
}

void judge_recursion(struct judge *judge)
{
	struct search search = {judge, pool_alloc(judge->reach->function_count * sizeof(bool))};
	for (size_t i = 0; i < judge->reach->function_count; i++) {
		struct way way = {i, NULL};
		if (!search.done[i])
			follow_calls(&search, &way);
	}
}
