/* front_judge_types.c - types that the device does not have, where they enter the code. */
#include <string.h>

#include "compiler/front_judge.h"
#include "compiler/front_text.h"
#include "compiler/front_types.h"
#include "compiler/nprocc.h"

/* What the device lacks; NULL when it has the type. */
struct missing {
	const char *reason;
	const char *rewrite;
};

static struct missing missing_float(enum CXTypeKind kind)
{
	switch (kind) {
	case CXType_LongDouble:
	case CXType_Float128:
	case CXType_Ibm128:
		return (struct missing){
			"has another size and precision on each device", "use double"};
	case CXType_Half:
	case CXType_Float16:
	case CXType_BFloat16:
		return (struct missing){"is no type of the device", "use float"};
	case CXType_Complex:
		return (struct missing){"needs library calls that the device does not have",
			"use a struct of two doubles and write the formulas"};
	default:
		return (struct missing){0};
	}
}

static struct missing missing_atomic(CXType type)
{
	long long bytes = clang_Type_getSizeOf(type);
	if (bytes > 0 && bytes <= 8 && !(bytes & (bytes - 1)))
		return (struct missing){0};
	return (struct missing){"is atomic, but not of 1, 2, 4 or 8 bytes",
		"use atomics of at most 8 bytes, e.g. an index instead of a struct"};
}

static struct missing missing_type(CXType type)
{
	type = clang_getCanonicalType(type);
	if (type.kind == CXType_Atomic)
		return missing_atomic(type);
	if (type.kind == CXType_Unexposed && strstr(front_type(type), "_BitInt("))
		return (struct missing){"is no type of C11", "use the next larger intN_t"};
	if (front_pointee(type).kind != CXType_Invalid && front_pointee_space(type) > FAR_SPACE)
		return (struct missing){"points into an address space that no kernel has",
			"use plain pointers, and `far` for far memory"};
	return missing_float(type.kind);
}

static void judge_array_length(struct judge *judge, CXCursor variable)
{
	CXType type = clang_getCanonicalType(clang_getCursorType(variable));
	if (clang_getCursorKind(variable) != CXCursor_VarDecl || type.kind != CXType_VariableArray)
		return;
	judge_refuse(judge, variable,
		pool_format(
			"the length of array '%s' is not constant, but the frame of a process has a fixed size",
			front_name(variable)),
		"give it the largest length that it needs and check that; large buffers belong into far memory");
}

static bool is_int128(CXCursor expression)
{
	enum CXTypeKind kind = clang_getCanonicalType(clang_getCursorType(expression)).kind;
	return kind == CXType_Int128 || kind == CXType_UInt128;
}

static bool is_float(CXCursor expression)
{
	enum CXTypeKind kind = clang_getCanonicalType(clang_getCursorType(expression)).kind;
	return kind == CXType_Float || kind == CXType_Double;
}

static bool divides(CXCursor cursor)
{
	switch (clang_getCursorBinaryOperatorKind(cursor)) {
	case CXBinaryOperator_Div:
	case CXBinaryOperator_Rem:
	case CXBinaryOperator_DivAssign:
	case CXBinaryOperator_RemAssign:
		return true;
	default:
		return false;
	}
}

/* 128-bit integers are two registers: all but division and conversion to floats is instructions. */
static void judge_int128(struct judge *judge, const struct step *step)
{
	CXCursor cursor = step->cursor;
	if (divides(cursor) &&
		(is_int128(front_child(cursor, 0)) || is_int128(front_child(cursor, 1))))
		judge_refuse(judge, cursor,
			"128-bit division needs a library call that the device does not have",
			"divide in 64 bits, or write the long division");
	bool converts = step->parent &&
			clang_isExpression(clang_getCursorKind(step->parent->cursor)) &&
			((is_int128(cursor) && is_float(step->parent->cursor)) ||
				(is_float(cursor) && is_int128(step->parent->cursor)));
	if (converts && !clang_isInvalid(clang_getCursorKind(cursor)))
		judge_refuse(judge, cursor,
			"conversion between 128-bit integers and floats needs a library call that the device does "
			"not have",
			"convert the two 64-bit halves");
}

/*
 * Where a type enters an expression: a declaration, a cast, a literal, a call, a part of an object.
 */
static bool brings_type(CXCursor cursor)
{
	switch (clang_getCursorKind(cursor)) {
	case CXCursor_VarDecl:
	case CXCursor_ParmDecl:
	case CXCursor_CStyleCastExpr:
	case CXCursor_FloatingLiteral:
	case CXCursor_ImaginaryLiteral:
	case CXCursor_CallExpr:
	case CXCursor_MemberRefExpr:
	case CXCursor_ArraySubscriptExpr:
	case CXCursor_CompoundLiteralExpr:
		return true;
	case CXCursor_UnaryOperator:
		return clang_getCursorUnaryOperatorKind(cursor) == CXUnaryOperator_Deref;
	default:
		return false;
	}
}

/* front_signature.c says more about the parameters of kernels. */
static bool is_told_elsewhere(const struct judge *judge, const struct step *step)
{
	return judge->reach->functions[judge->index].is_kernel && !step->parent &&
	       clang_getCursorKind(step->cursor) == CXCursor_ParmDecl;
}

void judge_type(struct judge *judge, const struct step *step)
{
	judge_array_length(judge, step->cursor);
	judge_int128(judge, step);
	if (!brings_type(step->cursor) || is_told_elsewhere(judge, step))
		return;
	CXType type = clang_getCursorType(step->cursor);
	struct missing missing = missing_type(type);
	if (missing.reason)
		judge_refuse(judge, step->cursor,
			pool_format("type '%s' %s", front_type(type), missing.reason),
			missing.rewrite);
}
