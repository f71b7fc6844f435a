#include "bench/keep.h"

#include <string.h>

static const double STEADY = 1.5; /* bounces that differ by less are of one placement */
static const double QUIET = 0.1;

/* Where nobody else is, threads waited for each other only. */
bool bench_tag_is_quiet(const struct bench_tag *tag)
{
	return tag->others <= QUIET || tag->waited <= QUIET;
}

bool bench_tag_is_good(const struct bench_tag *tag)
{
	return tag->high <= tag->low * STEADY && bench_tag_is_quiet(tag);
}

static double larger(double a, double b)
{
	return a > b ? a : b;
}

void bench_tag_add(struct bench_tag *sum, const struct bench_tag *tag)
{
	if (!sum->low || tag->low < sum->low)
		sum->low = tag->low;
	sum->high = larger(sum->high, tag->high);
	sum->others = larger(sum->others, tag->others);
	sum->waited = larger(sum->waited, tag->waited);
}

static bool is_of_placement(const struct bench_tag *tag, double low)
{
	return bench_tag_is_good(tag) && tag->low >= low && tag->high <= low * STEADY;
}

static unsigned members(const struct bench_tag *tags, unsigned count, double low)
{
	unsigned found = 0;

	for (unsigned i = 0; i < count; i++)
		found += is_of_placement(&tags[i], low);
	return found;
}

unsigned bench_keep(const struct bench_tag *tags, unsigned count, bool *keep)
{
	unsigned most = 0;
	double low = 0;

	for (unsigned i = 0; i < count; i++) {
		unsigned found = members(tags, count, tags[i].low);

		if (found > most) {
			most = found;
			low = tags[i].low;
		}
	}
	for (unsigned i = 0; i < count; i++)
		keep[i] = most && is_of_placement(&tags[i], low);
	return most;
}
