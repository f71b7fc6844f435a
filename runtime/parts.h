/* parts.h - bytes that lie in several parts, and how far one has come in them. */
#ifndef NEARSIDE_RUNTIME_PARTS_H
#define NEARSIDE_RUNTIME_PARTS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

struct parts {
	const struct iovec *at; /* the part that comes next */
	size_t count;           /* from it on */
	size_t offset;          /* in it */
};

/* The bytes in all; -EINVAL: more parts or bytes than a call takes. */
int64_t parts_nbytes(const struct iovec *parts, size_t count);

/* What lies in one piece from here on; NULL and 0 behind the last part. */
char *parts_piece(struct parts *parts, size_t *nbytes);

/* Goes on. Never beyond the last part. */
void parts_skip(struct parts *parts, size_t nbytes);

/* Copies from `bytes`, and goes on. */
void parts_put(struct parts *parts, const char *bytes, size_t nbytes);

/* Copies at most nbytes from here on, without going on; returns how many. */
size_t parts_look(struct parts parts, char *bytes, size_t nbytes);

#endif
