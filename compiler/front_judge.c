#include <string.h>

#include "compiler/front_judge.h"
#include "compiler/front_text.h"
#include "compiler/nprocc.h"

static bool in_system_header(CXCursor cursor)
{
	return clang_Location_isInSystemHeader(clang_getCursorLocation(cursor));
}

static CXCursor call_of(const struct function *caller, size_t callee)
{
	for (size_t i = 0; i < caller->edge_count; i++) {
		if (caller->edges[i].to == callee)
			return caller->edges[i].at;
	}
	return caller->cursor;
}

/* The call in the user's code through which a system header's function is reached. */
static CXCursor user_place(const struct reach *reach, size_t index, CXCursor at, size_t *user)
{
	while (in_system_header(at) && reach->functions[index].first_caller != index) {
		size_t caller = reach->functions[index].first_caller;
		at = call_of(&reach->functions[caller], index);
		index = caller;
	}
	*user = index;
	return at;
}

/* One reason is enough for a call into a system header. */
static bool is_refused(const struct refusals *refusals, CXCursor at)
{
	struct place place = front_place_of(at);
	for (size_t i = 0; i < refusals->count; i++) {
		const struct place *other = &refusals->items[i].reason.place;
		if (other->offset == place.offset && !strcmp(other->file, place.file))
			return true;
	}
	return false;
}

void judge_refuse_declared(struct judge *judge, CXCursor at, const char *reason,
	const char *rewrite, CXCursor declared)
{
	size_t user = judge->index;
	CXCursor place = user_place(judge->reach, judge->index, at, &user);
	const struct function *function = &judge->reach->functions[user];
	if (user != judge->index && is_refused(judge->refusals, place))
		return;
	if (user != judge->index)
		reason = pool_format("%s (in '%s', which a system header defines)", reason,
			judge->reach->functions[judge->index].name);
	struct refusal refusal = {.reason = {front_place_of(place), reason}, .rewrite = rewrite};
	if (!clang_Cursor_isNull(declared))
		refusal.related[0] = (struct remark){front_place_of(declared),
			pool_format("'%s' is declared here", front_name(declared))};
	if (!function->is_kernel)
		refusal.context = pool_format("'%s' runs in a kernel: %s", function->name,
			front_reach_path(judge->reach, user));
	front_refuse(judge->refusals, &refusal);
}

void judge_refuse(struct judge *judge, CXCursor at, const char *reason, const char *rewrite)
{
	judge_refuse_declared(judge, at, reason, rewrite, clang_getNullCursor());
}

static void judge_step(const struct step *step, void *context)
{
	struct judge *judge = context;
	judge_call(judge, step);
	judge_local(judge, step);
	judge_type(judge, step);
	judge_code(judge, step);
	judge_division(judge, step);
	judge_pointer(judge, step);
}

/* The kernel library's own functions do what kernels may not, and know how. */
static void judge_body(struct judge *judge, CXCursor definition)
{
	if (!judge->reach->functions[judge->index].is_library &&
		clang_isCursorDefinition(definition))
		front_walk(definition, judge_step, judge);
}

void front_judge(CXTranslationUnit tu, const struct reach *reach, struct refusals *refusals)
{
	struct judge judge = {reach, refusals, 0};
	for (judge.index = 0; judge.index < reach->function_count; judge.index++)
		judge_body(&judge, reach->functions[judge.index].cursor);
	for (size_t i = 0; i < reach->global_count; i++) {
		judge.index = reach->globals[i].user;
		judge_body(&judge, reach->globals[i].cursor);
	}
	judge_recursion(&judge);
	judge_externals(&judge);
	judge_globals(&judge);
	judge_returns(&judge, tu);
}
