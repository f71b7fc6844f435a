/*
 * placement.c - where the two processors are. Virtual processors share a physical core at one
 * moment and sit on two the next; a line then takes four times as long from one to the other.
 */
#include "bench/bench.h"

enum {
	CHUNKS = 8,
	ROUNDS = 400,
	CLOSE_NS = 180, /* between what one core and two cores of today's machines take */
};

static _Alignas(64) uint64_t flag[8];

static void wait_for(uint64_t value)
{
	while (__atomic_load_n(flag, __ATOMIC_ACQUIRE) != value)
		__builtin_ia32_pause();
}

static void bounce_back(struct bench_side *side)
{
	(void)side;
	for (uint64_t i = 0; i < (CHUNKS + 1) * ROUNDS; i++) {
		wait_for(2 * i + 1);
		__atomic_store_n(flag, 2 * i + 2, __ATOMIC_RELEASE);
	}
}

/* The best of several chunks: who else runs on the machine is not the question. */
double bench_bounce_ns(void)
{
	double best = 0, began = 0;

	__atomic_store_n(flag, 0, __ATOMIC_RELAXED);
	bench_partner_start(bounce_back, NULL);
	for (uint64_t i = 0; i < (CHUNKS + 1) * ROUNDS; i++) {
		if (i % ROUNDS == 0) {
			double now = bench_now_ns();

			if (i > ROUNDS && (best == 0 || now - began < best))
				best = now - began;
			began = now;
		}
		__atomic_store_n(flag, 2 * i + 1, __ATOMIC_RELEASE);
		wait_for(2 * i + 2);
	}
	bench_partner_join();
	return best / ROUNDS;
}

bool bench_is_close(double bounce_ns)
{
	return bounce_ns < CLOSE_NS;
}
