#include <string.h>

#include "compiler/front_parse.h"
#include "compiler/front_reach.h"
#include "compiler/front_text.h"
#include "compiler/front_walk.h"
#include "compiler/nprocc.h"

#define KERNEL_ANNOTATION "nearside.kernel"

/* While the names in one function or one global's initialiser are gathered. */
struct gathering {
	struct reach *reach;
	size_t user; /* index of the function that names them */
};

static CXCursor definition_of(CXCursor declaration)
{
	CXCursor definition = clang_getCursorDefinition(declaration);
	return clang_Cursor_isNull(definition) ? declaration : definition;
}

static bool same_entity(CXCursor a, CXCursor b)
{
	return clang_equalCursors(clang_getCanonicalCursor(a), clang_getCanonicalCursor(b));
}

size_t front_reach_find(const struct reach *reach, CXCursor function)
{
	size_t i = 0;
	while (i < reach->function_count && !same_entity(reach->functions[i].cursor, function))
		i++;
	return i;
}

static bool is_library(CXCursor function)
{
	struct place place = front_place_of(function);
	return front_in_library(&place);
}

static enum CXChildVisitResult find_annotation(CXCursor cursor, CXCursor parent, CXClientData data)
{
	(void)parent;
	if (clang_getCursorKind(cursor) != CXCursor_AnnotateAttr)
		return CXChildVisit_Continue;
	if (strcmp(front_name(cursor), KERNEL_ANNOTATION))
		return CXChildVisit_Continue;
	*(bool *)data = true;
	return CXChildVisit_Break;
}

static bool has_annotation(CXCursor function)
{
	bool is_kernel = false;
	clang_visitChildren(function, find_annotation, &is_kernel);
	return is_kernel;
}

static size_t add_function(struct reach *reach, CXCursor cursor, bool is_kernel, size_t caller)
{
	reach->functions =
		pool_grow(reach->functions, reach->function_count, sizeof *reach->functions);
	CXCursor definition = definition_of(cursor);
	bool has_body = clang_isCursorDefinition(definition);
	reach->functions[reach->function_count] = (struct function){
		.cursor = definition,
		.name = front_name(definition),
		.is_kernel = is_kernel,
		.is_other_kernel = !has_body && has_annotation(definition),
		.has_body = has_body,
		.is_library = is_library(definition),
		.first_caller = is_kernel ? reach->function_count : caller,
	};
	return reach->function_count++;
}

static void add_edge(struct function *from, size_t to, CXCursor at, bool is_call)
{
	from->edges = pool_grow(from->edges, from->edge_count, sizeof *from->edges);
	from->edges[from->edge_count++] = (struct edge){to, at, is_call};
}

static void gather_names(CXCursor root, struct reach *reach, size_t user);

static void add_global(struct reach *reach, CXCursor variable, CXCursor at, size_t user)
{
	for (size_t i = 0; i < reach->global_count; i++) {
		if (same_entity(reach->globals[i].cursor, variable))
			return;
	}
	reach->globals = pool_grow(reach->globals, reach->global_count, sizeof *reach->globals);
	CXCursor definition = definition_of(variable);
	reach->globals[reach->global_count++] = (struct global){definition, at, user};
	gather_names(definition, reach, user);
}

bool front_is_global(CXCursor variable)
{
	if (clang_getCursorKind(variable) != CXCursor_VarDecl)
		return false;
	CXCursor parent = clang_getCursorSemanticParent(variable);
	return clang_getCursorKind(parent) == CXCursor_TranslationUnit ||
	       clang_Cursor_getStorageClass(variable) == CX_SC_Extern;
}

/* The nearest cursor that has a place: callees of rewritten builtins have none of their own. */
static CXCursor placed(const struct step *step)
{
	while (step->parent && clang_equalLocations(clang_getCursorLocation(step->cursor),
				       clang_getNullLocation()))
		step = step->parent;
	return step->cursor;
}

static void gather_name(const struct step *step, void *context)
{
	const struct gathering *gathering = context;
	if (clang_getCursorKind(step->cursor) != CXCursor_DeclRefExpr)
		return;
	CXCursor named = clang_getCursorReferenced(step->cursor);
	if (front_is_global(named)) {
		add_global(gathering->reach, named, placed(step), gathering->user);
		return;
	}
	if (clang_getCursorKind(named) != CXCursor_FunctionDecl)
		return;
	size_t to = front_reach_find(gathering->reach, named);
	if (to == gathering->reach->function_count)
		add_function(gathering->reach, named, false, gathering->user);
	add_edge(&gathering->reach->functions[gathering->user], to, placed(step),
		front_is_callee(step));
}

static void gather_names(CXCursor root, struct reach *reach, size_t user)
{
	struct gathering gathering = {reach, user};
	front_walk(root, gather_name, &gathering);
}

static enum CXChildVisitResult find_kernels(CXCursor cursor, CXCursor parent, CXClientData data)
{
	(void)parent;
	if (clang_getCursorKind(cursor) != CXCursor_FunctionDecl ||
		!clang_isCursorDefinition(cursor))
		return CXChildVisit_Continue;
	if (has_annotation(cursor))
		add_function(data, cursor, true, 0);
	return CXChildVisit_Continue;
}

/* Gathers what the functions from number `from` on name, and so on. */
static void follow_names(struct reach *reach, size_t from)
{
	for (size_t i = from; i < reach->function_count; i++) {
		if (reach->functions[i].has_body)
			gather_names(reach->functions[i].cursor, reach, i);
	}
}

void front_reach(CXTranslationUnit tu, struct reach *reach)
{
	*reach = (struct reach){0};
	clang_visitChildren(clang_getTranslationUnitCursor(tu), find_kernels, reach);
	follow_names(reach, 0);
}

/* ---- what only the device names ------------------------------------------------------------- */

struct wanted {
	const char *name;
	enum CXCursorKind kind;
	CXCursor found;
};

static enum CXChildVisitResult find_definition(CXCursor cursor, CXCursor parent, CXClientData data)
{
	(void)parent;
	struct wanted *wanted = data;
	if (clang_getCursorKind(cursor) != wanted->kind || !clang_isCursorDefinition(cursor) ||
		strcmp(front_name(cursor), wanted->name))
		return CXChildVisit_Continue;
	wanted->found = cursor;
	return CXChildVisit_Break;
}

/*
 * The definition at file scope of what another translation unit declares; a null cursor when there
 * is none.
 */
static CXCursor definition_in(CXTranslationUnit tu, CXCursor declaration)
{
	struct wanted wanted = {
		front_name(declaration), clang_getCursorKind(declaration), clang_getNullCursor()};
	clang_visitChildren(clang_getTranslationUnitCursor(tu), find_definition, &wanted);
	return wanted.found;
}

static void extend_functions(struct reach *reach, CXTranslationUnit tu, const struct reach *device)
{
	for (size_t i = 0; i < device->function_count; i++) {
		if (device->functions[i].has_body)
			continue;
		CXCursor definition = definition_in(tu, device->functions[i].cursor);
		if (!clang_Cursor_isNull(definition) &&
			front_reach_find(reach, definition) == reach->function_count)
			add_function(reach, definition, false, 0);
	}
}

static void extend_globals(struct reach *reach, CXTranslationUnit tu, const struct reach *device)
{
	for (size_t i = 0; i < device->global_count; i++) {
		CXCursor definition = definition_in(tu, device->globals[i].cursor);
		if (!clang_Cursor_isNull(definition))
			add_global(reach, definition, definition, 0);
	}
}

bool front_reach_extend(struct reach *reach, CXTranslationUnit tu, const struct reach *device)
{
	size_t functions = reach->function_count, globals = reach->global_count;
	extend_functions(reach, tu, device);
	extend_globals(reach, tu, device);
	follow_names(reach, functions);
	return reach->function_count > functions || reach->global_count > globals;
}

char *front_reach_path(const struct reach *reach, size_t index)
{
	char *path = pool_copy(reach->functions[index].name);
	while (reach->functions[index].first_caller != index) {
		index = reach->functions[index].first_caller;
		path = pool_format("%s -> %s", reach->functions[index].name, path);
	}
	return path;
}
