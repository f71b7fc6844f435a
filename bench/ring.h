/*
 * ring.h - the physical limit of talking through lines: a bare ring of 64 lines for one sender and
 * one receiver, plain stores, a count of rounds in the last word of a line that makes it new, PAUSE
 * while waiting. The receiver says every 32 lines how far it is.
 */
#ifndef NEARSIDE_BENCH_RING_H
#define NEARSIDE_BENCH_RING_H

#include <stddef.h>
#include <stdint.h>

enum {
	RING_LINES = 64,
	RING_REPORT = 32
};

struct ring_line {
	_Alignas(64) uint64_t word[7];
	uint64_t head;
};

struct ring {
	struct ring_line line[RING_LINES];
	_Alignas(64) uint64_t taken;      /* told by the receiver */
	_Alignas(64) uint64_t put, limit; /* the sender's own */
	_Alignas(64) uint64_t position;   /* the receiver's own */
};

static inline void ring_wait_for_room(struct ring *ring)
{
	uint64_t taken;

	while ((taken = __atomic_load_n(&ring->taken, __ATOMIC_ACQUIRE)) + RING_LINES <= ring->put)
		__builtin_ia32_pause();
	ring->limit = taken + RING_LINES;
}

static inline void ring_put(void *way, const void *message, size_t nbytes)
{
	struct ring *ring = way;
	const uint64_t *words = message;
	struct ring_line *line = &ring->line[ring->put % RING_LINES];

	if (ring->put >= ring->limit)
		ring_wait_for_room(ring);
	for (size_t i = 0; i < nbytes / 8; i++)
		__atomic_store_n(&line->word[i], words[i], __ATOMIC_RELAXED);
	__atomic_store_n(&line->head, ++ring->put, __ATOMIC_RELEASE);
}

static inline void ring_take(void *way, void *message, size_t nbytes)
{
	struct ring *ring = way;
	uint64_t *words = message;
	struct ring_line *line = &ring->line[ring->position % RING_LINES];
	const uint64_t expected = ring->position + 1;

	while (__atomic_load_n(&line->head, __ATOMIC_ACQUIRE) != expected)
		__builtin_ia32_pause();
	for (size_t i = 0; i < nbytes / 8; i++)
		words[i] = __atomic_load_n(&line->word[i], __ATOMIC_RELAXED);
	ring->position = expected;
	if (expected % RING_REPORT == 0)
		__atomic_store_n(&ring->taken, expected, __ATOMIC_RELEASE);
}

#endif
