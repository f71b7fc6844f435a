#include <string.h>

#include "compiler/front_const.h"
#include "compiler/front_text.h"
#include "compiler/front_types.h"
#include "compiler/nprocc.h"

static bool is_about_const(const char *text)
{
	static const char *const said[] = {"read-only variable is not assignable",
		"with const-qualified type", "must be a pointer to non-const type"};
	for (size_t i = 0; i < sizeof said / sizeof *said; i++) {
		if (strstr(text, said[i]))
			return true;
	}
	return false;
}

static bool points_to_const_far(CXCursor declaration)
{
	CXType type = clang_getCursorType(declaration);
	return front_is_far_pointer(type) && front_pointee_is_const(type);
}

/* What the name at a token stands for, when that is a pointer to const far memory. */
static bool find_at(CXTranslationUnit tu, CXToken token, CXCursor *declaration)
{
	if (clang_getTokenKind(token) != CXToken_Identifier)
		return false;
	CXCursor at = clang_getCursor(tu, clang_getTokenLocation(tu, token));
	CXCursor found = clang_getCursorReferenced(at);
	if (clang_Cursor_isNull(found) || !points_to_const_far(found))
		return false;
	*declaration = found;
	return true;
}

/* The last such pointer in a range: of a->b->c, what leads to c. */
static bool find_in(CXTranslationUnit tu, CXSourceRange range, CXCursor *declaration)
{
	CXToken *tokens = NULL;
	unsigned count = 0;
	bool found = false;
	clang_tokenize(tu, range, &tokens, &count);
	for (unsigned i = 0; i < count; i++)
		found |= find_at(tu, tokens[i], declaration);
	clang_disposeTokens(tu, tokens, count);
	return found;
}

static bool find(CXTranslationUnit tu, CXDiagnostic diagnostic, CXCursor *declaration)
{
	for (unsigned i = 0; i < clang_getDiagnosticNumRanges(diagnostic); i++) {
		if (find_in(tu, clang_getDiagnosticRange(diagnostic, i), declaration))
			return true;
	}
	return false;
}

void front_explain_const(CXTranslationUnit tu, CXDiagnostic diagnostic, struct refusal *refusal)
{
	CXCursor declaration;
	if (!is_about_const(refusal->reason.text) || !find(tu, diagnostic, &declaration))
		return;
	CXType pointee = clang_getPointeeType(clang_getCursorType(declaration));
	const char *name = front_name(declaration);
	refusal->rewrite = pool_format(
		"far memory behind a pointer to const is read-only: to write there, declare it `far %s *%s`",
		front_type(clang_getUnqualifiedType(pointee)), name);
	refusal->related[0] = (struct remark){
		front_place_of(declaration), pool_format("'%s' is declared const here", name)};
}
