#include <stdbool.h>
#include <string.h>

#include "compiler/front_clang_errors.h"
#include "compiler/front_parse.h"
#include "compiler/front_text.h"
#include "compiler/nprocc.h"

/*
 * What clang says where far and private pointers meet without a cast, in the words of the kernel language.
 * The first entry whose `said` occurs in clang's text is meant.
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

static void report(CXDiagnostic diagnostic, bool is_note)
{
	struct place place = front_place(clang_getDiagnosticLocation(diagnostic));
	char *file = place.file ? front_take(clang_getFileName(place.file)) : NULL;
	char *text = front_spell_far(front_take(clang_getDiagnosticSpelling(diagnostic)));
	if (is_note)
		diag_note(file, place.line, place.column, text);
	else
		diag_error(file, place.line, place.column, text, rewrite_of(text));
}

static void report_notes(CXDiagnostic diagnostic)
{
	CXDiagnosticSet notes = clang_getChildDiagnostics(diagnostic);
	for (unsigned i = 0; i < clang_getNumDiagnosticsInSet(notes); i++) {
		CXDiagnostic note = clang_getDiagnosticInSet(notes, i);
		report(note, true);
		clang_disposeDiagnostic(note);
	}
}

unsigned front_report_clang_errors(CXTranslationUnit tu)
{
	unsigned errors = 0;
	for (unsigned i = 0; i < clang_getNumDiagnostics(tu); i++) {
		CXDiagnostic diagnostic = clang_getDiagnostic(tu, i);
		if (clang_getDiagnosticSeverity(diagnostic) >= CXDiagnostic_Error) {
			report(diagnostic, false);
			report_notes(diagnostic);
			errors++;
		}
		clang_disposeDiagnostic(diagnostic);
	}
	return errors;
}
