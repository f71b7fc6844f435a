/* diag.c - how every step of the compiler speaks to people: place, source line, caret, way out. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compiler/nprocc.h"

/* Longer source lines are shown as a window around the caret. */
enum {
	WINDOW_BYTES = 120,
	WINDOW_BEFORE = 80
};

static unsigned error_count;

/* Line `line` of a file without its end, allocated; NULL when there is none. */
static char *read_line(const char *path, unsigned line)
{
	FILE *file = fopen(path, "r");
	if (!file)
		return NULL;
	char *text = NULL;
	size_t capacity = 0;
	ssize_t length = -1;
	for (unsigned at = 0; at < line; at++) {
		length = getline(&text, &capacity, file);
		if (length < 0)
			break;
	}
	fclose(file);
	if (length < 0) {
		free(text);
		return NULL;
	}
	text[strcspn(text, "\r\n")] = '\0';
	return text;
}

/* How many bytes the UTF-8 sequence at `text` has; 0 when it is none. */
static size_t utf8_bytes(const unsigned char *text)
{
	size_t bytes = text[0] >= 0xf0 ? 4 : text[0] >= 0xe0 ? 3 : text[0] >= 0xc2 ? 2 : 0;
	if (text[0] > 0xf4 || (text[0] == 0xc2 && text[1] < 0xa0))
		return 0; /* no character, or one that controls terminals */
	for (size_t i = 1; i < bytes; i++) {
		if ((text[i] & 0xc0) != 0x80)
			return 0;
	}
	return bytes;
}

/*
 * Prints one character of a source line and returns its bytes. What could disturb a terminal
 * becomes '?'. `blank` prints white space of the same width instead.
 */
static size_t print_character(const char *text, bool blank)
{
	unsigned char c = (unsigned char)text[0];
	if (c == '\t') {
		fputc('\t', stderr);
		return 1;
	}
	if (c < 0x80) {
		fputc(blank ? ' ' : c < 0x20 || c == 0x7f ? '?' : c, stderr);
		return 1;
	}
	size_t bytes = utf8_bytes((const unsigned char *)text);
	if (bytes && !memcmp(text, "\xef\xbb\xbf", 3))
		return 3; /* a byte order mark has no width */
	if (bytes && !blank)
		fwrite(text, 1, bytes, stderr);
	else
		fputc(blank ? ' ' : '?', stderr);
	return bytes ? bytes : 1;
}

/* Messages quote the source. */
static void print_text(const char *text)
{
	while (*text)
		text += print_character(text, false);
	fputc('\n', stderr);
}

static void print_note(const char *text)
{
	fputs("note: ", stderr);
	print_text(text);
}

/* Where the window of a line begins, so that byte `caret` is in it, at a character's first byte. */
static size_t window_start(const char *text, size_t length, size_t caret)
{
	if (length <= WINDOW_BYTES || caret <= WINDOW_BEFORE)
		return 0;
	size_t start = caret - WINDOW_BEFORE;
	while (start < caret && ((unsigned char)text[start] & 0xc0) == 0x80)
		start++;
	return start;
}

static void print_source(const char *path, unsigned line, unsigned column)
{
	char *text = read_line(path, line);
	if (!text)
		return;
	size_t length = strlen(text);
	size_t caret = column ? column - 1 : 0;
	if (caret > length)
		caret = length;
	size_t start = window_start(text, length, caret);
	size_t end = length - start > WINDOW_BYTES ? start + WINDOW_BYTES : length;
	const char *dots = start ? "..." : "";
	fputs(dots, stderr);
	for (size_t i = start; i < end;)
		i += print_character(text + i, false);
	fprintf(stderr, "%s\n%*s", end < length ? "..." : "", (int)strlen(dots), "");
	for (size_t i = start; i < caret;)
		i += print_character(text + i, true);
	fputs("^\n", stderr);
	free(text);
}

static void print(const char *file, unsigned line, unsigned column, const char *kind,
	const char *text, const char *note)
{
	if (file && line)
		fprintf(stderr, "%s:%u:%u: %s: ", file, line, column, kind);
	else
		fprintf(stderr, "%s: %s: ", file ? file : "nprocc", kind);
	print_text(text);
	if (file && line)
		print_source(file, line, column);
	if (note)
		print_note(note);
}

void diag_error(
	const char *file, unsigned line, unsigned column, const char *text, const char *note)
{
	error_count++;
	print(file, line, column, "error", text, note);
}

void diag_warning(
	const char *file, unsigned line, unsigned column, const char *text, const char *note)
{
	print(file, line, column, "warning", text, note);
}

void diag_note(const char *file, unsigned line, unsigned column, const char *text)
{
	if (file && line)
		print(file, line, column, "note", text, NULL);
	else
		print_note(text);
}

unsigned diag_error_count(void)
{
	return error_count;
}
