/*
 * front_judge_globals.c - variables that outlive a call: only const ones, whose values are known
 * here.
 */
#include "compiler/front_judge.h"
#include "compiler/front_text.h"
#include "compiler/front_types.h"
#include "compiler/nprocc.h"

struct global_rule {
	bool (*is_broken)(CXCursor variable);
	const char *reason; /* said after the variable's name */
	const char *rewrite;
};

static bool is_thread_local(CXCursor variable)
{
	return clang_getCursorTLSKind(variable) != CXTLS_None;
}

static bool is_in_address_space(CXCursor variable)
{
	return front_space(clang_getCanonicalType(clang_getCursorType(variable))) != 0;
}

static bool is_volatile(CXCursor variable)
{
	return clang_isVolatileQualifiedType(clang_getCanonicalType(clang_getCursorType(variable)));
}

static bool is_mutable_static_local(CXCursor variable)
{
	return !front_is_global(variable) && !front_is_const(clang_getCursorType(variable));
}

static bool is_mutable(CXCursor variable)
{
	return !front_is_const(clang_getCursorType(variable));
}

static bool is_register(CXCursor variable)
{
	return clang_Cursor_getStorageClass(variable) == CX_SC_Register;
}

static bool is_without_value(CXCursor variable)
{
	return clang_Cursor_getStorageClass(variable) == CX_SC_Extern &&
	       clang_Cursor_isNull(clang_Cursor_getVarDeclInitializer(variable));
}

/* The first rule that is broken counts. */
static const struct global_rule rules[] = {
	{is_thread_local, "is thread-local, but a process has no threads",
		"use a local variable of the kernel, and pass its address to helper functions"},
	{is_in_address_space, "is a global variable in far memory",
		"let the host allocate it with nmem_alloc() and pass a `far T *` to the kernel"},
	{is_register, "is a register of the host's processor", "leave it out"},
	{is_volatile,
		"is a volatile global, and globals of host and device are not the same memory",
		"share through far memory: a `far` pointer parameter, with atomics where both sides write"},
	{is_mutable_static_local,
		"is a mutable static variable: processes do not share one, and a device may run "
		"millions",
		"use a local variable of the kernel, and pass its address to helper functions; a table is static "
		"const"},
	{is_mutable, "is a mutable global: host and processes do not share it",
		"pass it as a parameter, by value or as a `far` pointer; a table that never changes is const, and so are "
		"its elements (const char *const names[])"},
	{is_without_value, "is const, but its value is not in this file",
		"define it in this file or as static const in a header"},
};

static void judge_variable(struct judge *judge, CXCursor variable, CXCursor at)
{
	for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
		if (!rules[i].is_broken(variable))
			continue;
		const char *reason = pool_format("'%s' %s", front_name(variable), rules[i].reason);
		CXCursor declared =
			clang_equalCursors(variable, at) ? clang_getNullCursor() : variable;
		judge_refuse_declared(judge, at, reason, rules[i].rewrite, declared);
		return;
	}
}

void judge_globals(struct judge *judge)
{
	for (size_t i = 0; i < judge->reach->global_count; i++) {
		const struct global *global = &judge->reach->globals[i];
		judge->index = global->user;
		if (!judge->reach->functions[global->user].is_library)
			judge_variable(judge, global->cursor, global->at);
	}
}

/* An array or struct without a name in the initialiser of a global lives as long as that. */
static void judge_unnamed(struct judge *judge, const struct step *step)
{
	const struct step *outermost = step;
	while (outermost->parent)
		outermost = outermost->parent;
	bool in_function = clang_getCursorKind(outermost->cursor) == CXCursor_CompoundStmt;
	if (!in_function && !front_is_const(clang_getCursorType(step->cursor)))
		judge_refuse(judge, step->cursor,
			"a mutable object without a name, which all processes would share",
			"make it const: (const int[]){1, 2, 3}");
}

void judge_local(struct judge *judge, const struct step *step)
{
	if (clang_getCursorKind(step->cursor) == CXCursor_CompoundLiteralExpr)
		judge_unnamed(judge, step);
	if (clang_getCursorKind(step->cursor) != CXCursor_VarDecl || front_is_global(step->cursor))
		return;
	bool outlives_call = clang_Cursor_getStorageClass(step->cursor) == CX_SC_Static ||
			     is_thread_local(step->cursor);
	if (outlives_call)
		judge_variable(judge, step->cursor, step->cursor);
}
