#include "bench/crowd.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

/* Minor faults are field 10; field 2, the name, is the only one that may hold spaces. */
static void add_faults(int thread, void *sum)
{
	char path[64], text[1024];
	unsigned long faults = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/self/task/%d/stat", thread);
	file = fopen(path, "r");
	if (file && fgets(text, sizeof(text), file) && strrchr(text, ')') &&
		sscanf(strrchr(text, ')') + 1, " %*c %*d %*d %*d %*d %*d %*u %lu", &faults) == 1)
		*(double *)sum += (double)faults;
	if (file)
		fclose(file);
}

static double resident_pages(void)
{
	FILE *file = fopen("/proc/self/statm", "r");
	unsigned long pages = 0;

	if (file && fscanf(file, "%*u %lu", &pages) != 1)
		pages = 0;
	if (file)
		fclose(file);
	return (double)pages;
}

/*
 * Memory is what is touched: a page of the device comes to be when its core first faults on it, a
 * page of the host's part when this thread does. That holds while pages are small, see below.
 */
static struct bench_resident resident(void)
{
	const double page = (double)sysconf(_SC_PAGESIZE);
	double faults = 0;

	bench_for_threads("nearside/", add_faults, &faults);
	return (struct bench_resident){faults * page, resident_pages() * page};
}

void bench_crowd_open(struct bench_side *side, const char *device, uint64_t count)
{
	struct bench_crowd *crowd;

	prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);
	crowd = bench_session_open(side, device, sizeof(*crowd));
	crowd->members = malloc(count * sizeof(*crowd->members));
	memset(crowd->members, 0, count * sizeof(*crowd->members));
	crowd->count = count;
	crowd->before = resident();
	for (uint64_t i = 0; i < count; i++)
		bench_server_start(&crowd->session, &crowd->members[i], "word", NULL, 0);
	bench_crowd_ask(side, 100);
	crowd->after = resident();
	prctl(PR_SET_THP_DISABLE, 0, 0, 0, 0);
}

void bench_crowd_ask(struct bench_side *side, uint64_t some)
{
	const struct bench_crowd *crowd = side->state;
	uint64_t step = crowd->count > some ? crowd->count / some : 1;

	for (uint64_t i = 0; i < crowd->count; i += step) {
		const struct bench_server *member = &crowd->members[i];
		uint64_t word = i;

		bench_must(&crowd->session, npipe_write(member->request, &word, sizeof(word)));
		bench_must(&crowd->session, npipe_read_full(member->reply, &word, sizeof(word)));
		bench_check(side, word == i);
	}
}

/* Closing the device ends them all. */
void bench_crowd_close(struct bench_side *side)
{
	struct bench_crowd *crowd = side->state;

	free(crowd->members);
	bench_session_close(side);
}
