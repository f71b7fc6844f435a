/* kernel.c - what the operating system offers: streams, vmsplice(2), process_vm_readv(2). */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "bench/bulk/bulk.h"

enum {
	ROOM = 1 << 20, /* asked for in a pipe or socket */
};

struct end {
	int out, in;
	bool is_host;
};

static void *new_end(int out, int in, bool is_host)
{
	struct end *end = calloc(1, sizeof(*end));

	*end = (struct end){out, in, is_host};
	return end;
}

static void close_link(struct bulk_link *link)
{
	struct end *ends[] = {link->host, link->partner};

	for (unsigned i = 0; i < 2; i++) {
		close(ends[i]->out);
		if (ends[i]->in != ends[i]->out)
			close(ends[i]->in);
		free(ends[i]);
	}
}

static const char *open_pipes(struct bench_side *side, struct bulk_link *link)
{
	int down[2], up[2];

	(void)side;
	if (pipe(down) || pipe(up))
		return "no file descriptors";
	fcntl(down[1], F_SETPIPE_SZ, ROOM);
	fcntl(up[1], F_SETPIPE_SZ, ROOM);
	link->host = new_end(down[1], up[0], true);
	link->partner = new_end(up[1], down[0], false);
	return NULL;
}

static const char *open_sockets(struct bench_side *side, struct bulk_link *link)
{
	const int room = ROOM;
	int pair[2];

	(void)side;
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair))
		return "no sockets";
	for (unsigned i = 0; i < 2; i++)
		setsockopt(pair[i], SOL_SOCKET, SO_SNDBUF, &room, sizeof(room));
	link->host = new_end(pair[0], pair[0], true);
	link->partner = new_end(pair[1], pair[1], false);
	return NULL;
}

/* ---- streams --------------------------------------------------------------------------------- */

static void *make(const struct end *end, const struct bulk_kind *kind, size_t nbytes, uint64_t seed)
{
	void *bytes = bulk_memory(end->is_host ? BULK_HOST_SENDS : BULK_PARTNER_SENDS, nbytes);

	kind->make(bytes, nbytes, 0, seed);
	return bytes;
}

static void must(ssize_t result)
{
	if (result <= 0)
		bench_die("a stream of the system broke");
}

static void write_all(int file, const void *bytes, size_t nbytes)
{
	for (ssize_t done; nbytes; nbytes -= (size_t)done) {
		done = write(file, bytes, nbytes);
		must(done);
		bytes = (const char *)bytes + done;
	}
}

static void read_all(int file, void *bytes, size_t nbytes)
{
	for (ssize_t done; nbytes; nbytes -= (size_t)done) {
		done = read(file, bytes, nbytes);
		must(done);
		bytes = (char *)bytes + done;
	}
}

static void send_stream(void *context, const struct bulk_kind *kind, size_t nbytes, uint64_t seed)
{
	const struct end *end = context;

	write_all(end->out, make(end, kind, nbytes, seed), nbytes);
}

/* Through a buffer that stays in the cache. */
static uint64_t take_stream(void *context, const struct bulk_kind *kind, size_t nbytes)
{
	const struct end *end = context;
	void *bytes = bulk_memory(end->is_host ? BULK_HOST_TAKES : BULK_PARTNER_TAKES, BULK_STEP);
	uint64_t sum = 0;

	for (size_t from = 0; from < nbytes; from += BULK_STEP) {
		const size_t step = nbytes - from < BULK_STEP ? nbytes - from : BULK_STEP;

		read_all(end->in, bytes, step);
		sum += kind->read(bytes, step);
	}
	return sum;
}

/* ---- vmsplice -------------------------------------------------------------------------------- */

/* The pages are the reader's until it says that it has read: a byte goes back. */
static void send_pages(void *context, const struct bulk_kind *kind, size_t nbytes, uint64_t seed)
{
	const struct end *end = context;
	struct iovec part = {make(end, kind, nbytes, seed), nbytes};
	char byte;

	for (ssize_t done; part.iov_len; part.iov_len -= (size_t)done) {
		done = vmsplice(end->out, &part, 1, 0);
		must(done);
		part.iov_base = (char *)part.iov_base + done;
	}
	read_all(end->in, &byte, 1);
}

static uint64_t take_pages(void *context, const struct bulk_kind *kind, size_t nbytes)
{
	const struct end *end = context;
	uint64_t sum = take_stream(context, kind, nbytes);

	write_all(end->out, "", 1);
	return sum;
}

/* ---- process_vm_readv ------------------------------------------------------------------------ */

/* Tells where the message lies, and waits until it was read. */
static void send_place(void *context, const struct bulk_kind *kind, size_t nbytes, uint64_t seed)
{
	const struct end *end = context;
	void *bytes = make(end, kind, nbytes, seed);
	char byte;

	write_all(end->out, &bytes, sizeof(bytes));
	read_all(end->in, &byte, 1);
}

static uint64_t take_place(void *context, const struct bulk_kind *kind, size_t nbytes)
{
	const struct end *end = context;
	char *bytes = bulk_memory(end->is_host ? BULK_HOST_TAKES : BULK_PARTNER_TAKES, BULK_STEP);
	uint64_t sum = 0;
	char *place;

	read_all(end->in, &place, sizeof(place));
	for (size_t from = 0; from < nbytes; from += BULK_STEP) {
		const size_t step = nbytes - from < BULK_STEP ? nbytes - from : BULK_STEP;
		const struct iovec to = {bytes, step}, at = {place + from, step};

		must(process_vm_readv(getpid(), &to, 1, &at, 1, 0));
		sum += kind->read(bytes, step);
	}
	write_all(end->out, "", 1);
	return sum;
}

static const struct bulk_way pipes = {open_pipes, close_link, send_stream, take_stream, NULL};
static const struct bulk_way sockets = {open_sockets, close_link, send_stream, take_stream, NULL};
static const struct bulk_way pages = {open_pipes, close_link, send_pages, take_pages, NULL};
static const struct bulk_way places = {open_pipes, close_link, send_place, take_place, NULL};

BULK_METHOD(bench_bulk_pipe, pipes, "pipe(2)", BULK_PEER_SAMPLE)
BULK_METHOD(bench_bulk_unix, sockets, "AF_UNIX stream", BULK_PEER_SAMPLE)
BULK_METHOD(bench_bulk_vmsplice, pages, "vmsplice(2)", BULK_PEER_SAMPLE)
BULK_METHOD(bench_bulk_readv, places, "process_vm_readv(2)", BULK_PEER_SAMPLE)
