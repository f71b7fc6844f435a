/*
 * front_judge_externals.c - functions that do not exist on the device, and bodies for those that
 * do.
 */
#include <string.h>

#include "compiler/front_externals.h"
#include "compiler/front_judge.h"
#include "compiler/front_text.h"
#include "compiler/nprocc.h"

static bool is_kernel_call(const struct function *function)
{
	return function->is_library && !strncmp(function->name, "nk_", 3);
}

static void judge_edge(struct judge *judge, const struct edge *edge)
{
	const struct function *callee = &judge->reach->functions[edge->to];
	if (callee->has_body || callee->is_other_kernel || is_kernel_call(callee))
		return;
	const struct external *external = front_external(callee->name);
	if (external)
		judge_refuse(judge, edge->at,
			pool_format("'%s' %s", callee->name, external->reason), external->rewrite);
}

static const char *linker_name(CXCursor cursor)
{
	return front_take(clang_Cursor_getMangling(cursor));
}

/* By an asm label, too, a function does not become one of the library's. */
static void judge_own_body(struct judge *judge, const struct function *function)
{
	const char *name = linker_name(function->cursor);
	if (!function->has_body || function->is_library)
		return;
	if (front_is_library_name(function->name) || front_is_library_name(name))
		judge_refuse(judge, function->cursor,
			pool_format("'%s' is a name of the kernel library", function->name),
			"leave the definition out to use the library's, or choose another name");
	else if (!function->is_kernel && strcmp(name, function->name))
		judge_refuse(judge, function->cursor,
			pool_format("'%s' has another name for the linker", function->name),
			"leave out the asm label or attribute that renames it");
}

void judge_externals(struct judge *judge)
{
	for (judge->index = 0; judge->index < judge->reach->function_count; judge->index++) {
		const struct function *function = &judge->reach->functions[judge->index];
		judge_own_body(judge, function);
		for (size_t i = 0; !function->is_library && i < function->edge_count; i++)
			judge_edge(judge, &function->edges[i]);
	}
}
