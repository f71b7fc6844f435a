#include "runtime/parts.h"

#include <errno.h>
#include <string.h>

#include <nearside/npipe.h>

int64_t parts_nbytes(const struct iovec *parts, size_t count)
{
	uint64_t nbytes = 0;

	if (count > NPIPE_PARTS_MAX)
		return -EINVAL;
	for (size_t i = 0; i < count; i++) {
		if (parts[i].iov_len > INT64_MAX - nbytes)
			return -EINVAL;
		nbytes += parts[i].iov_len;
	}
	return (int64_t)nbytes;
}

char *parts_piece(struct parts *parts, size_t *nbytes)
{
	while (parts->count && parts->offset == parts->at->iov_len) {
		parts->at++;
		parts->count--;
		parts->offset = 0;
	}
	*nbytes = parts->count ? parts->at->iov_len - parts->offset : 0;
	return *nbytes ? (char *)parts->at->iov_base + parts->offset : NULL;
}

void parts_skip(struct parts *parts, size_t nbytes)
{
	size_t piece;

	while (nbytes && parts_piece(parts, &piece)) {
		size_t now = nbytes < piece ? nbytes : piece;

		parts->offset += now;
		nbytes -= now;
	}
}

void parts_put(struct parts *parts, const char *bytes, size_t nbytes)
{
	size_t piece;
	char *to;

	while (nbytes && (to = parts_piece(parts, &piece))) {
		size_t now = nbytes < piece ? nbytes : piece;

		memcpy(to, bytes, now);
		parts->offset += now;
		bytes += now;
		nbytes -= now;
	}
}

size_t parts_look(struct parts parts, char *bytes, size_t nbytes)
{
	size_t done = 0, piece;
	const char *from;

	while (done < nbytes && (from = parts_piece(&parts, &piece))) {
		size_t now = nbytes - done < piece ? nbytes - done : piece;

		memcpy(bytes + done, from, now);
		parts.offset += now;
		done += now;
	}
	return done;
}
