#include <string.h>

#include "compiler/front_clang_errors.h"
#include "compiler/front_const.h"
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

void front_report_clang_warnings(CXTranslationUnit tu)
{
	for (unsigned i = 0; i < clang_getNumDiagnostics(tu); i++) {
		CXDiagnostic diagnostic = clang_getDiagnostic(tu, i);
		if (clang_getDiagnosticSeverity(diagnostic) == CXDiagnostic_Warning) {
			struct remark said = remark_of(diagnostic);
			diag_warning(said.place.file, said.place.line, said.place.column, said.text,
				NULL);
			report_notes(diagnostic);
		}
		clang_disposeDiagnostic(diagnostic);
	}
}

enum front_reading front_reading(CXTranslationUnit tu)
{
	enum front_reading reading = FRONT_READ;
	for (unsigned i = 0; i < clang_getNumDiagnostics(tu); i++) {
		CXDiagnostic diagnostic = clang_getDiagnostic(tu, i);
		enum CXDiagnosticSeverity severity = clang_getDiagnosticSeverity(diagnostic);
		if (severity == CXDiagnostic_Fatal)
			reading = FRONT_NOT_READ;
		else if (severity == CXDiagnostic_Error && reading == FRONT_READ)
			reading = FRONT_READ_WITH_ERRORS;
		clang_disposeDiagnostic(diagnostic);
	}
	return reading;
}

static struct refusal refusal_of(CXDiagnostic diagnostic)
{
	struct refusal refusal = {.reason = remark_of(diagnostic)};
	size_t count = 0;
	refusal.rewrite = rewrite_of(refusal.reason.text);
	CXDiagnosticSet notes = clang_getChildDiagnostics(diagnostic);
	for (unsigned i = 0; i < clang_getNumDiagnosticsInSet(notes) && count < RELATED_MAX; i++) {
		struct remark note = remark_of(clang_getDiagnosticInSet(notes, i));
		if (!front_in_library(&note.place))
			refusal.related[count++] = note;
	}
	return refusal;
}

void front_refuse_host_errors(CXTranslationUnit tu, struct refusals *refusals)
{
	for (unsigned i = 0; i < clang_getNumDiagnostics(tu); i++) {
		CXDiagnostic diagnostic = clang_getDiagnostic(tu, i);
		struct refusal refusal = refusal_of(diagnostic);
		if (clang_getDiagnosticSeverity(diagnostic) >= CXDiagnostic_Error)
			front_refuse_once(refusals, &refusal);
		clang_disposeDiagnostic(diagnostic);
	}
}

/* Does the message come of what only device code has: `far`, or warnings that are errors there? */
static bool is_of_device(CXDiagnostic diagnostic, const struct refusal *refusal)
{
	return refusal->rewrite || *front_take(clang_getDiagnosticOption(diagnostic, NULL));
}

void front_refuse_device_errors(
	CXTranslationUnit tu, enum front_reading host, struct refusals *refusals)
{
	for (unsigned i = 0; i < clang_getNumDiagnostics(tu); i++) {
		CXDiagnostic diagnostic = clang_getDiagnostic(tu, i);
		struct refusal refusal = refusal_of(diagnostic);
		front_explain_const(tu, diagnostic, &refusal);
		if (clang_getDiagnosticSeverity(diagnostic) >= CXDiagnostic_Error &&
			(host == FRONT_READ || is_of_device(diagnostic, &refusal)))
			front_refuse(refusals, &refusal);
		clang_disposeDiagnostic(diagnostic);
	}
}
