/*
 * row_crowd.c - many processes that wait: what they take, and whether they are in the way of one
 * that works.
 */
#include "bench/crowd.h"
#include "bench/methods.h"

enum {
	MANY = 100000,
	MILLION = 1000000
};

/* ---- room ---- */

static const char *open_many(struct bench_side *side)
{
	bench_crowd_open(side, "inproc:cores=1,far=16M", MANY);
	return NULL;
}

static void measure_device_bytes(struct bench_side *side)
{
	const struct bench_crowd *crowd = side->state;

	side->value = (crowd->after.device - crowd->before.device) / (double)crowd->count;
}

static void measure_program_bytes(struct bench_side *side)
{
	const struct bench_crowd *crowd = side->state;

	side->value = (crowd->after.program - crowd->before.program) / (double)crowd->count;
}

const struct bench_method bench_near_device_bytes = {
	"Nearside", 1, open_many, measure_device_bytes, bench_crowd_close};
const struct bench_method bench_near_program_bytes = {
	"Nearside", 1, open_many, measure_program_bytes, bench_crowd_close};

/* ---- a million; one core has credits for the pipes of half of them ---- */

static const char *open_million(struct bench_side *side)
{
	bench_crowd_open(side, "inproc:cores=2,far=16M,processes=1000000,pipes=2000000", MILLION);
	return NULL;
}

static void measure_million(struct bench_side *side)
{
	const struct bench_crowd *crowd = side->state;

	bench_crowd_ask(side, 1000);
	side->value = crowd->after.device;
}

const struct bench_method bench_near_million = {
	"Nearside", 1, open_million, measure_million, bench_crowd_close};

/* ---- one that works ---- */

static const char *open_one(struct bench_side *side)
{
	bench_crowd_open(side, "inproc:cores=1,far=16M", 1);
	return NULL;
}

static void exchange(struct bench_side *side, uint64_t count)
{
	const struct bench_crowd *crowd = side->state;
	const struct bench_server *member = &crowd->members[crowd->count / 2];
	uint64_t word, wrong = 0;

	for (uint64_t i = 0; i < count; i++) {
		word = i;
		bench_must(&crowd->session, npipe_write(member->request, &word, sizeof(word)));
		bench_must(&crowd->session, npipe_read_full(member->reply, &word, sizeof(word)));
		wrong |= word ^ i;
	}
	bench_check(side, !wrong);
}

static void measure_exchange(struct bench_side *side)
{
	exchange(side, 100);
	bench_begin(side);
	exchange(side, side->count);
	bench_end(side, side->count);
}

const struct bench_method bench_near_among_many = {
	"Nearside, 100,000 waiting", 30000, open_many, measure_exchange, bench_crowd_close};
const struct bench_method bench_near_alone = {
	"Nearside, one process", 30000, open_one, measure_exchange, bench_crowd_close};
