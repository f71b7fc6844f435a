#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

#include "bench/bench.h"

static double own_ns(int who)
{
	struct rusage usage;

	getrusage(who, &usage);
	return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1e9 +
	       (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1e3;
}

/* Of a thread: nanoseconds that it ran, and that it waited for a processor. */
static void add_waited(int thread, void *sum)
{
	unsigned long long waited = 0;
	char path[64];
	FILE *file;

	snprintf(path, sizeof(path), "/proc/self/task/%d/schedstat", thread);
	file = fopen(path, "r");
	if (file && fscanf(file, "%*u %llu", &waited) == 1)
		*(double *)sum += (double)waited;
	if (file)
		fclose(file);
}

/*
 * The first line of /proc/stat: user, nice, system, idle, waiting for disks, interrupts, soft ones,
 * stolen.
 */
struct bench_load bench_load_now(void)
{
	const double tick_ns = 1e9 / (double)sysconf(_SC_CLK_TCK);
	struct bench_load load = {.own_ns = own_ns(RUSAGE_SELF) + own_ns(RUSAGE_CHILDREN)};
	FILE *file = fopen("/proc/stat", "r");
	unsigned long long ticks[8] = {0};

	if (file &&
		fscanf(file, "cpu %llu %llu %llu %llu %llu %llu %llu %llu", &ticks[0], &ticks[1],
			&ticks[2], &ticks[3], &ticks[4], &ticks[5], &ticks[6], &ticks[7]) != 8)
		ticks[0] = 0;
	if (file)
		fclose(file);
	for (unsigned i = 0; i < 8; i++) {
		load.all_ns += (double)ticks[i] * tick_ns;
		if (i != 3 && i != 4)
			load.busy_ns += (double)ticks[i] * tick_ns;
	}
	bench_for_threads("", add_waited, &load.waited_ns);
	load.now_ns = bench_now_ns();
	return load;
}

double bench_load_others(const struct bench_load *since)
{
	const struct bench_load now = bench_load_now();
	double all = now.all_ns - since->all_ns;
	double others = now.busy_ns - since->busy_ns - (now.own_ns - since->own_ns);

	return all > 0 && others > 0 ? others / all : 0;
}

double bench_load_waited(const struct bench_load *since)
{
	const struct bench_load now = bench_load_now();

	return (now.waited_ns - since->waited_ns) / (now.now_ns - since->now_ns);
}
