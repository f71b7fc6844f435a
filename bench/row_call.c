/* row_call.c - the host asks and a process answers, both in one line. */
#include "bench/methods.h"
#include "bench/session.h"

static const char *open_answerer(struct bench_side *side)
{
	struct bench_session *session =
		bench_session_open(side, "inproc:cores=1,far=16M", sizeof(*session));

	bench_answerer_start(session, &session->server, "answer", NULL);
	return NULL;
}

static void close_answerer(struct bench_side *side)
{
	struct bench_session *session = side->state;

	bench_server_stop(session, &session->server);
	bench_session_close(side);
}

static void call(struct bench_side *side, uint64_t count, bool is_timed)
{
	const struct bench_session *session = side->state;
	uint64_t message[7] = {0}, answer[7], wrong = 0;

	for (uint64_t i = 0; i < count; i++) {
		message[0] = i;
		answer[0] = ~i;
		bench_must(session, npipe_call(session->server.request, message, side->row->nbytes,
					    answer, sizeof(answer)));
		wrong |= answer[0] ^ i;
		if (is_timed)
			bench_lap(side);
	}
	bench_check(side, !wrong);
}

static void measure(struct bench_side *side)
{
	call(side, 100, false);
	bench_begin(side);
	call(side, side->count, true);
	bench_end(side, side->count);
}

const struct bench_method bench_near_call = {
	"Nearside, npipe_call()", 60000, open_answerer, measure, close_answerer};
