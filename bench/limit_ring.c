/*
 * limit_ring.c - the physical limit: one 64-line ring in each direction, plain stores, a phase bit in the last word, PAUSE.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "bench/bench.h"

enum {
	LINES = 64
};

struct line {
	_Alignas(64) uint64_t word[7];
	uint64_t head;
};

struct ring {
	struct line line[LINES];
};

struct rings {
	struct ring down, up;
	uint64_t count;
	unsigned words;
};

static void put(struct ring *ring, uint64_t position, const uint64_t *words, unsigned count)
{
	struct line *line = &ring->line[position % LINES];

	for (unsigned i = 0; i < count; i++)
		__atomic_store_n(&line->word[i], words[i], __ATOMIC_RELAXED);
	__atomic_store_n(&line->head, position / LINES + 1, __ATOMIC_RELEASE);
}

static void take(struct ring *ring, uint64_t position, uint64_t *words, unsigned count)
{
	struct line *line = &ring->line[position % LINES];

	while (__atomic_load_n(&line->head, __ATOMIC_ACQUIRE) != position / LINES + 1)
		__builtin_ia32_pause();
	for (unsigned i = 0; i < count; i++)
		words[i] = __atomic_load_n(&line->word[i], __ATOMIC_RELAXED);
}

static void *answer(void *context)
{
	struct rings *rings = context;
	uint64_t words[7];

	bench_pin_self(1);
	for (uint64_t i = 0; i < rings->count; i++) {
		take(&rings->down, i, words, rings->words);
		put(&rings->up, i, words, rings->words);
	}
	return NULL;
}

double bench_ring_round_trip_ns(unsigned nbytes, unsigned count)
{
	struct rings *rings = aligned_alloc(64, sizeof(*rings));
	uint64_t words[7] = {0}, sum = 0;
	pthread_t thread;
	double began;

	memset(rings, 0, sizeof(*rings));
	rings->count = count + 100;
	rings->words = (nbytes + 7) / 8;
	pthread_create(&thread, NULL, answer, rings);
	for (uint64_t i = 0; i < 100; i++) {
		put(&rings->down, i, words, rings->words);
		take(&rings->up, i, words, rings->words);
	}
	began = bench_now_ns();
	for (uint64_t i = 100; i < rings->count; i++) {
		words[0] = i;
		put(&rings->down, i, words, rings->words);
		take(&rings->up, i, words, rings->words);
		sum += words[0] - i;
	}
	began = bench_now_ns() - began;
	pthread_join(thread, NULL);
	free(rings);
	if (sum)
		abort();
	return began / count;
}

static void *bounce_back(void *context)
{
	uint64_t *flag = context;

	bench_pin_self(1);
	for (uint64_t i = 0; i < 20000; i++) {
		while (__atomic_load_n(flag, __ATOMIC_ACQUIRE) != 2 * i + 1)
			__builtin_ia32_pause();
		__atomic_store_n(flag, 2 * i + 2, __ATOMIC_RELEASE);
	}
	return NULL;
}

double bench_bounce_ns(void)
{
	_Alignas(64) uint64_t flag[8] = {0};
	pthread_t thread;
	double began = 0;

	pthread_create(&thread, NULL, bounce_back, flag);
	for (uint64_t i = 0; i < 20000; i++) {
		if (i == 1000)
			began = bench_now_ns();
		__atomic_store_n(flag, 2 * i + 1, __ATOMIC_RELEASE);
		while (__atomic_load_n(flag, __ATOMIC_ACQUIRE) != 2 * i + 2)
			__builtin_ia32_pause();
	}
	began = (bench_now_ns() - began) / 19000;
	pthread_join(thread, NULL);
	return began;
}
