#include <string.h>

#include "compiler/front_clang_errors.h"
#include "compiler/front_text.h"
#include "compiler/nprocc.h"

/*
 * What clang says where far and private pointers meet without a cast, in the words of the kernel
 * language. The first entry whose `said` occurs in clang's text is meant.
 */
static const struct {
	const char *said;
	const char *rewrite;
} far_rewrites[] = {
	{"changes address space of pointer",
		"far and private pointers do not convert: declare the pointer `far T *`, or copy the bytes "
		"into a private object (T copy = *p) and use its address"},
	{"non-overlapping address spaces",
		"far and private pointers cannot be compared, subtracted or chosen between: make both far"},
	{"qualified with an address space",
		"far qualifies what a pointer points to (far T *p); an object itself lies in far memory only "
		"when the host allocates it with nmem_alloc()"},
};

static const char *rewrite_of(const char *text)
{
	for (size_t i = 0; i < sizeof far_rewrites / sizeof *far_rewrites; i++) {
		if (strstr(text, far_rewrites[i].said))
			return far_rewrites[i].rewrite;
	}
	return NULL;
}

static struct remark remark_of(CXDiagnostic diagnostic)
{
	return (struct remark){
		front_place(clang_getDiagnosticLocation(diagnostic)),
		front_spell_far(front_take(clang_getDiagnosticSpelling(diagnostic))),
	};
}

/* Places inside Nearside's own macros are of no use to those who only use them. */
static void report_notes(CXDiagnostic diagnostic)
{
	CXDiagnosticSet notes = clang_getChildDiagnostics(diagnostic);
	for (unsigned i = 0; i < clang_getNumDiagnosticsInSet(notes); i++) {
		struct remark note = remark_of(clang_getDiagnosticInSet(notes, i));
		if (!front_in_library(&note.place))
			diag_note(note.place.file, note.place.line, note.place.column, note.text);
	}
}

typedef void diag_fn(
	const char *file, unsigned line, unsigned column, const char *text, const char *note);

/* Reports the diagnostics of these severities by `tell`; returns how many there were. */
static unsigned report(CXTranslationUnit tu, enum CXDiagnosticSeverity least,
	enum CXDiagnosticSeverity most, diag_fn *tell)
{
	unsigned count = 0;
	for (unsigned i = 0; i < clang_getNumDiagnostics(tu); i++) {
		CXDiagnostic diagnostic = clang_getDiagnostic(tu, i);
		enum CXDiagnosticSeverity severity = clang_getDiagnosticSeverity(diagnostic);
		if (severity >= least && severity <= most) {
			struct remark said = remark_of(diagnostic);
			tell(said.place.file, said.place.line, said.place.column, said.text, NULL);
			report_notes(diagnostic);
			count++;
		}
		clang_disposeDiagnostic(diagnostic);
	}
	return count;
}

unsigned front_report_clang_errors(CXTranslationUnit tu)
{
	return report(tu, CXDiagnostic_Error, CXDiagnostic_Fatal, diag_error);
}

unsigned front_report_clang_warnings(CXTranslationUnit tu)
{
	return report(tu, CXDiagnostic_Warning, CXDiagnostic_Warning, diag_warning);
}

static void refuse(CXDiagnostic diagnostic, struct refusals *refusals)
{
	struct refusal refusal = {.reason = remark_of(diagnostic)};
	refusal.rewrite = rewrite_of(refusal.reason.text);
	CXDiagnosticSet notes = clang_getChildDiagnostics(diagnostic);
	for (unsigned i = 0; i < clang_getNumDiagnosticsInSet(notes) && !refusal.related.text;
		i++) {
		struct remark note = remark_of(clang_getDiagnosticInSet(notes, i));
		if (!front_in_library(&note.place))
			refusal.related = note;
	}
	front_refuse(refusals, &refusal);
}

bool front_refuse_clang_errors(CXTranslationUnit tu, struct refusals *refusals)
{
	bool readable = true;
	for (unsigned i = 0; i < clang_getNumDiagnostics(tu); i++) {
		CXDiagnostic diagnostic = clang_getDiagnostic(tu, i);
		if (clang_getDiagnosticSeverity(diagnostic) >= CXDiagnostic_Error)
			refuse(diagnostic, refusals);
		readable = readable && clang_getDiagnosticSeverity(diagnostic) < CXDiagnostic_Fatal;
		clang_disposeDiagnostic(diagnostic);
	}
	return readable;
}
