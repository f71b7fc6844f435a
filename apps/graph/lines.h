/*
 * lines.h - a text file, line by line, plain or compressed by gzip.
 * Memory is bounded: a line longer than LINES_MAX is handed out cut, so that a comment may have any
 * length and whoever needs all of the line can refuse it.
 */
#ifndef NEARSIDE_GRAPH_LINES_H
#define NEARSIDE_GRAPH_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <zlib.h>

#include "apps/graph/problem.h"

enum {
	LINES_MAX = 1024 * 1024
};

struct lines {
	const char *path;
	gzFile file;
	uint64_t number; /* of the line handed out last; the first is 1 */
	bool is_cut;     /* that line was longer than LINES_MAX */
	char *text;
	size_t length;
	char *block; /* read from the file, not handed out yet: [next, filled) */
	size_t next, filled;
};

/* Takes fd over, also on failure. `path` must outlive it; it is what messages call the file. */
int lines_open(struct lines *lines, int fd, const char *path, struct problem *problem);
void lines_close(struct lines *lines);

/*
 * 1: *text is the next line, without its end (LF or CRLF); the caller may write into it, until the
 * next call. 0: end of file. -EIO: the file cannot be read or is a truncated gzip file. -EINVAL: a
 * 0 byte, so not text.
 */
int lines_next(struct lines *lines, char **text, struct problem *problem);

#endif
