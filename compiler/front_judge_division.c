/*
 * front_judge_division.c - the least integer divided by -1, both constant: clang folds that to a
 * value of its own choice, and nothing of it is left for the check that runs in the process.
 */
#include <stdint.h>

#include "compiler/front_judge.h"

/* Is this a constant, and `value`? */
static bool is_constant(CXCursor cursor, long long value)
{
	CXEvalResult result = clang_Cursor_Evaluate(cursor);
	if (!result)
		return false;
	bool equal = clang_EvalResult_getKind(result) == CXEval_Int &&
		     clang_EvalResult_getAsLongLong(result) == value;
	clang_EvalResult_dispose(result);
	return equal;
}

/* The least value of a signed type that is divided in; false for other types. */
static bool least_of(CXType type, long long *least)
{
	enum CXTypeKind kind = clang_getCanonicalType(type).kind;
	if (kind != CXType_Int && kind != CXType_Long && kind != CXType_LongLong)
		return false;
	*least = -1 - (long long)(UINT64_MAX >> (65 - 8 * clang_Type_getSizeOf(type)));
	return true;
}

void judge_division(struct judge *judge, const struct step *step)
{
	enum CXBinaryOperatorKind kind = clang_getCursorBinaryOperatorKind(step->cursor);
	long long least;
	if (kind != CXBinaryOperator_Div && kind != CXBinaryOperator_Rem)
		return;
	if (!least_of(clang_getCursorType(step->cursor), &least))
		return;
	if (is_constant(front_child(step->cursor, 0), least) &&
		is_constant(front_child(step->cursor, 1), -1))
		judge_refuse(judge, step->cursor,
			"division overflows: the least integer divided by -1 has no result",
			"write the value that is meant");
}
