/*
 * limit_ring.c - the bare ring as a method: one in each direction, a thread on processor 1. One
 * message at a time, 64 on their way, as many as there is room for; or all in one thread.
 */
#include <stdlib.h>
#include <string.h>

#include "bench/loops.h"
#include "bench/methods.h"
#include "bench/ring.h"

struct rings {
	struct bench_ways ways;
	struct ring down, up;
};

static const char *open_rings(struct bench_side *side)
{
	struct rings *rings = aligned_alloc(64, sizeof(*rings));

	memset(rings, 0, sizeof(*rings));
	rings->ways = (struct bench_ways){&rings->down, &rings->down, &rings->up, &rings->up};
	side->state = rings;
	return NULL;
}

static void close_rings(struct bench_side *side)
{
	free(side->state);
}

BENCH_LOOPS(ring_put, ring_take)

const struct bench_method bench_ring_round_trip = {
	"bare ring", 100000, open_rings, round_trip, close_rings};
const struct bench_method bench_ring_one_way = {
	"bare ring", 400000, open_rings, one_way, close_rings};

/* ---- the window of 64: a question goes out when the answer to the 64th before has come ---- */

enum {
	IN_FLIGHT = RING_LINES
};

static void ask_ahead(struct bench_side *side)
{
	struct rings *rings = side->state;
	const uint64_t count = side->count + BENCH_WARM_UP;
	uint64_t message[7] = {0}, wrong = 0;

	bench_partner_start(answer, side);
	for (uint64_t i = 0; i < count + IN_FLIGHT; i++) {
		if (i == BENCH_WARM_UP)
			bench_begin(side);
		if (i >= IN_FLIGHT) {
			ring_take(&rings->up, message, side->row->nbytes);
			wrong |= message[0] ^ (i - IN_FLIGHT);
		}
		message[0] = i;
		if (i < count)
			ring_put(&rings->down, message, side->row->nbytes);
	}
	bench_end(side, side->count);
	bench_partner_join();
	bench_check(side, !wrong);
}

/* ---- 32 messages in, 32 out, by one thread ---- */

static void put_and_take(struct bench_side *side)
{
	struct rings *rings = side->state;
	const uint64_t rounds = side->count / RING_REPORT;
	uint64_t message[7] = {0}, sum = 0, i = 0;

	bench_begin(side);
	for (uint64_t round = 0; round < rounds; round++) {
		for (unsigned j = 0; j < RING_REPORT; j++) {
			message[0] = i++;
			ring_put(&rings->down, message, side->row->nbytes);
		}
		for (unsigned j = 0; j < RING_REPORT; j++) {
			ring_take(&rings->down, message, side->row->nbytes);
			sum += message[0];
		}
	}
	bench_end(side, i);
	bench_check(side, sum == i * (i - 1) / 2);
}

const struct bench_method bench_ring_64 = {
	"bare ring, 64 in flight", 200000, open_rings, ask_ahead, close_rings};
const struct bench_method bench_ring_one_thread = {
	"bare ring, one thread", 2000000, open_rings, put_and_take, close_rings};
