#include <stdlib.h>

#include "bench/bench.h"

enum {
	COUNT = 20000,
	PIPE_COUNT = 2000
};

static double measure(struct bench_session *session, struct bench_server *server, unsigned nbytes)
{
	uint64_t message[7] = {0}, answer[7];
	double began = bench_now_ns();

	for (uint64_t i = 0; i < COUNT; i++) {
		message[0] = i;
		bench_must(session, npipe_write(server->request, message, nbytes));
		bench_must(session, npipe_read(server->reply, answer, nbytes));
		if (answer[0] != i)
			abort();
	}
	return (bench_now_ns() - began) / COUNT;
}

static void row(struct bench_session *session, struct bench_server *server, const char *name,
	unsigned nbytes)
{
	struct bench_row row = {.name = name,
		.repeats = session->repeats,
		.limit_name = "bare ring",
		.peer_name = "pipe(2)"};

	row.bounce_before = bench_bounce_ns();
	for (unsigned i = 0; i < row.repeats; i++) {
		row.limit[i] = bench_ring_round_trip_ns(nbytes, COUNT);
		row.ours[i] = measure(session, server, nbytes);
		row.peer[i] = bench_pipe_round_trip_ns(nbytes, PIPE_COUNT);
	}
	row.bounce_after = bench_bounce_ns();
	bench_report(&row);
}

void bench_round_trip(struct bench_session *session)
{
	struct bench_server server;

	bench_server_start(session, &server, "echo", NULL, 0);
	measure(session, &server, 8);
	row(session, &server, "pipe round trip, 8 bytes", 8);
	row(session, &server, "pipe round trip, 48 bytes", 48);
	bench_server_stop(session, &server);
}
