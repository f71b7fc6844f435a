/*
 * front_judge_return.c - functions whose end is reached without a result. clang knows which ones,
 * and warns about them all; kernel code is what is refused.
 */
#include <string.h>

#include "compiler/front_judge.h"
#include "compiler/front_text.h"
#include "compiler/nprocc.h"

static bool holds(const struct function *function, const struct place *place)
{
	struct place begin = front_begin_of(function->cursor), end = front_end_of(function->cursor);
	return function->has_body && !strcmp(begin.file, place->file) &&
	       begin.offset <= place->offset && place->offset <= end.offset;
}

static void refuse_function_at(struct judge *judge, const struct place *place)
{
	for (judge->index = 0; judge->index < judge->reach->function_count; judge->index++) {
		const struct function *function = &judge->reach->functions[judge->index];
		if (!function->is_library && holds(function, place))
			judge_refuse(judge, function->cursor,
				pool_format("the end of '%s' can be reached without a result",
					function->name),
				"end every path with return or nproc_exit(), or with "
				"__builtin_unreachable(), which is a fault where it is reached");
	}
}

static bool is_about_results(CXDiagnostic diagnostic)
{
	return !strcmp(front_take(clang_getDiagnosticOption(diagnostic, NULL)), "-Wreturn-type");
}

void judge_returns(struct judge *judge, CXTranslationUnit tu)
{
	for (unsigned i = 0; i < clang_getNumDiagnostics(tu); i++) {
		CXDiagnostic diagnostic = clang_getDiagnostic(tu, i);
		struct place place = front_place(clang_getDiagnosticLocation(diagnostic));
		if (is_about_results(diagnostic))
			refuse_function_at(judge, &place);
		clang_disposeDiagnostic(diagnostic);
	}
}
