/*
 * row_switch.c - from one process to another of the same core. The limit is a call that the
 * compiler cannot see through.
 */
#include "bench/methods.h"
#include "bench/session.h"

static const char *open_device(struct bench_side *side)
{
	bench_session_open(side, "inproc:cores=1,far=16M", sizeof(struct bench_session));
	return NULL;
}

static void measure(struct bench_side *side)
{
	const struct bench_session *session = side->state;
	const uint64_t yields = side->count / 2;
	struct nproc *process[2];

	bench_begin(side);
	for (unsigned i = 0; i < 2; i++)
		bench_must(session, nproc_spawn(session->device, session->image, "yielder", NULL,
					    &process[i], yields));
	for (unsigned i = 0; i < 2; i++) {
		struct nproc_status status;

		bench_must(session, nproc_wait(process[i], &status, NPROC_FOREVER));
		bench_check(side, status.exit_code == (int64_t)yields);
		nproc_close(process[i]);
	}
	bench_end(side, 2 * yields);
}

const struct bench_method bench_near_switch = {
	"Nearside", 2000000, open_device, measure, bench_session_close};

static uint64_t calls;

static void count_call(void)
{
	calls++;
}

static void measure_calls(struct bench_side *side)
{
	void (*volatile call)(void) = count_call;

	calls = 0;
	bench_begin(side);
	for (uint64_t i = 0; i < side->count; i++)
		call();
	bench_end(side, side->count);
	bench_check(side, calls == side->count);
}

const struct bench_method bench_call = {
	"call through a pointer", 5000000, NULL, measure_calls, NULL};
