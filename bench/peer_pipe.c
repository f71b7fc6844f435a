/* peer_pipe.c - what a user would take: two pipes of the kernel and a thread. */
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "bench/bench.h"

struct pipes {
	int down[2], up[2];
	unsigned nbytes, count;
};

static void *answer(void *context)
{
	struct pipes *pipes = context;
	char message[64];

	bench_pin_self(1);
	for (unsigned i = 0; i < pipes->count; i++)
		if (read(pipes->down[0], message, pipes->nbytes) != (ssize_t)pipes->nbytes ||
			write(pipes->up[1], message, pipes->nbytes) != (ssize_t)pipes->nbytes)
			abort();
	return NULL;
}

double bench_pipe_round_trip_ns(unsigned nbytes, unsigned count)
{
	struct pipes pipes = {.nbytes = nbytes, .count = count};
	char message[64] = {0};
	pthread_t thread;
	double began;

	if (pipe(pipes.down) || pipe(pipes.up))
		abort();
	pthread_create(&thread, NULL, answer, &pipes);
	began = bench_now_ns();
	for (unsigned i = 0; i < count; i++)
		if (write(pipes.down[1], message, nbytes) != (ssize_t)nbytes ||
			read(pipes.up[0], message, nbytes) != (ssize_t)nbytes)
			abort();
	began = bench_now_ns() - began;
	pthread_join(thread, NULL);
	for (unsigned i = 0; i < 2; i++) {
		close(pipes.down[i]);
		close(pipes.up[i]);
	}
	return began / count;
}
