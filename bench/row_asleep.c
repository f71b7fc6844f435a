/*
 * row_asleep.c - both sides asleep: the core sleeps when the request comes, and works so long that
 * the host sleeps when the answer comes. What counts is the time beyond that work. The peer does
 * the same over futexes.
 */
#include <linux/futex.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "bench/methods.h"
#include "bench/plain.h"
#include "bench/session.h"

enum {
	WORK = 50000,      /* rounds of plain_mix(): longer than anybody spins */
	PAUSE_NS = 200000, /* between requests */
	SAMPLES_MAX = 1000
};

static void pause_between(void)
{
	const struct timespec pause = {0, PAUSE_NS};

	nanosleep(&pause, NULL);
}

static double work_ns(struct bench_side *side)
{
	double began = bench_now_ns(), took;

	bench_check(side, plain_mix(1, WORK) != 0);
	took = bench_now_ns() - began;
	return took;
}

/* The median of single requests, less the work. */
static void measure(struct bench_side *side, uint64_t (*request)(struct bench_side *, uint64_t))
{
	double samples[SAMPLES_MAX], work[9];
	const uint64_t expected = plain_mix(7, WORK);
	const uint64_t count = side->count < SAMPLES_MAX ? side->count : SAMPLES_MAX;

	for (unsigned i = 0; i < 9; i++)
		work[i] = work_ns(side);
	bench_begin(side);
	for (uint64_t i = 0; i < count; i++) {
		double began;

		pause_between();
		began = bench_now_ns();
		bench_check(side, request(side, 7) == expected);
		samples[i] = bench_now_ns() - began;
	}
	bench_end(side, count);
	side->value = bench_quantile(samples, count, 0.5) - bench_quantile(work, 9, 0.5);
	side->p99 = bench_quantile(samples, count, 0.99) - bench_quantile(work, 9, 0.5);
	side->cpu_ns -= bench_quantile(work, 9, 0.5);
}

/* ---- Nearside ---- */

static const char *open_worker(struct bench_side *side)
{
	struct bench_session *session =
		bench_session_open(side, "inproc:cores=1,far=16M", sizeof(*session));

	bench_server_start(session, &session->server, "worker", NULL, 0);
	return NULL;
}

static void close_worker(struct bench_side *side)
{
	struct bench_session *session = side->state;

	bench_server_stop(session, &session->server);
	bench_session_close(side);
}

static uint64_t ask_worker(struct bench_side *side, uint64_t seed)
{
	const struct bench_session *session = side->state;
	uint64_t task[2] = {seed, WORK}, result;

	bench_must(session, npipe_write(session->server.request, task, sizeof(task)));
	bench_must(session, npipe_read_full(session->server.reply, &result, sizeof(result)));
	return result;
}

static void measure_near(struct bench_side *side)
{
	measure(side, ask_worker);
}

const struct bench_method bench_near_asleep = {
	"Nearside", 100, open_worker, measure_near, close_worker};

/* ---- futexes ---- */

struct hand_off {
	_Alignas(64) uint32_t down; /* the number of the request, of the answer */
	_Alignas(64) uint32_t up;
	uint64_t seed, result;
	uint32_t last;
};

static void set(uint32_t *word, uint32_t value)
{
	__atomic_store_n(word, value, __ATOMIC_RELEASE);
	syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

static void wait_for(uint32_t *word, uint32_t value)
{
	uint32_t seen;

	while ((seen = __atomic_load_n(word, __ATOMIC_ACQUIRE)) != value)
		syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, seen, NULL, NULL, 0);
}

static const char *open_hand_off(struct bench_side *side)
{
	side->state = aligned_alloc(64, sizeof(struct hand_off));
	memset(side->state, 0, sizeof(struct hand_off));
	return NULL;
}

static void close_hand_off(struct bench_side *side)
{
	free(side->state);
}

static void serve(struct bench_side *side)
{
	struct hand_off *hand_off = side->state;

	for (uint32_t i = hand_off->last + 1; i <= hand_off->last + side->count; i++) {
		wait_for(&hand_off->down, i);
		hand_off->result = plain_mix(hand_off->seed, WORK);
		set(&hand_off->up, i);
	}
}

static uint64_t hand_over(struct bench_side *side, uint64_t seed)
{
	struct hand_off *hand_off = side->state;
	const uint32_t number = hand_off->down + 1;

	hand_off->seed = seed;
	set(&hand_off->down, number);
	wait_for(&hand_off->up, number);
	return hand_off->result;
}

static void measure_futex(struct bench_side *side)
{
	struct hand_off *hand_off = side->state;

	bench_partner_start(serve, side);
	measure(side, hand_over);
	bench_partner_join();
	hand_off->last = hand_off->down;
}

const struct bench_method bench_futex_asleep = {
	"futex hand-off", 100, open_hand_off, measure_futex, close_hand_off};
