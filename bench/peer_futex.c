/* peer_futex.c - a word handed over by futex(2): the least that waking a sleeping thread costs. */
#include <linux/futex.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "bench/loops.h"
#include "bench/methods.h"

struct slot {
	_Alignas(64) uint32_t is_full;
	uint64_t message[7];
};

struct slots {
	struct bench_ways ways;
	struct slot down, up;
};

static void set(uint32_t *word, uint32_t value)
{
	__atomic_store_n(word, value, __ATOMIC_RELEASE);
	syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

static void wait_for(uint32_t *word, uint32_t value)
{
	while (__atomic_load_n(word, __ATOMIC_ACQUIRE) != value)
		syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, !value, NULL, NULL, 0);
}

/* A round trip never meets a full slot, so nobody waits for an empty one. */
static void put(void *way, const void *message, size_t nbytes)
{
	struct slot *slot = way;

	memcpy(slot->message, message, nbytes);
	set(&slot->is_full, 1);
}

static void take(void *way, void *message, size_t nbytes)
{
	struct slot *slot = way;

	wait_for(&slot->is_full, 1);
	memcpy(message, slot->message, nbytes);
	__atomic_store_n(&slot->is_full, 0, __ATOMIC_RELEASE);
}

static const char *open_slots(struct bench_side *side)
{
	struct slots *slots = aligned_alloc(64, sizeof(*slots));

	memset(slots, 0, sizeof(*slots));
	slots->ways = (struct bench_ways){&slots->down, &slots->down, &slots->up, &slots->up};
	side->state = slots;
	return NULL;
}

static void close_slots(struct bench_side *side)
{
	free(side->state);
}

static void answer(struct bench_side *side)
{
	bench_answer_loop(side, put, take);
}

static void round_trip(struct bench_side *side)
{
	bench_ask_loop(side, put, take, answer);
}

const struct bench_method bench_futex_round_trip = {
	"futex hand-off", 2000, open_slots, round_trip, close_slots};
