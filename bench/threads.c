#include <dirent.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/bench.h"

enum {
	PROCESSORS = 2
};

static unsigned numbers[PROCESSORS]; /* what the system calls processors 0 and 1 of this program */

bool bench_find_processors(void)
{
	unsigned found = 0;
	cpu_set_t set;

	if (sched_getaffinity(0, sizeof(set), &set))
		return false;
	for (unsigned number = 0; number < CPU_SETSIZE && found < PROCESSORS; number++)
		if (CPU_ISSET(number, &set))
			numbers[found++] = number;
	return found == PROCESSORS;
}

static void pin(pid_t thread, unsigned first, unsigned last)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	for (unsigned processor = first; processor <= last; processor++)
		CPU_SET(numbers[processor], &set);
	if (sched_setaffinity(thread, sizeof(set), &set))
		bench_die("this program may not choose its processors");
}

void bench_pin_self(unsigned processor)
{
	pin(0, processor, processor);
}

void bench_pin_self_to_both(void)
{
	pin(0, 0, 1);
}

static bool is_named(pid_t thread, const char *name)
{
	char path[64], text[64] = "";
	FILE *file;

	snprintf(path, sizeof(path), "/proc/self/task/%d/comm", (int)thread);
	file = fopen(path, "r");
	if (!file)
		return false;
	if (!fgets(text, sizeof(text), file))
		text[0] = 0;
	fclose(file);
	return strncmp(text, name, strlen(name)) == 0;
}

void bench_for_threads(const char *name, void (*each)(int thread, void *context), void *context)
{
	DIR *tasks = opendir("/proc/self/task");
	struct dirent *entry;

	while (tasks && (entry = readdir(tasks))) {
		pid_t thread = (pid_t)atoi(entry->d_name);

		if (thread && is_named(thread, name))
			each(thread, context);
	}
	if (tasks)
		closedir(tasks);
}

static void pin_one(int thread, void *processor)
{
	pin(thread, *(unsigned *)processor, *(unsigned *)processor);
}

void bench_pin_threads(const char *name, unsigned processor)
{
	bench_for_threads(name, pin_one, &processor);
}

static void add_cpu_ns(int thread, void *sum)
{
	*(double *)sum += bench_thread_cpu_ns(thread);
}

double bench_threads_cpu_ns(const char *name)
{
	double sum = 0;

	bench_for_threads(name, add_cpu_ns, &sum);
	return sum;
}

/* ---- the partner: one thread for the whole run, asleep between jobs ---- */

static struct {
	bool is_there;
	sem_t job_is_there, job_is_done;
	void (*job)(struct bench_side *side);
	struct bench_side *side;
} partner;

static void *work(void *unused)
{
	(void)unused;
	bench_pin_self(1);
	for (;;) {
		while (sem_wait(&partner.job_is_there))
			;
		partner.job(partner.side);
		sem_post(&partner.job_is_done);
	}
	return NULL;
}

void bench_partner_start(void (*job)(struct bench_side *side), struct bench_side *side)
{
	pthread_t thread;

	if (!partner.is_there) {
		sem_init(&partner.job_is_there, 0, 0);
		sem_init(&partner.job_is_done, 0, 0);
		if (pthread_create(&thread, NULL, work, NULL))
			bench_die("cannot start a thread");
		pthread_detach(thread);
		partner.is_there = true;
	}
	partner.job = job;
	partner.side = side;
	sem_post(&partner.job_is_there);
}

void bench_partner_join(void)
{
	while (sem_wait(&partner.job_is_done))
		;
}
