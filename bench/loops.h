/*
 * loops.h - the loops that all peers share, with their put and take compiled in, so that no peer
 * pays for a call through a pointer. A peer has a way for messages in each direction; put and take
 * wait.
 *
 *     host: ask loop       host_out -> partner_in    partner: answer loop
 *                          host_in  <- partner_out
 *
 * Before the clock starts both sides are awake and have exchanged some messages.
 */
#ifndef NEARSIDE_BENCH_LOOPS_H
#define NEARSIDE_BENCH_LOOPS_H

#include "bench/bench.h"

enum {
	BENCH_WARM_UP = 100 /* messages before the clock starts */
};

/* The first member of every peer's state. */
struct bench_ways {
	void *host_out, *partner_in, *partner_out, *host_in;
};

typedef void bench_put_fn(void *way, const void *message, size_t nbytes);
typedef void bench_take_fn(void *way, void *message, size_t nbytes);

#define BENCH_INLINE static inline __attribute__((always_inline))

BENCH_INLINE void bench_answer_loop(
	const struct bench_side *side, bench_put_fn *put, bench_take_fn *take)
{
	const struct bench_ways *ways = side->state;
	const size_t nbytes = side->row->nbytes;
	const uint64_t count = side->count + BENCH_WARM_UP;
	uint64_t message[8];

	for (uint64_t i = 0; i < count; i++) {
		take(ways->partner_in, message, nbytes);
		put(ways->partner_out, message, nbytes);
	}
}

BENCH_INLINE void bench_ask_loop(struct bench_side *side, bench_put_fn *put, bench_take_fn *take,
	void (*answer)(struct bench_side *))
{
	const struct bench_ways *ways = side->state;
	const size_t nbytes = side->row->nbytes;
	uint64_t message[8] = {0}, wrong = 0;

	bench_partner_start(answer, side);
	for (uint64_t i = 0; i < side->count + BENCH_WARM_UP; i++) {
		if (i == BENCH_WARM_UP)
			bench_begin(side);
		message[0] = i;
		put(ways->host_out, message, nbytes);
		message[0] = 0;
		take(ways->host_in, message, nbytes);
		wrong |= message[0] ^ i;
		bench_lap(side);
	}
	bench_end(side, side->count);
	bench_partner_join();
	bench_check(side, !wrong);
}

/* Answers the warm-up and the end: one word, the sum of what came. */
BENCH_INLINE void bench_sink_loop(
	const struct bench_side *side, bench_put_fn *put, bench_take_fn *take)
{
	const struct bench_ways *ways = side->state;
	const size_t nbytes = side->row->nbytes;
	uint64_t message[8], sum = 0;

	for (uint64_t i = 0; i < BENCH_WARM_UP; i++) {
		take(ways->partner_in, message, nbytes);
		put(ways->partner_out, message, nbytes);
	}
	for (uint64_t i = 0; i < side->count; i++) {
		take(ways->partner_in, message, nbytes);
		sum += message[0];
	}
	message[0] = sum;
	put(ways->partner_out, message, nbytes);
}

BENCH_INLINE void bench_source_loop(struct bench_side *side, bench_put_fn *put, bench_take_fn *take,
	void (*sink)(struct bench_side *))
{
	const struct bench_ways *ways = side->state;
	const size_t nbytes = side->row->nbytes;
	const uint64_t count = side->count;
	uint64_t message[8] = {0};

	bench_partner_start(sink, side);
	for (uint64_t i = 0; i < BENCH_WARM_UP; i++) {
		put(ways->host_out, message, nbytes);
		take(ways->host_in, message, nbytes);
	}
	bench_begin(side);
	for (uint64_t i = 0; i < count; i++) {
		message[0] = i;
		put(ways->host_out, message, nbytes);
	}
	take(ways->host_in, message, nbytes);
	bench_end(side, count);
	bench_partner_join();
	bench_check(side, message[0] == count * (count - 1) / 2);
}

/* Defines round_trip() and one_way() of a peer. */
#define BENCH_LOOPS(put, take)                            \
	static void answer(struct bench_side *side)       \
	{                                                 \
		bench_answer_loop(side, put, take);       \
	}                                                 \
	static void round_trip(struct bench_side *side)   \
	{                                                 \
		bench_ask_loop(side, put, take, answer);  \
	}                                                 \
	static void sink(struct bench_side *side)         \
	{                                                 \
		bench_sink_loop(side, put, take);         \
	}                                                 \
	static void one_way(struct bench_side *side)      \
	{                                                 \
		bench_source_loop(side, put, take, sink); \
	}

#endif
