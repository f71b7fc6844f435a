#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "compiler/front_text.h"
#include "compiler/nprocc.h"

char *front_take(CXString string)
{
	const char *text = clang_getCString(string);
	char *copy = pool_copy(text ? text : "");
	clang_disposeString(string);
	return copy;
}

char *front_name(CXCursor cursor)
{
	return front_take(clang_getCursorSpelling(cursor));
}

char *front_type(CXType type)
{
	return front_spell_far(front_take(clang_getTypeSpelling(type)));
}

char *front_far_pointer_to(CXType type)
{
	CXType canonical = clang_getCanonicalType(type);
	if (canonical.kind == CXType_Pointer)
		return pool_format(
			"%sfar *", front_far_pointer_to(clang_getPointeeType(canonical)));
	const char *text = front_type(type);
	if (!strncmp(text, "const ", 6))
		return pool_format("const far %s *", text + 6);
	return pool_format("far %s *", text);
}

char *front_path(CXFile file)
{
	char *path = front_take(clang_getFileName(file));
	char *folder = path[0] == '/' ? NULL : getcwd(NULL, 0);
	if (folder)
		path = pool_format("%s/%s", folder, path);
	free(folder);
	return path;
}

/* Replaces each `from` by the shorter `to`. */
static void replace(char *text, const char *from, const char *to)
{
	size_t from_length = strlen(from), to_length = strlen(to);
	for (char *at = text; (at = strstr(at, from)); at += to_length) {
		memcpy(at, to, to_length);
		memmove(at + to_length, at + from_length, strlen(at + from_length) + 1);
	}
}

char *front_spell_far(char *text)
{
	replace(text, "*__attribute__((address_space(1)))", "*far");
	replace(text, "__attribute__((address_space(1)))", "far");
	return text;
}

char *front_single_spaced(char *text)
{
	char *to = text;
	for (const char *from = text; *from; from++) {
		if (!isspace((unsigned char)*from))
			*to++ = *from;
		else if (to > text && to[-1] != ' ')
			*to++ = ' ';
	}
	while (to > text && to[-1] == ' ')
		to--;
	*to = '\0';
	return text;
}

/* The text of a file from where a cursor is spelled, and how much there is of it; NULL for none. */
static const char *spelled_text(CXCursor cursor, size_t *length)
{
	CXFile file;
	unsigned offset;
	CXSourceLocation begin = clang_getRangeStart(clang_getCursorExtent(cursor));
	clang_getSpellingLocation(begin, &file, NULL, NULL, &offset);
	const char *text =
		file ? clang_getFileContents(clang_Cursor_getTranslationUnit(cursor), file, length)
		     : NULL;
	if (!text || offset >= *length)
		return NULL;
	*length -= offset;
	return text + offset;
}

char *front_first_word(CXCursor cursor)
{
	size_t length = 0, begin = 0, end;
	const char *text = spelled_text(cursor, &length);
	if (!text)
		return pool_copy("");
	while (begin < length && text[begin] == '_')
		begin++;
	end = begin;
	while (end < length && (isalnum((unsigned char)text[end]) || text[end] == '_'))
		end++;
	while (end > begin && text[end - 1] == '_')
		end--;
	return pool_format("%.*s", (int)(end - begin), text + begin);
}
