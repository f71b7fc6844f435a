#include "emu/sim_watch.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <time.h>

#include "device/abi/region.h"
#include "host/thread.h"
#include "host/wait.h"

static const int64_t patience_ns = 20ll * 1000 * 1000 * 1000;
static const int64_t interval_ns = 250ll * 1000 * 1000;

struct sim_watch {
	const struct nemu_schedule *schedule;
	void *region;
	clockid_t clock; /* of the simulation's thread */
	int64_t patience_ns;
	uint64_t runs; /* 1 until it is stopped; the watch sleeps on it */
	pthread_t thread;
};

/* A turn, and how much processor time had been used when it was first seen. */
struct sighting {
	uint64_t turn;
	int64_t since_ns;
};

/* Negative: the simulation's thread is no more. */
static int64_t time_used(const struct sim_watch *watch)
{
	struct timespec used;

	if (clock_gettime(watch->clock, &used))
		return -1;
	return used.tv_sec * 1000000000ll + used.tv_nsec;
}

static bool is_too_long(const struct sim_watch *watch, struct sighting *seen)
{
	uint64_t turn = nemu_schedule_turn(watch->schedule);
	int64_t now = time_used(watch);

	if (now < 0 || turn != seen->turn || !nemu_turn_place(turn)) {
		*seen = (struct sighting){turn, now};
		return false;
	}
	return now - seen->since_ns >= __atomic_load_n(&watch->patience_ns, __ATOMIC_RELAXED);
}

/* Names what runs in this turn as the core's victim: its next loop back edge finds that. */
static void end_kernel(const struct sim_watch *watch, uint64_t turn)
{
	struct nreg_core *core = nreg_core(watch->region, nemu_turn_place(turn) - 1);
	uint64_t running = nchan_load(&core->status.running);

	if (running)
		nchan_store(&core->attention.victim, running);
}

static void *run(void *context)
{
	struct sim_watch *watch = context;
	struct sighting seen = {0};

	pthread_setname_np(pthread_self(), "nearside/watch");
	while (nchan_load_acquire(&watch->runs)) {
		nhost_sleep(&watch->runs, nhost_clock_ns() + interval_ns);
		if (is_too_long(watch, &seen))
			end_kernel(watch, seen.turn);
	}
	return NULL;
}

int sim_watch_start(const struct nemu_schedule *schedule, void *region, struct sim_watch **watch)
{
	struct sim_watch *new = calloc(1, sizeof *new);
	int error;

	if (!new)
		return ENOMEM;
	*new = (struct sim_watch){
		.schedule = schedule, .region = region, .patience_ns = patience_ns, .runs = 1};
	error = pthread_getcpuclockid(pthread_self(), &new->clock);
	if (!error)
		error = nhost_thread_start(&new->thread, run, new);
	if (error)
		free(new);
	else
		*watch = new;
	return error;
}

void sim_watch_stop(struct sim_watch *watch)
{
	if (!watch)
		return;
	nchan_store_release(&watch->runs, 0);
	nhost_wake(&watch->runs);
	pthread_join(watch->thread, NULL);
	free(watch);
}

void sim_watch_set_patience(struct sim_watch *watch, int64_t patience)
{
	__atomic_store_n(&watch->patience_ns, patience, __ATOMIC_RELAXED);
}
