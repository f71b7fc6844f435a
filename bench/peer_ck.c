/* peer_ck.c - Concurrency Kit's ring for one sender and one receiver, messages by value. */
#include "bench/absent.h"
#include "bench/methods.h"

#ifndef BENCH_HAVE_CK
BENCH_ABSENT(bench_ck_round_trip, "Concurrency Kit ring", "libck-dev")
BENCH_ABSENT(bench_ck_one_way, "Concurrency Kit ring", "libck-dev")
#else

#include <ck_ring.h>
#include <stdlib.h>
#include <string.h>

#include "bench/loops.h"

enum {
	SIZE = 64
};

struct message {
	uint64_t word[6];
};

CK_RING_PROTOTYPE(messages, message)

struct way {
	ck_ring_t ring;
	_Alignas(64) struct message buffer[SIZE];
};

struct ways {
	struct bench_ways ways;
	_Alignas(64) struct way down;
	_Alignas(64) struct way up;
};

static const char *open_rings(struct bench_side *side)
{
	struct ways *ways = aligned_alloc(64, sizeof(*ways));

	memset(ways, 0, sizeof(*ways));
	ck_ring_init(&ways->down.ring, SIZE);
	ck_ring_init(&ways->up.ring, SIZE);
	ways->ways = (struct bench_ways){&ways->down, &ways->down, &ways->up, &ways->up};
	side->state = ways;
	return NULL;
}

static void close_rings(struct bench_side *side)
{
	free(side->state);
}

static void put(void *context, const void *bytes, size_t nbytes)
{
	struct way *way = context;
	struct message message = {{0}};

	memcpy(&message, bytes, nbytes);
	while (!CK_RING_ENQUEUE_SPSC(messages, &way->ring, way->buffer, &message))
		__builtin_ia32_pause();
}

static void take(void *context, void *bytes, size_t nbytes)
{
	struct way *way = context;
	struct message message;

	while (!CK_RING_DEQUEUE_SPSC(messages, &way->ring, way->buffer, &message))
		__builtin_ia32_pause();
	memcpy(bytes, &message, nbytes);
}

BENCH_LOOPS(put, take)

const struct bench_method bench_ck_round_trip = {
	"Concurrency Kit ring", 100000, open_rings, round_trip, close_rings};
const struct bench_method bench_ck_one_way = {
	"Concurrency Kit ring", 400000, open_rings, one_way, close_rings};

#endif
