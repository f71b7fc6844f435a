/* row_round_trip.c - the host writes a message to a process, which sends it back. */
#include "bench/methods.h"
#include "bench/session.h"

static const char *open_echo(struct bench_side *side)
{
	struct bench_session *session =
		bench_session_open(side, "inproc:cores=1,far=16M", sizeof(*session));

	bench_server_start(session, &session->server, "echo", NULL, 0);
	return NULL;
}

static void close_echo(struct bench_side *side)
{
	struct bench_session *session = side->state;

	bench_server_stop(session, &session->server);
	bench_session_close(side);
}

static void exchange(struct bench_side *side, uint64_t count, bool is_timed)
{
	const struct bench_session *session = side->state;
	const struct bench_server *server = &session->server;
	uint64_t message[7] = {0}, wrong = 0;

	for (uint64_t i = 0; i < count; i++) {
		message[0] = i;
		bench_must(session, npipe_write(server->request, message, side->row->nbytes));
		bench_must(session, npipe_read_full(server->reply, message, side->row->nbytes));
		wrong |= message[0] ^ i;
		if (is_timed)
			bench_lap(side);
	}
	bench_check(side, !wrong);
}

static void measure(struct bench_side *side)
{
	exchange(side, 100, false);
	bench_begin(side);
	exchange(side, side->count, true);
	bench_end(side, side->count);
}

const struct bench_method bench_near_round_trip = {
	"Nearside", 30000, open_echo, measure, close_echo};
