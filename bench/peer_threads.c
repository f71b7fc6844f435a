/*
 * peer_threads.c - threads of the system in place of processes: made and ended, or many that wait.
 */
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "bench/methods.h"

enum {
	IN_FLIGHT = 64,
	CROWD = 1000
};

static void *give_back(void *word)
{
	return word;
}

static pthread_t begin(uint64_t word)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, give_back, (void *)(uintptr_t)word))
		bench_die("cannot start a thread");
	return thread;
}

static void end(struct bench_side *side, pthread_t thread, uint64_t word)
{
	void *result;

	pthread_join(thread, &result);
	bench_check(side, (uintptr_t)result == word);
}

static void run(struct bench_side *side, uint64_t in_flight)
{
	pthread_t thread[IN_FLIGHT];

	bench_pin_self_to_both(); /* which the threads inherit */
	bench_begin(side);
	for (uint64_t i = 0; i < side->count + in_flight; i++) {
		if (i >= in_flight)
			end(side, thread[i % in_flight], i - in_flight);
		if (i < side->count)
			thread[i % in_flight] = begin(i);
		bench_lap(side);
	}
	bench_end(side, side->count);
	bench_pin_self(0);
	side->cpu_ns = 0; /* what ended threads used is not known */
}

static void measure_one(struct bench_side *side)
{
	run(side, 1);
}

static void measure_many(struct bench_side *side)
{
	run(side, IN_FLIGHT);
}

const struct bench_method bench_thread_spawn = {
	"pthread_create, join", 200, NULL, measure_one, NULL};
const struct bench_method bench_thread_spawn_many = {
	"pthreads, 64 in flight", 500, NULL, measure_many, NULL};

/* ---- many that wait ---- */

static sem_t gate;

static void *wait_at_gate(void *unused)
{
	while (sem_wait(&gate))
		;
	return unused;
}

static double resident_bytes(void)
{
	FILE *file = fopen("/proc/self/statm", "r");
	unsigned long pages = 0;

	if (file && fscanf(file, "%*u %lu", &pages) != 1)
		pages = 0;
	if (file)
		fclose(file);
	return (double)pages * (double)sysconf(_SC_PAGESIZE);
}

/* The program's part; the system's own stack and record of a thread come on top. */
static void measure_bytes(struct bench_side *side)
{
	double before = resident_bytes();
	pthread_t threads[CROWD];

	sem_init(&gate, 0, 0);
	for (unsigned i = 0; i < CROWD; i++)
		if (pthread_create(&threads[i], NULL, wait_at_gate, NULL))
			bench_die("cannot start a thread");
	usleep(20000); /* all have begun to wait */
	side->value = (resident_bytes() - before) / CROWD;
	for (unsigned i = 0; i < CROWD; i++)
		sem_post(&gate);
	for (unsigned i = 0; i < CROWD; i++)
		pthread_join(threads[i], NULL);
}

const struct bench_method bench_thread_bytes = {"pthread, its stack", 1, NULL, measure_bytes, NULL};
