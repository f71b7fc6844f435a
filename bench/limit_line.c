/*
 * limit_line.c - one bare line that goes back and forth between two threads: payload, and a count
 * in the last word that says whose turn it is. Plain stores, a pause while waiting, no check.
 */
#include <stdlib.h>
#include <string.h>

#include "bench/loops.h"
#include "bench/methods.h"

struct line {
	uint64_t payload[7];
	uint64_t count;
};

/* Each side counts the turns for itself, in a line of its own: the host has the even ones. */
struct turn {
	_Alignas(64) struct line *line;
	uint64_t count;
};

struct line_state {
	struct bench_ways ways;
	struct turn host, partner;
	_Alignas(64) struct line line;
};

static const char *open_line(struct bench_side *side)
{
	struct line_state *state = aligned_alloc(64, sizeof(*state));

	memset(state, 0, sizeof(*state));
	side->state = state;
	return NULL;
}

static void close_line(struct bench_side *side)
{
	free(side->state);
}

BENCH_INLINE void line_put(void *way, const void *message, size_t nbytes)
{
	struct turn *turn = way;
	const uint64_t *words = message;

	for (size_t i = 0; i < nbytes / 8; i++)
		__atomic_store_n(&turn->line->payload[i], words[i], __ATOMIC_RELAXED);
	__atomic_store_n(&turn->line->count, ++turn->count, __ATOMIC_RELEASE);
}

BENCH_INLINE void line_take(void *way, void *message, size_t nbytes)
{
	struct turn *turn = way;
	uint64_t *words = message;

	turn->count++;
	while (__atomic_load_n(&turn->line->count, __ATOMIC_ACQUIRE) != turn->count)
		__builtin_ia32_pause();
	for (size_t i = 0; i < nbytes / 8; i++)
		words[i] = __atomic_load_n(&turn->line->payload[i], __ATOMIC_RELAXED);
}

static void answer(struct bench_side *side)
{
	bench_answer_loop(side, line_put, line_take);
}

static void bounce(struct bench_side *side)
{
	struct line_state *state = side->state;

	state->line.count = 0;
	state->host = (struct turn){&state->line, 0};
	state->partner = (struct turn){&state->line, 0};
	state->ways =
		(struct bench_ways){&state->host, &state->partner, &state->partner, &state->host};
	bench_ask_loop(side, line_put, line_take, answer);
}

const struct bench_method bench_bare_line = {"bare line", 100000, open_line, bounce, close_line};
