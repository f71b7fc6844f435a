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

/*
 * The first line of /proc/stat: user, nice, system, idle, waiting for disks, interrupts, soft ones,
 * stolen.
 */
struct bench_load bench_load_now(void)
{
	const double tick_ns = 1e9 / (double)sysconf(_SC_CLK_TCK);
	struct bench_load load = {0, own_ns(RUSAGE_SELF) + own_ns(RUSAGE_CHILDREN), 0};
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
	return load;
}

double bench_load_others(const struct bench_load *since)
{
	const struct bench_load now = bench_load_now();
	double all = now.all_ns - since->all_ns;
	double others = now.busy_ns - since->busy_ns - (now.own_ns - since->own_ns);

	return all > 0 && others > 0 ? others / all : 0;
}
