#include <dirent.h>
#include <stdlib.h>
#include <time.h>

#include "bench/bench.h"

static double read_clock(clockid_t clock)
{
	struct timespec now;

	return clock_gettime(clock, &now) ? 0 : (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

double bench_now_ns(void)
{
	return read_clock(CLOCK_MONOTONIC);
}

/*
 * Exact, unlike the clock of the whole process, which counts threads that run elsewhere by the
 * tick.
 */
double bench_thread_cpu_ns(int thread)
{
	return read_clock((clockid_t)(~(unsigned)thread << 3 | 6));
}

double bench_cpu_ns(void)
{
	DIR *tasks = opendir("/proc/self/task");
	struct dirent *entry;
	double sum = 0;

	while (tasks && (entry = readdir(tasks))) {
		pid_t thread = (pid_t)atoi(entry->d_name);

		if (thread)
			sum += bench_thread_cpu_ns(thread);
	}
	if (tasks)
		closedir(tasks);
	return sum;
}

void bench_begin(struct bench_side *side)
{
	side->lap_count = 0;
	if (side->count_lines)
		side->began_lines = side->count_lines(side);
	side->began_cpu_ns = bench_cpu_ns();
	side->began_ns = bench_now_ns();
	side->began_tick = __builtin_ia32_rdtsc();
}

void bench_end(struct bench_side *side, uint64_t operations)
{
	double ns = bench_now_ns() - side->began_ns;
	double ticks = (double)(__builtin_ia32_rdtsc() - side->began_tick);

	side->value = ns / (double)operations;
	side->cpu_ns = (bench_cpu_ns() - side->began_cpu_ns) / (double)operations;
	side->ns_per_tick = ns / ticks;
	if (side->count_lines)
		side->lines = (side->count_lines(side) - side->began_lines) / (double)operations;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

double bench_quantile(double *samples, size_t count, double part)
{
	if (!count)
		return 0;
	qsort(samples, count, sizeof(*samples), compare);
	return samples[(size_t)((double)(count - 1) * part + 0.5)];
}

double bench_p99(const struct bench_side *side)
{
	double *lengths, p99;

	if (side->lap_count < 2)
		return 0;
	lengths = malloc((side->lap_count - 1) * sizeof(*lengths));
	for (size_t i = 1; i < side->lap_count; i++)
		lengths[i - 1] = (double)(side->laps[i] - side->laps[i - 1]) * side->ns_per_tick;
	p99 = bench_quantile(lengths, side->lap_count - 1, 0.99);
	free(lengths);
	return p99;
}
