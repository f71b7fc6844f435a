/* front_judge_code.c - statements and attributes that have no meaning in a kernel, by tables. */
#include <string.h>

#include "compiler/front_judge.h"
#include "compiler/front_text.h"
#include "compiler/nprocc.h"

struct statement_rule {
	enum CXCursorKind kind;
	const char *reason;
	const char *rewrite;
};

static const struct statement_rule statements[] = {
	{CXCursor_GCCAsmStmt, "inline assembly: the same kernel runs on several instruction sets",
		"write it in C; clang's builtins become single instructions where there are some"},
	{CXCursor_MSAsmStmt, "inline assembly: the same kernel runs on several instruction sets",
		"write it in C; clang's builtins become single instructions where there are some"},
	{CXCursor_IndirectGotoStmt, "computed goto",
		"use switch, which becomes a jump table where that is faster"},
	{CXCursor_AddrLabelExpr, "the address of a label is taken",
		"number the places and use switch, which becomes a jump table where that is faster"},
};

struct attribute_rule {
	const char *name;
	const char *reason; /* said after the attribute's name */
	const char *rewrite;
};

#define ONE_ISA   "is for one instruction set, but the same kernel runs on several"
#define NO_LINKER "is for the linker, but a kernel image has one symbol for all kernels"

static const struct attribute_rule attributes[] = {
	{"cleanup", "calls a function where nobody sees the call",
		"call it yourself before each return"},
	{"no_sanitize", "would drop the checks that keep a mistake inside its process",
		"leave it out"},
	{"naked", "leaves the function's frame to assembly", "leave it out"},
	{"target", ONE_ISA, "leave it out: the image holds code for AVX2 beside the plain one"},
	{"target_clones", ONE_ISA,
		"leave it out: the image holds code for AVX2 beside the plain one"},
	{"ms_abi", ONE_ISA, "leave it out"},
	{"sysv_abi", ONE_ISA, "leave it out"},
	{"vectorcall", ONE_ISA, "leave it out"},
	{"regcall", ONE_ISA, "leave it out"},
	{"interrupt", ONE_ISA, "leave it out"},
	{"alias", NO_LINKER, "write a function that calls the other one"},
	{"ifunc", NO_LINKER, "choose with if"},
	{"weak", NO_LINKER, "leave it out"},
	{"section", NO_LINKER, "leave it out"},
	{"constructor", "runs before main, which a process does not have",
		"call it from the kernel"},
	{"destructor", "runs after main, which a process does not have", "call it from the kernel"},
};

static void judge_statement(struct judge *judge, CXCursor cursor)
{
	enum CXCursorKind kind = clang_getCursorKind(cursor);
	for (size_t i = 0; i < sizeof statements / sizeof *statements; i++) {
		if (statements[i].kind == kind)
			judge_refuse(judge, cursor, statements[i].reason, statements[i].rewrite);
	}
}

static void judge_attribute(struct judge *judge, CXCursor cursor)
{
	const char *name = front_first_word(cursor); /* libclang does not name most of them */
	for (size_t i = 0; i < sizeof attributes / sizeof *attributes; i++) {
		if (strcmp(attributes[i].name, name))
			continue;
		judge_refuse(judge, cursor,
			pool_format("attribute '%s' %s", name, attributes[i].reason),
			attributes[i].rewrite);
	}
}

void judge_code(struct judge *judge, const struct step *step)
{
	if (clang_isAttribute(clang_getCursorKind(step->cursor)))
		judge_attribute(judge, step->cursor);
	else
		judge_statement(judge, step->cursor);
}
