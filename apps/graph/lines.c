#include "apps/graph/lines.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	BLOCK_BYTES = 256 * 1024
};

int lines_open(struct lines *lines, int fd, const char *path, struct problem *problem)
{
	*lines = (struct lines){.path = path};
	lines->file = gzdopen(fd, "rb");
	if (!lines->file) {
		close(fd);
		return problem_no_memory(problem, path, BLOCK_BYTES);
	}
	lines->text = malloc(LINES_MAX + 1);
	lines->block = malloc(BLOCK_BYTES);
	if (lines->text && lines->block)
		return 0;
	lines_close(lines);
	return problem_no_memory(problem, path, LINES_MAX + 1 + BLOCK_BYTES);
}

void lines_close(struct lines *lines)
{
	if (lines->file)
		gzclose_r(lines->file);
	free(lines->text);
	free(lines->block);
	*lines = (struct lines){0};
}

static int read_problem(const struct lines *lines, struct problem *problem)
{
	int code;
	const char *text = gzerror(lines->file, &code);

	if (code == Z_ERRNO)
		text = strerror(errno);
	else if (code == Z_BUF_ERROR)
		text = "the compressed file is truncated";
	if (lines->number == 0) /* of the whole file */
		return problem_set(problem, -EIO, "%s: cannot read: %s", lines->path, text);
	return problem_set(
		problem, -EIO, "%s:%" PRIu64 ": cannot read: %s", lines->path, lines->number, text);
}

/* 1: the block holds bytes; 0: end of file. */
static int fill(struct lines *lines, struct problem *problem)
{
	int got, code;

	if (lines->next < lines->filled)
		return 1;
	errno = 0;
	got = gzread(lines->file, lines->block, BLOCK_BYTES);
	gzerror(lines->file, &code);
	if (got < 0 || (got == 0 && code == Z_BUF_ERROR))
		return read_problem(lines, problem);
	lines->next = 0;
	lines->filled = (size_t)got;
	return got > 0;
}

/*
 * Moves bytes of the block to the line, up to the line's end. Returns whether that was in the
 * block.
 */
static bool take(struct lines *lines)
{
	char *from = lines->block + lines->next;
	size_t there = lines->filled - lines->next;
	char *end = memchr(from, '\n', there);
	size_t nbytes = end ? (size_t)(end - from) : there;
	size_t room = LINES_MAX - lines->length;
	size_t kept = nbytes < room ? nbytes : room;

	memcpy(lines->text + lines->length, from, kept);
	lines->length += kept;
	lines->is_cut |= kept < nbytes;
	lines->next += nbytes + (end != NULL);
	return end != NULL;
}

static int finish(struct lines *lines, char **text, struct problem *problem)
{
	if (lines->length > 0 && lines->text[lines->length - 1] == '\r')
		lines->length--;
	lines->text[lines->length] = 0;
	*text = lines->text;
	if (strlen(lines->text) == lines->length)
		return 1;
	return problem_set(problem, -EINVAL, "%s:%" PRIu64 ": a 0 byte: this is not a text file",
		lines->path, lines->number);
}

/* A line without an end, as /dev/zero is: more of it would tell nothing new. */
static bool is_no_text(const struct lines *lines)
{
	return lines->is_cut && memchr(lines->text, 0, lines->length);
}

int lines_next(struct lines *lines, char **text, struct problem *problem)
{
	int more = fill(lines, problem);

	if (more <= 0)
		return more;
	lines->number++;
	lines->length = 0;
	lines->is_cut = false;
	while (more > 0 && !take(lines) && !is_no_text(lines))
		more = fill(lines, problem);
	return more < 0 ? more : finish(lines, text, problem);
}
