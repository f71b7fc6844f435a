/*
 * runner.c - one row: opens its methods, measures them in turns, keeps the repeats that can be
 * compared.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/bench.h"
#include "bench/progress.h"

enum {
	TRIES = 3,         /* times the wanted repeats, before a row takes what it has */
	WARM_UP_PART = 10, /* of a sample */
	LAPS_PART = 2,
	LAPS_MAX = 1 << 20,
};

static const double PATIENCE_NS = 8e9; /* for a row, once it has some repeats */
static const double STEADY = 1.5;      /* bounces that differ by less are of one placement */

/* One repeat: the shortest and longest bounce seen in it. */
struct tag {
	double low, high;
};

struct run {
	const struct bench_row *row;
	struct bench_result *result;
	struct bench_side sides[BENCH_METHODS_MAX];
	struct tag tags[BENCH_REPEATS_MAX];
	unsigned repeats;
	double began_ns;
	uint64_t *laps;
};

static unsigned method_count(const struct bench_row *row)
{
	unsigned count = BENCH_METHODS_MAX;

	while (count && !row->methods[count - 1])
		count--;
	return count;
}

static void open_method(struct run *run, unsigned i)
{
	const struct bench_method *method = run->row->methods[i];
	struct bench_side *side = &run->sides[i];
	struct bench_figure *figure = &run->result->figures[i];

	*side = (struct bench_side){.row = run->row, .method = method};
	*figure = (struct bench_figure){.method = method};
	if (!method) {
		figure->absent = "there is none";
		return;
	}
	bench_pin_self_to_both(); /* threads that a library starts now may use both */
	figure->absent = method->open ? method->open(side) : NULL;
	bench_pin_self(0);
	if (figure->absent == side->reason)
		figure->absent = strcpy(figure->reason, side->reason);
}

static void measure(struct bench_side *side, uint64_t part)
{
	side->count = side->method->count / part;
	if (!side->count)
		side->count = 1;
	side->method->measure(side);
}

/* From a pass of its own: looking at the clock takes time, too. */
static double measure_p99(struct run *run, struct bench_side *side)
{
	double p99;

	side->laps = run->laps;
	measure(side, LAPS_PART);
	p99 = bench_p99(side);
	side->laps = NULL;
	return p99;
}

static void probe(struct run *run)
{
	struct tag *tag = &run->tags[run->repeats];
	double bounce;

	if (!(run->row->flags & BENCH_TWO_SIDED))
		return;
	bounce = bench_bounce_ns();
	if (!tag->low || bounce < tag->low)
		tag->low = bounce;
	if (bounce > tag->high)
		tag->high = bounce;
}

static void repeat(struct run *run)
{
	unsigned count = run->result->figure_count;

	run->tags[run->repeats] = (struct tag){0, 0};
	probe(run);
	for (unsigned turn = 0; turn < count; turn++) {
		unsigned i = (turn + run->repeats) % count; /* nobody is always first */
		struct bench_side *side = &run->sides[i];
		struct bench_figure *figure = &run->result->figures[i];

		if (figure->absent)
			continue;
		measure(side, 1);
		figure->samples[run->repeats] = side->value;
		figure->cpu_samples[run->repeats] = side->cpu_ns;
		if (run->row->flags & BENCH_LATENCY)
			figure->p99_samples[run->repeats] =
				side->p99 > 0 ? side->p99 : measure_p99(run, side);
		probe(run);
	}
	run->repeats++;
}

static bool is_of_placement(const struct tag *tag, double low)
{
	return tag->low >= low && tag->high <= low * STEADY;
}

/* Of the placements that were seen, the one with the most repeats: its lowest bounce. */
static double commonest_placement(const struct run *run, unsigned *members)
{
	double best = 0;

	*members = 0;
	for (unsigned i = 0; i < run->repeats; i++) {
		unsigned count = 0;

		for (unsigned j = 0; j < run->repeats; j++)
			count += is_of_placement(&run->tags[j], run->tags[i].low);
		if (count > *members) {
			*members = count;
			best = run->tags[i].low;
		}
	}
	return best;
}

static bool is_enough(const struct run *run, unsigned wanted)
{
	unsigned members = run->repeats;

	if (run->row->flags & BENCH_TWO_SIDED)
		commonest_placement(run, &members);
	if (members >= wanted || run->repeats >= TRIES * wanted ||
		run->repeats == BENCH_REPEATS_MAX)
		return true;
	return run->repeats >= BENCH_REPEATS_MIN && bench_now_ns() - run->began_ns > PATIENCE_NS;
}

/*
 * Drops the repeats of another placement, or of none. Where the processors never stood still, none
 * is dropped.
 */
static void keep_comparable(struct run *run)
{
	unsigned members, kept = 0;
	double low = commonest_placement(run, &members);
	double bounces[BENCH_REPEATS_MAX];

	for (unsigned i = 0; i < run->repeats; i++) {
		if (members && !is_of_placement(&run->tags[i], low))
			continue;
		bounces[kept] = run->tags[i].low;
		for (unsigned j = 0; j < run->result->figure_count; j++) {
			struct bench_figure *figure = &run->result->figures[j];

			figure->samples[kept] = figure->samples[i];
			figure->p99_samples[kept] = figure->p99_samples[i];
			figure->cpu_samples[kept] = figure->cpu_samples[i];
		}
		kept++;
	}
	run->result->repeats = kept;
	run->result->dropped = run->repeats - kept;
	run->result->is_mixed = !members;
	run->result->bounce_ns = bench_quantile(bounces, kept, 0.5);
}

static void take_medians(struct bench_result *result)
{
	for (unsigned i = 0; i < result->figure_count; i++) {
		struct bench_figure *figure = &result->figures[i];

		if (figure->absent)
			continue;
		figure->value = bench_quantile(figure->samples, result->repeats, 0.5);
		figure->low = figure->samples[0];
		figure->high = figure->samples[result->repeats - 1];
		figure->p99 = bench_quantile(figure->p99_samples, result->repeats, 0.5);
		figure->cpu_ns = bench_quantile(figure->cpu_samples, result->repeats, 0.5);
	}
}

static void close_methods(struct run *run)
{
	for (unsigned i = 0; i < run->result->figure_count; i++)
		if (!run->result->figures[i].absent && run->row->methods[i]->close)
			run->row->methods[i]->close(&run->sides[i]);
}

void bench_run_row(const struct bench_row *row, unsigned repeats, struct bench_result *result)
{
	struct run *run = calloc(1, sizeof(*run));
	const struct bench_load before = bench_load_now();

	*result = (struct bench_result){.row = row, .figure_count = method_count(row)};
	run->row = row;
	run->began_ns = bench_now_ns();
	run->result = result;
	run->laps = malloc(LAPS_MAX * sizeof(*run->laps));
	for (unsigned i = 0; i < result->figure_count; i++)
		open_method(run, i);
	for (unsigned i = 0; i < result->figure_count; i++)
		if (!result->figures[i].absent)
			measure(&run->sides[i], WARM_UP_PART);
	while (!is_enough(run, repeats)) {
		bench_progress(row, run->repeats, repeats);
		repeat(run);
	}
	close_methods(run);
	result->others = bench_load_others(&before);
	result->repeats = run->repeats;
	if (row->flags & BENCH_TWO_SIDED)
		keep_comparable(run);
	take_medians(result);
	free(run->laps);
	free(run);
}

double bench_limit_ratio(const struct bench_result *result)
{
	double ours = result->figures[0].value, limit = result->figures[1].value;
	bool is_rate = result->row->unit == BENCH_RATE || result->row->unit == BENCH_BYTE_RATE;

	if (result->figure_count < 2 || !(ours > 0) || !(limit > 0))
		return 0;
	return is_rate ? limit / ours : ours / limit;
}

double bench_in_unit(const struct bench_row *row, double value)
{
	switch (row->unit) {
	case BENCH_RATE:
		return 1e9 / value;
	case BENCH_BYTE_RATE:
		return 1e9 * (double)row->nbytes / value;
	default:
		return value;
	}
}

double bench_goal_ratio(const struct bench_result *result)
{
	const struct bench_goal *goal = &result->row->goal;
	double ours = result->figures[0].value;

	if (result->figures[0].absent || !(goal->value > 0) || !(ours > 0))
		return 0;
	switch (goal->kind) {
	case BENCH_NO_GOAL:
		return 0;
	case BENCH_TIMES_LIMIT:
		return bench_limit_ratio(result) / goal->value;
	case BENCH_PART_OF_LIMIT:
		return bench_limit_ratio(result) > 0 ? goal->value / bench_limit_ratio(result) : 0;
	case BENCH_AT_MOST:
		return bench_in_unit(result->row, ours) / goal->value;
	case BENCH_AT_LEAST:
		return goal->value / bench_in_unit(result->row, ours);
	}
	return 0;
}

enum bench_verdict bench_judge(const struct bench_result *result)
{
	const struct bench_goal *goal = &result->row->goal;

	if (goal->kind == BENCH_NO_GOAL || result->figures[0].absent)
		return BENCH_UNKNOWN;
	if (goal->kind == BENCH_AT_MOST) /* which may be nothing at all */
		return bench_in_unit(result->row, result->figures[0].value) <= goal->value
			       ? BENCH_MET
			       : BENCH_MISSED;
	if (!(bench_goal_ratio(result) > 0))
		return BENCH_UNKNOWN;
	return bench_goal_ratio(result) <= 1 ? BENCH_MET : BENCH_MISSED;
}
