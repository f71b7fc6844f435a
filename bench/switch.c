/*
 * switch.c - from one process to another of the same core. The limit is a call through a pointer that the compiler cannot see through; the
 * peer is swapcontext().
 */
#include <stdlib.h>
#include <ucontext.h>

#include "bench/bench.h"

enum {
	COUNT = 2000000,
	SWAPS = 200000,
	STACK = 64 * 1024
};

static double measure(struct bench_session *session)
{
	struct nproc *process[2];
	double began = bench_now_ns();

	for (unsigned i = 0; i < 2; i++)
		bench_must(session, nproc_spawn(session->device, session->image, "yielder", NULL,
					    &process[i], (uint64_t)COUNT));
	for (unsigned i = 0; i < 2; i++) {
		struct nproc_status status;

		bench_must(session, nproc_wait(process[i], &status, NPROC_FOREVER));
		if (status.exit_code != COUNT)
			abort();
		nproc_close(process[i]);
	}
	return (bench_now_ns() - began) / (2.0 * COUNT);
}

static uint64_t calls;

static void count_call(void)
{
	calls++;
}

static double call_ns(void)
{
	void (*volatile call)(void) = count_call;
	double began = bench_now_ns();

	calls = 0;
	for (unsigned i = 0; i < COUNT; i++)
		call();
	began = (bench_now_ns() - began) / COUNT;
	if (calls != COUNT)
		abort();
	return began;
}

static ucontext_t outside, inside;

static void swap_back(void)
{
	for (;;)
		swapcontext(&inside, &outside);
}

static double swapcontext_ns(void)
{
	static char stack[STACK];
	double began;

	getcontext(&inside);
	inside.uc_stack.ss_sp = stack;
	inside.uc_stack.ss_size = sizeof(stack);
	makecontext(&inside, swap_back, 0);
	began = bench_now_ns();
	for (unsigned i = 0; i < SWAPS; i++)
		swapcontext(&outside, &inside);
	return (bench_now_ns() - began) / (2.0 * SWAPS);
}

void bench_switch(struct bench_session *session)
{
	struct bench_row row = {.name = "switch between two processes",
		.repeats = session->repeats,
		.limit_name = "indirect call",
		.peer_name = "swapcontext()"};

	for (unsigned i = 0; i < row.repeats; i++) {
		row.limit[i] = call_ns();
		row.ours[i] = measure(session);
		row.peer[i] = swapcontext_ns();
	}
	bench_report(&row);
}
