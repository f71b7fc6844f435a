/*
 * front_judge_pointers.c - private pointers lead to objects of this process, and only C's own rules
 * make them.
 *
 * So they are not made from integers or far pointers, not by a cast and not by a union, a copy or a
 * pipe, and do not lie in far memory. What hides from the source (a pointer's bytes copied through
 * char arrays) is found by the lowering steps, which trace each private access to its object.
 */
#include <string.h>

#include "compiler/front_judge.h"
#include "compiler/front_text.h"
#include "compiler/front_types.h"
#include "compiler/nprocc.h"

#define STRUCT_WITH_POINTER "a struct with a private pointer in it is copied from or to far memory"
#define STRUCT_WITHOUT_POINTER \
	"declare the pointer in the struct `far T *`, or copy the other members one by one"

static CXType type_of(CXCursor cursor)
{
	return clang_getCanonicalType(clang_getCursorType(cursor));
}

/* ---- casts ---------------------------------------------------------------------------------- */

static enum CXChildVisitResult keep_expression(CXCursor cursor, CXCursor parent, CXClientData data)
{
	(void)parent;
	if (clang_isExpression(clang_getCursorKind(cursor)))
		*(CXCursor *)data = cursor;
	return CXChildVisit_Continue;
}

/* What is cast: the last child, after those that name the type. */
static CXCursor operand_of(CXCursor cast)
{
	CXCursor operand = clang_getNullCursor();
	clang_visitChildren(cast, keep_expression, &operand);
	return operand;
}

static bool is_zero(CXCursor expression)
{
	CXEvalResult result = clang_Cursor_Evaluate(expression);
	if (!result)
		return false;
	bool zero = clang_EvalResult_getKind(result) == CXEval_Int &&
		    clang_EvalResult_getAsLongLong(result) == 0;
	clang_EvalResult_dispose(result);
	return zero;
}

/* NULL, under whatever casts. */
static bool is_null(CXCursor expression)
{
	expression = front_inner(expression);
	while (clang_getCursorKind(expression) == CXCursor_CStyleCastExpr)
		expression = front_inner(operand_of(expression));
	return is_zero(expression);
}

static void judge_cast(struct judge *judge, CXCursor cast)
{
	CXCursor operand = operand_of(cast);
	if (clang_Cursor_isNull(operand))
		return;
	CXType to = type_of(cast), from = type_of(operand);
	if (front_is_private_pointer(to) && front_is_far_pointer(from))
		judge_refuse(judge, cast, "a far pointer is cast to a private one",
			"keep it far, or copy what it points to into a private object (T copy = *p)");
	else if (front_is_far_pointer(to) && front_is_private_pointer(from) && !is_null(operand))
		judge_refuse(judge, cast,
			"a private pointer is cast to a far one: private objects do not lie in far memory",
			"copy the object into far memory that the host passed (*p = object), or send it through a pipe");
	else if (front_is_private_pointer(to) && front_is_integer(from) && !is_null(operand))
		judge_refuse(judge, cast, "a private pointer is made from an integer",
			"use an index into an array; an address in far memory is a `far T *`, which is checked when "
			"it is used");
}

/* clang converts without a word where far and private pointers are compared. */
static void judge_conversion(struct judge *judge, CXCursor conversion)
{
	CXCursor operand = front_child(conversion, 0);
	if (clang_Cursor_isNull(operand) || !clang_isExpression(clang_getCursorKind(operand)))
		return;
	CXType to = type_of(conversion), from = type_of(operand);
	bool differ = (front_is_far_pointer(to) && front_is_private_pointer(from)) ||
		      (front_is_private_pointer(to) && front_is_far_pointer(from));
	if (differ && !is_null(operand))
		judge_refuse(judge, operand, "a far and a private pointer are compared",
			"they never point to the same object: compare far with far pointers");
}

/* ---- far memory ----------------------------------------------------------------------------- */

static CXCursor declaration_behind(CXCursor expression)
{
	CXCursor declaration = clang_getCursorReferenced(expression);
	bool is_field = clang_getCursorKind(declaration) == CXCursor_FieldDecl;
	return is_field ? declaration : clang_getNullCursor();
}

/* Only a part of the object at this step is meant: p->member, &object. */
static bool is_part_meant(const struct step *step)
{
	const struct step *outer = front_outer(step);
	enum CXCursorKind kind = outer ? clang_getCursorKind(outer->cursor) : CXCursor_InvalidCode;
	return kind == CXCursor_MemberRefExpr ||
	       (kind == CXCursor_UnaryOperator &&
		       clang_getCursorUnaryOperatorKind(outer->cursor) == CXUnaryOperator_AddrOf);
}

static bool names_object(CXCursor cursor)
{
	enum CXCursorKind kind = clang_getCursorKind(cursor);
	return kind == CXCursor_MemberRefExpr || kind == CXCursor_ArraySubscriptExpr ||
	       (kind == CXCursor_UnaryOperator &&
		       clang_getCursorUnaryOperatorKind(cursor) == CXUnaryOperator_Deref);
}

static const char *rewrite_far_object(CXType pointee)
{
	if (front_is_function(pointee))
		return "store a number, and choose the function with switch";
	return pool_format("what lies in far memory points to far memory only: declare it `%s`",
		front_far_pointer_to(pointee));
}

static void judge_far_object(struct judge *judge, const struct step *step)
{
	CXType type = type_of(step->cursor);
	if (!names_object(step->cursor) || front_space(type) != FAR_SPACE ||
		!front_holds_private_pointer(type))
		return;
	if (type.kind == CXType_Pointer)
		judge_refuse_declared(judge, step->cursor, "a private pointer in far memory",
			rewrite_far_object(front_pointee(type)), declaration_behind(step->cursor));
	else if (front_is_record(type) && !is_part_meant(step))
		judge_refuse(judge, step->cursor, STRUCT_WITH_POINTER, STRUCT_WITHOUT_POINTER);
}

/* ---- unions --------------------------------------------------------------------------------- */

static enum CXVisitorResult find_other_member(CXCursor field, CXClientData data)
{
	if (front_is_private_pointer(clang_getCursorType(field)))
		return CXVisit_Continue;
	*(bool *)data = true;
	return CXVisit_Break;
}

static void judge_union(struct judge *judge, CXCursor member)
{
	CXCursor field = clang_getCursorReferenced(member);
	CXCursor parent = clang_getCursorSemanticParent(field);
	if (clang_getCursorKind(parent) != CXCursor_UnionDecl ||
		!front_holds_private_pointer(clang_getCursorType(field)))
		return;
	bool has_others = false;
	clang_Type_visitFields(clang_getCursorType(parent), find_other_member, &has_others);
	if (has_others)
		judge_refuse_declared(judge, member,
			"a private pointer that shares a union with something else",
			"use a struct: then nothing but a pointer can be stored in it", field);
}

/* ---- copies --------------------------------------------------------------------------------- */

/* Calls that copy bytes between their arguments, or between an argument and another process. */
struct copying_call {
	const char *name;
	int to;   /* index of the argument; -1: the other side of a pipe */
	int from; /* likewise */
};

static const struct copying_call copying_calls[] = {
	{"memcpy", 0, 1},
	{"memmove", 0, 1},
	{"__builtin_memcpy", 0, 1},
	{"__builtin_memmove", 0, 1},
	{"__builtin_memcpy_inline", 0, 1},
	{"nk_read", 1, -1},
	{"nk_read_full", 1, -1},
	{"nk_write", -1, 1},
};

/* What an argument points to, before it became void *; invalid where there is no such argument. */
static CXType pointee_of_argument(CXCursor call, int index)
{
	if (index < 0 || index >= clang_Cursor_getNumArguments(call))
		return (CXType){.kind = CXType_Invalid};
	CXCursor argument = front_inner(clang_Cursor_getArgument(call, (unsigned)index));
	return clang_getCanonicalType(front_pointee(clang_getCursorType(argument)));
}

static bool holds_pointer(CXType type)
{
	return type.kind != CXType_Invalid && front_holds_private_pointer(type);
}

static void judge_copy(struct judge *judge, CXCursor call, const struct copying_call *copying)
{
	CXType to = pointee_of_argument(call, copying->to),
	       from = pointee_of_argument(call, copying->from);
	if (!holds_pointer(to) && !holds_pointer(from))
		return;
	if (front_space(to) == FAR_SPACE || front_space(from) == FAR_SPACE)
		judge_refuse(judge, call, STRUCT_WITH_POINTER, STRUCT_WITHOUT_POINTER);
	else if (copying->to < 0 || copying->from < 0)
		judge_refuse(judge, call, "a private pointer goes through a pipe",
			"it means nothing to another process: send what it points to, or a far pointer");
	else if (!clang_equalTypes(clang_getUnqualifiedType(to), clang_getUnqualifiedType(from)))
		judge_refuse(judge, call,
			"the bytes of a private pointer are copied from or to something that is none",
			"assign it (a = b), so that it stays a pointer");
}

static void judge_copying_call(struct judge *judge, CXCursor call)
{
	const char *name = front_name(clang_getCursorReferenced(front_callee(call)));
	for (size_t i = 0; i < sizeof copying_calls / sizeof *copying_calls; i++) {
		if (!strcmp(copying_calls[i].name, name))
			judge_copy(judge, call, &copying_calls[i]);
	}
}

void judge_pointer(struct judge *judge, const struct step *step)
{
	judge_far_object(judge, step);
	switch (clang_getCursorKind(step->cursor)) {
	case CXCursor_CStyleCastExpr:
		judge_cast(judge, step->cursor);
		break;
	case CXCursor_UnexposedExpr:
		judge_conversion(judge, step->cursor);
		break;
	case CXCursor_MemberRefExpr:
		judge_union(judge, step->cursor);
		break;
	case CXCursor_CallExpr:
		judge_copying_call(judge, step->cursor);
		break;
	default:
		break;
	}
}
