/*
 * peer_coroutine.c - from one C++20 coroutine to another, resumed by a loop as a core resumes
 * processes.
 */
#include "bench/coroutine.h"
#include "bench/methods.h"

static void measure(struct bench_side *side)
{
	uint64_t resumes;

	bench_begin(side);
	resumes = bench_resume_in_turns(side->count);
	bench_end(side, side->count);
	bench_check(side, resumes == side->count);
}

const struct bench_method bench_coroutine = {
	"C++20 coroutine resume", 5000000, NULL, measure, NULL};
