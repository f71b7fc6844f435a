#include "bench/keep.h"

static const double STEADY = 1.5; /* bounces that differ by less are of one placement */
static const double QUIET = 0.1;

/* Where nobody else is, threads waited for each other only. */
bool bench_tag_is_quiet(const struct bench_tag *tag)
{
	return tag->others <= QUIET || tag->waited <= QUIET;
}

bool bench_tag_is_steady(const struct bench_tag *tag)
{
	return tag->high <= tag->low * STEADY;
}

bool bench_is_same_placement(double bounce, const struct bench_tag *tag)
{
	return tag->low <= bounce * STEADY && bounce <= tag->low * STEADY;
}

unsigned bench_placed(const struct bench_tag *tags, unsigned count, double bounce)
{
	unsigned placed = 0;

	for (unsigned i = 0; i < count; i++)
		placed += bench_is_same_placement(bounce, &tags[i]);
	return placed;
}
