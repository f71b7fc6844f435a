/*
 * row_cores.c - more cores than processors: the host asks eight workers and takes their answers, on
 * a device of four cores and of one. An operation is eight questions. Either all may run on both
 * processors, or all must share one.
 */
#include "bench/methods.h"
#include "bench/plain.h"
#include "bench/session.h"

enum {
	WORKERS = 8,
	WORK = 400 /* rounds of plain_mix(), some half microsecond */
};

struct workers {
	struct bench_session session;
	struct bench_server server[WORKERS];
};

static const char *start(struct bench_side *side, const char *device)
{
	struct workers *workers = bench_session_open_here(side, device, sizeof(*workers));

	for (unsigned i = 0; i < WORKERS; i++)
		bench_server_start(&workers->session, &workers->server[i], "worker", NULL, 0);
	return NULL;
}

static const char *open_four(struct bench_side *side)
{
	return start(side, "inproc:cores=4,far=16M");
}

static const char *open_one(struct bench_side *side)
{
	return start(side, "inproc:cores=1,far=16M");
}

static const char *open_four_on_one(struct bench_side *side)
{
	bench_pin_self(0);
	return start(side, "inproc:cores=4,far=16M");
}

static const char *open_one_on_one(struct bench_side *side)
{
	bench_pin_self(0);
	return start(side, "inproc:cores=1,far=16M");
}

static void close_workers(struct bench_side *side)
{
	struct workers *workers = side->state;

	for (unsigned i = 0; i < WORKERS; i++)
		bench_server_stop(&workers->session, &workers->server[i]);
	bench_session_close(side);
}

static void ask_all(struct bench_side *side)
{
	const struct workers *workers = side->state;
	const struct bench_session *session = &workers->session;
	uint64_t expected = plain_mix(7, WORK), result, task[2] = {7, WORK};

	for (uint64_t round = 0; round < side->count; round++) {
		for (unsigned i = 0; i < WORKERS; i++)
			bench_must(session,
				npipe_write(workers->server[i].request, task, sizeof(task)));
		for (unsigned i = 0; i < WORKERS; i++) {
			bench_must(session,
				npipe_read_full(workers->server[i].reply, &result, sizeof(result)));
			bench_check(side, result == expected);
		}
	}
}

static void measure_here(struct bench_side *side)
{
	bench_begin(side);
	ask_all(side);
	bench_end(side, side->count);
}

static void measure_on_both(struct bench_side *side)
{
	bench_pin_self_to_both();
	measure_here(side);
	bench_pin_self(0);
}

const struct bench_method bench_near_four_cores = {
	"Nearside, 4 cores", 3000, open_four, measure_on_both, close_workers};
const struct bench_method bench_near_one_core = {
	"Nearside, 1 core", 3000, open_one, measure_on_both, close_workers};
const struct bench_method bench_near_four_on_one = {
	"Nearside, 4 cores", 1000, open_four_on_one, measure_here, close_workers};
const struct bench_method bench_near_one_on_one = {
	"Nearside, 1 core", 1000, open_one_on_one, measure_here, close_workers};
