/* peer_files.c - pipe(2) and a pair of AF_UNIX sockets between two threads. */
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "bench/loops.h"
#include "bench/methods.h"

struct files {
	struct bench_ways ways;
	int down[2], up[2]; /* reads, writes */
};

static const char *start(struct bench_side *side, const int down[2], const int up[2])
{
	struct files *files = calloc(1, sizeof(*files));

	for (unsigned i = 0; i < 2; i++) {
		files->down[i] = down[i];
		files->up[i] = up[i];
	}
	files->ways =
		(struct bench_ways){&files->down[1], &files->down[0], &files->up[1], &files->up[0]};
	side->state = files;
	return NULL;
}

static const char *open_pipes(struct bench_side *side)
{
	int down[2], up[2];

	return pipe(down) || pipe(up) ? "no file descriptors" : start(side, down, up);
}

/* One pair for each direction, so that both peers are closed alike. */
static const char *open_sockets(struct bench_side *side)
{
	int down[2], up[2];

	return socketpair(AF_UNIX, SOCK_SEQPACKET, 0, down) ||
			       socketpair(AF_UNIX, SOCK_SEQPACKET, 0, up)
		       ? "no sockets"
		       : start(side, down, up);
}

static void close_files(struct bench_side *side)
{
	struct files *files = side->state;

	for (unsigned i = 0; i < 2; i++) {
		close(files->down[i]);
		close(files->up[i]);
	}
	free(files);
}

static void put(void *way, const void *message, size_t nbytes)
{
	if (write(*(int *)way, message, nbytes) != (ssize_t)nbytes)
		bench_die("a write to a pipe or socket failed");
}

static void take(void *way, void *message, size_t nbytes)
{
	if (read(*(int *)way, message, nbytes) != (ssize_t)nbytes)
		bench_die("a read from a pipe or socket failed");
}

BENCH_LOOPS(put, take)

const struct bench_method bench_pipe_round_trip = {
	"pipe(2)", 2000, open_pipes, round_trip, close_files};
const struct bench_method bench_pipe_one_way = {"pipe(2)", 30000, open_pipes, one_way, close_files};
const struct bench_method bench_unix_round_trip = {
	"AF_UNIX sockets", 2000, open_sockets, round_trip, close_files};
const struct bench_method bench_unix_one_way = {
	"AF_UNIX sockets", 20000, open_sockets, one_way, close_files};
