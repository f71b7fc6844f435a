#define _GNU_SOURCE
#include <dirent.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bench/bench.h"

double bench_now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

double bench_median(double *samples, unsigned count)
{
	qsort(samples, count, sizeof(*samples), compare);
	return count ? samples[count / 2] : 0;
}

static bool pin(pid_t thread, unsigned processor)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(processor, &set);
	return sched_setaffinity(thread, sizeof(set), &set) == 0;
}

bool bench_pin_self(unsigned processor)
{
	return pin(0, processor);
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

bool bench_pin_threads(const char *name, unsigned processor)
{
	DIR *tasks = opendir("/proc/self/task");
	struct dirent *entry;
	bool all = tasks != NULL;

	while (tasks && (entry = readdir(tasks))) {
		pid_t thread = (pid_t)atoi(entry->d_name);

		if (thread && is_named(thread, name))
			all &= pin(thread, processor);
	}
	if (tasks)
		closedir(tasks);
	return all;
}
