/* peer_swapcontext.c - from one stack to another by swapcontext(3). */
#include <ucontext.h>

#include "bench/methods.h"

static ucontext_t outside, inside;

static void swap_back(void)
{
	for (;;)
		swapcontext(&inside, &outside);
}

static void measure(struct bench_side *side)
{
	static char stack[64 * 1024];
	const uint64_t rounds = side->count / 2;

	getcontext(&inside);
	inside.uc_stack.ss_sp = stack;
	inside.uc_stack.ss_size = sizeof(stack);
	makecontext(&inside, swap_back, 0);
	bench_begin(side);
	for (uint64_t i = 0; i < rounds; i++)
		swapcontext(&outside, &inside);
	bench_end(side, 2 * rounds);
}

const struct bench_method bench_swapcontext = {"swapcontext(3)", 100000, NULL, measure, NULL};
