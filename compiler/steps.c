/* steps.c - with -v: which step runs, and how long each took. */
#include <stdio.h>
#include <time.h>

#include "compiler/nprocc.h"

static const char *current;
static struct timespec begun;

void step_begin(const struct options *options, const char *name)
{
	step_end(options);
	if (!options->verbose)
		return;
	current = name;
	clock_gettime(CLOCK_MONOTONIC, &begun);
}

void step_end(const struct options *options)
{
	if (!options->verbose || !current)
		return;
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	double ms = (double)(now.tv_sec - begun.tv_sec) * 1e3 +
		    (double)(now.tv_nsec - begun.tv_nsec) / 1e6;
	fprintf(stderr, "%-22s %8.1f ms\n", current, ms);
	current = NULL;
}
