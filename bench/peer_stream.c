/*
 * peer_stream.c - large writes through pipe(2) and a stream of AF_UNIX; the reader has a buffer of
 * 64 KB.
 */
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "bench/methods.h"

enum {
	BUFFER = 64 << 10
};

struct stream {
	int in, out;
	char *bytes;
};

static const char *start(struct bench_side *side, int in, int out)
{
	struct stream *stream = calloc(1, sizeof(*stream));

	stream->in = in;
	stream->out = out;
	stream->bytes = calloc(1, side->row->nbytes);
	side->state = stream;
	return NULL;
}

static const char *open_pipe(struct bench_side *side)
{
	int files[2];

	return pipe(files) ? "no file descriptors" : start(side, files[0], files[1]);
}

static const char *open_socket(struct bench_side *side)
{
	int files[2];

	return socketpair(AF_UNIX, SOCK_STREAM, 0, files) ? "no sockets"
							  : start(side, files[0], files[1]);
}

static void close_stream(struct bench_side *side)
{
	struct stream *stream = side->state;

	close(stream->in);
	close(stream->out);
	free(stream->bytes);
	free(stream);
}

static uint64_t writes_of(const struct bench_side *side)
{
	uint64_t writes = side->count / side->row->nbytes;

	return writes ? writes : 1;
}

static void drain(struct bench_side *side)
{
	const struct stream *stream = side->state;
	uint64_t left = writes_of(side) * side->row->nbytes;
	char *buffer = malloc(BUFFER);

	while (left) {
		ssize_t nbytes = read(stream->in, buffer, left < BUFFER ? left : BUFFER);

		bench_check(side, nbytes > 0);
		left -= (uint64_t)nbytes;
	}
	free(buffer);
}

static void measure(struct bench_side *side)
{
	const struct stream *stream = side->state;
	const uint64_t writes = writes_of(side), nbytes = side->row->nbytes;

	bench_partner_start(drain, side);
	bench_begin(side);
	for (uint64_t i = 0; i < writes; i++)
		bench_check(side, write(stream->out, stream->bytes, nbytes) == (ssize_t)nbytes);
	bench_partner_join();
	bench_end(side, writes);
}

const struct bench_method bench_pipe_large = {
	"pipe(2)", 32 << 20, open_pipe, measure, close_stream};
const struct bench_method bench_unix_large = {
	"AF_UNIX stream", 32 << 20, open_socket, measure, close_stream};
