#include <ctype.h>
#include <stdbool.h>
#include <string.h>

#include "compiler/front_blank_text.h"

/* Directives that stay: what they say reaches beyond the body that they stand in. */
static const char *const kept_directives[] = {"define", "undef", "if", "ifdef", "ifndef", "elif",
	"elifdef", "elifndef", "else", "endif", "line"};

static bool is_kept_directive(const char *text, size_t at, size_t end)
{
	at++;
	while (at < end && (text[at] == ' ' || text[at] == '\t'))
		at++;
	size_t length = 0;
	while (at + length < end && isalpha((unsigned char)text[at + length]))
		length++;
	for (size_t i = 0; i < sizeof kept_directives / sizeof *kept_directives; i++) {
		if (strlen(kept_directives[i]) == length &&
			!memcmp(kept_directives[i], text + at, length))
			return true;
	}
	return false;
}

/* Past a line ending that a backslash hides; `at` itself when there is none. */
static size_t skip_splice(const char *text, size_t at, size_t end)
{
	if (text[at] != '\\')
		return at;
	size_t next = at + 1;
	if (next < end && text[next] == '\r')
		next++;
	return next < end && text[next] == '\n' ? next + 1 : at;
}

/* Past a comment that begins at `at`; `at` itself when none does. */
static size_t skip_comment(const char *text, size_t at, size_t end)
{
	if (text[at] != '/' || at + 1 >= end)
		return at;
	if (text[at + 1] == '*') {
		for (at += 2; at + 1 < end; at++) {
			if (text[at] == '*' && text[at + 1] == '/')
				return at + 2;
		}
		return end;
	}
	if (text[at + 1] == '/') {
		while (at < end && text[at] != '\n') {
			size_t spliced = skip_splice(text, at, end);
			at = spliced > at ? spliced : at + 1;
		}
	}
	return at;
}

/* Past a string or character constant that begins at `at`; it ends with its line at the latest. */
static size_t skip_quoted(const char *text, size_t at, size_t end)
{
	char quote = text[at];
	if (quote != '"' && quote != '\'')
		return at;
	for (at++; at < end && text[at] != '\n'; at++) {
		if (text[at] == quote)
			return at + 1;
		size_t spliced = skip_splice(text, at, end);
		if (spliced > at)
			at = spliced - 1;
		else if (text[at] == '\\' && at + 1 < end && text[at + 1] != '\n')
			at++;
	}
	return at;
}

/* Past the directive that begins at `at`, up to its line ending. */
static size_t skip_directive(const char *text, size_t at, size_t end)
{
	while (at < end && text[at] != '\n') {
		size_t next = skip_splice(text, at, end);
		if (next == at)
			next = skip_comment(text, at, end);
		if (next == at)
			next = skip_quoted(text, at, end);
		at = next > at ? next : at + 1;
	}
	return at;
}

static void blank(char *text, size_t begin, size_t end)
{
	for (size_t i = begin; i < end; i++) {
		if (text[i] != '\n' && text[i] != '\r' && text[i] != '\t')
			text[i] = ' ';
	}
}

/* Blanks all of text[at..end) but the directives that stay. */
static void blank_code(char *text, size_t at, size_t end)
{
	bool at_line_start = false;
	while (at < end) {
		size_t next = skip_comment(text, at, end);
		if (next == at)
			next = skip_quoted(text, at, end);
		if (next == at && text[at] == '#' && at_line_start) {
			next = skip_directive(text, at, end);
			if (is_kept_directive(text, at, next))
				at = next;
		}
		if (next == at)
			next = at + 1;
		if (at < end && text[at] == '\n')
			at_line_start = true;
		else if (at < end && !isspace((unsigned char)text[at]) && text[at] != '/')
			at_line_start = false;
		blank(text, at, next < end ? next : end);
		at = next;
	}
}

/* Where the white space before `end` begins. */
static size_t trim(const char *text, size_t end)
{
	while (end > 0 && isspace((unsigned char)text[end - 1]))
		end--;
	return end;
}

/*
 * Parameters in the old style are declarations between `)` and `{`: the last thing before the body
 * is `;`.
 */
static bool follows_old_parameters(const char *text, size_t body)
{
	body = trim(text, body);
	return body > 0 && text[body - 1] == ';';
}

static void blank_body(char *text, size_t begin, size_t end, bool stays_a_definition)
{
	if (text[begin] != '{' || text[end - 1] != '}')
		return;
	bool braces = stays_a_definition || follows_old_parameters(text, begin);
	blank_code(text, begin + 1, end - 1);
	text[begin] = braces ? '{' : ';';
	text[end - 1] = braces ? '}' : ' ';
}

/* `T name[] = value` has no length without its value. */
static bool has_open_length(const char *text, size_t end)
{
	for (end = trim(text, end); end > 0 && text[end - 1] == ']'; end = trim(text, end)) {
		size_t inside = trim(text, end - 1);
		if (inside > 0 && text[inside - 1] == '[')
			return true;
		while (end > 0 && text[end - 1] != '[')
			end--;
		end -= end > 0;
	}
	return false;
}

static void blank_initialiser(char *text, size_t begin, size_t end)
{
	begin = trim(text, begin);
	if (begin > 0 && text[begin - 1] == '=' && !has_open_length(text, begin - 1))
		blank_code(text, begin - 1, end);
}

void front_blank_text(char *text, size_t begin, size_t end, enum blank_kind kind)
{
	switch (kind) {
	case BLANK_BODY:
	case BLANK_INSIDE:
		blank_body(text, begin, end, kind == BLANK_INSIDE);
		break;
	case BLANK_INITIALISER:
		blank_initialiser(text, begin, end);
		break;
	case BLANK_ALL:
		blank(text, begin, end);
		break;
	}
}
