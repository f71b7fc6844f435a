/*
 * row_spawn.c - a process begins, returns one word, and the host sees it: one after the other, or
 * 64 in flight.
 */
#include "bench/methods.h"
#include "bench/session.h"

enum {
	IN_FLIGHT = 64
};

static const char *open_device(struct bench_side *side)
{
	bench_session_open(side, "inproc:cores=1,far=16M", sizeof(struct bench_session));
	return NULL;
}

static struct nproc *begin(const struct bench_session *session, int64_t result)
{
	struct nproc *process;

	bench_must(session,
		nproc_spawn(session->device, session->image, "one", NULL, &process, result));
	return process;
}

static void end(struct bench_side *side, struct nproc *process, int64_t result)
{
	struct nproc_status status;

	bench_must(side->state, nproc_wait(process, &status, NPROC_FOREVER));
	bench_check(side, status.state == NPROC_EXITED && status.exit_code == result);
	nproc_close(process);
}

static void spawn_each(struct bench_side *side, int64_t count, bool is_timed)
{
	for (int64_t i = 0; i < count; i++) {
		end(side, begin(side->state, i), i);
		if (is_timed)
			bench_lap(side);
	}
}

static void measure_one(struct bench_side *side)
{
	spawn_each(side, 100, false);
	bench_begin(side);
	spawn_each(side, (int64_t)side->count, true);
	bench_end(side, side->count);
}

static void spawn_many(struct bench_side *side, int64_t count)
{
	struct nproc *process[IN_FLIGHT];

	for (int64_t i = 0; i < count + IN_FLIGHT; i++) {
		if (i >= IN_FLIGHT)
			end(side, process[i % IN_FLIGHT], i - IN_FLIGHT);
		if (i < count)
			process[i % IN_FLIGHT] = begin(side->state, i);
	}
}

static void measure_many(struct bench_side *side)
{
	spawn_many(side, 1000);
	bench_begin(side);
	spawn_many(side, (int64_t)side->count);
	bench_end(side, side->count);
}

const struct bench_method bench_near_spawn = {
	"Nearside", 20000, open_device, measure_one, bench_session_close};
const struct bench_method bench_near_spawn_many = {
	"Nearside", 50000, open_device, measure_many, bench_session_close};
