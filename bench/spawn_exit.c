#include <stdlib.h>

#include "bench/bench.h"

enum {
	COUNT = 10000,
	RING_COUNT = 20000,
	PIPE_COUNT = 2000
};

static double measure(struct bench_session *session)
{
	double began = bench_now_ns();

	for (int64_t i = 0; i < COUNT; i++) {
		struct nproc_status status;
		struct nproc *process;

		bench_must(session,
			nproc_spawn(session->device, session->image, "one", NULL, &process, i));
		bench_must(session, nproc_wait(process, &status, NPROC_FOREVER));
		if (status.state != NPROC_EXITED || status.exit_code != i)
			abort();
		nproc_close(process);
	}
	return (bench_now_ns() - began) / COUNT;
}

void bench_spawn_exit(struct bench_session *session)
{
	struct bench_row row = {.name = "spawn to exit, one word of result",
		.repeats = session->repeats,
		.limit_name = "bare ring round trip",
		.peer_name = "pipe(2) round trip"};

	measure(session);
	row.bounce_before = bench_bounce_ns();
	for (unsigned i = 0; i < row.repeats; i++) {
		row.limit[i] = bench_ring_round_trip_ns(8, RING_COUNT);
		row.ours[i] = measure(session);
		row.peer[i] = bench_pipe_round_trip_ns(8, PIPE_COUNT);
	}
	row.bounce_after = bench_bounce_ns();
	bench_report(&row);
}
