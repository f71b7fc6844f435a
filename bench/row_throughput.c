/*
 * row_throughput.c - large writes through one pipe, host to process. The reader has a buffer of 1
 * KB. The limit is the bare ring with full lines, copied from the writer's buffer and into the
 * reader's.
 */
#include <stdlib.h>
#include <string.h>

#include "bench/methods.h"
#include "bench/ring.h"
#include "bench/session.h"

enum {
	BUFFER = 1024, /* of the reader: kernels.c has the same */
	LINE = 56
};

/* The writer's bytes: each word says where it is, so the reader's sum shows that all came. */
static uint64_t *make_bytes(uint64_t nbytes)
{
	uint64_t *words = malloc(nbytes);

	for (uint64_t i = 0; i < nbytes / 8; i++)
		words[i] = i;
	return words;
}

/* How many writes a sample of side->count bytes is. */
static uint64_t writes_of(const struct bench_side *side)
{
	uint64_t writes = side->count / side->row->nbytes;

	return writes ? writes : 1;
}

/* The first words of every 1 KB. */
static uint64_t expected_sum(uint64_t nbytes, uint64_t writes)
{
	uint64_t sum = 0;

	for (uint64_t at = 0; at < nbytes; at += BUFFER)
		sum += at / 8;
	return sum * writes;
}

/* ---- Nearside ---- */

struct writer {
	struct bench_session session;
	uint64_t *bytes;
};

static const char *open_drain(struct bench_side *side)
{
	struct writer *writer = bench_session_open(side, "inproc:cores=1,far=16M", sizeof(*writer));

	bench_server_start(&writer->session, &writer->session.server, "drain", NULL, 0);
	writer->bytes = make_bytes(side->row->nbytes);
	return NULL;
}

static void close_drain(struct bench_side *side)
{
	struct writer *writer = side->state;

	free(writer->bytes);
	bench_server_stop(&writer->session, &writer->session.server);
	bench_session_close(side);
}

static void write_all(struct bench_side *side, uint64_t writes)
{
	const struct writer *writer = side->state;
	const struct bench_server *server = &writer->session.server;
	const uint64_t nbytes = side->row->nbytes;
	uint64_t expects = writes * nbytes, sum;

	bench_must(&writer->session, npipe_write(server->request, &expects, sizeof(expects)));
	for (uint64_t i = 0; i < writes; i++)
		bench_must(&writer->session, npipe_write(server->request, writer->bytes, nbytes));
	bench_must(&writer->session, npipe_read_full(server->reply, &sum, sizeof(sum)));
	bench_check(side, sum == expected_sum(nbytes, writes));
}

static void measure_near(struct bench_side *side)
{
	write_all(side, 1);
	bench_begin(side);
	write_all(side, writes_of(side));
	bench_end(side, writes_of(side));
}

const struct bench_method bench_near_large = {
	"Nearside", 16 << 20, open_drain, measure_near, close_drain};

/* ---- the bare ring ---- */

struct stream {
	struct ring down, up;
	uint64_t *bytes;
};

static const char *open_stream(struct bench_side *side)
{
	struct stream *stream = aligned_alloc(64, sizeof(*stream));

	memset(stream, 0, sizeof(*stream));
	stream->bytes = make_bytes(side->row->nbytes);
	side->state = stream;
	return NULL;
}

static void close_stream(struct bench_side *side)
{
	struct stream *stream = side->state;

	free(stream->bytes);
	free(stream);
}

/* A write is whole lines, the last one padded. */
static uint64_t lines_of(const struct bench_side *side)
{
	return (side->row->nbytes + LINE - 1) / LINE;
}

static void take_lines(struct bench_side *side)
{
	struct stream *stream = side->state;
	const uint64_t lines = writes_of(side) * lines_of(side);
	uint64_t buffer[BUFFER / 8], sum = 0, at = 0;

	for (uint64_t i = 0; i < lines; i++) {
		ring_take(&stream->down, buffer + at, LINE);
		sum += buffer[at];
		at = at + 2 * LINE / 8 > BUFFER / 8 ? 0 : at + LINE / 8;
	}
	ring_put(&stream->up, &sum, sizeof(sum));
}

static void put_lines(struct stream *stream, uint64_t nbytes)
{
	uint64_t last[LINE / 8] = {0}, at = 0;

	for (; at + LINE <= nbytes; at += LINE)
		ring_put(&stream->down, stream->bytes + at / 8, LINE);
	if (at == nbytes)
		return;
	memcpy(last, stream->bytes + at / 8, nbytes - at);
	ring_put(&stream->down, last, LINE);
}

static void measure_ring(struct bench_side *side)
{
	struct stream *stream = side->state;
	const uint64_t writes = writes_of(side), lines = lines_of(side);
	uint64_t sum;

	bench_partner_start(take_lines, side);
	bench_begin(side);
	for (uint64_t i = 0; i < writes; i++)
		put_lines(stream, side->row->nbytes);
	ring_take(&stream->up, &sum, sizeof(sum));
	bench_end(side, writes);
	bench_partner_join();
	bench_check(side, sum == writes * (lines * (lines - 1) / 2) * (LINE / 8));
}

const struct bench_method bench_ring_large = {
	"bare ring", 64 << 20, open_stream, measure_ring, close_stream};
