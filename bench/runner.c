/*
 * runner.c - one row: opens its methods, measures them in turns, keeps the samples that can be
 * compared: those of one placement, undisturbed.
 */
#include <stdlib.h>
#include <string.h>

#include "bench/bench.h"
#include "bench/keep.h"
#include "bench/progress.h"

enum {
	PEERS = 2,         /* the first of them */
	WARM_UP_PART = 10, /* of a sample */
	LAPS_PART = 2,
	LAPS_MAX = 1 << 20,
};

/* The samples of a method; the last one is not counted yet while it is judged. */
struct series {
	double value[BENCH_REPEATS_MAX + 1];
	double p99[BENCH_REPEATS_MAX + 1];
	double cpu_ns[BENCH_REPEATS_MAX + 1];
	struct bench_tag tag[BENCH_REPEATS_MAX + 1];
	unsigned count;
	bool is_disturbed;
};

struct run {
	const struct bench_row *row;
	struct bench_result *result;
	struct bench_side sides[BENCH_METHODS_MAX];
	struct series series[BENCH_METHODS_MAX];
	uint64_t *laps;
};

/* ---- opening and closing ---- */

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

static void close_methods(struct run *run)
{
	for (unsigned i = 0; i < run->result->figure_count; i++)
		if (!run->result->figures[i].absent && run->row->methods[i]->close)
			run->row->methods[i]->close(&run->sides[i]);
}

/* ---- a sample ---- */

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

/* 0: the row has one side. */
static double probe(const struct run *run)
{
	return run->row->flags & BENCH_TWO_SIDED ? bench_bounce_ns() : 0;
}

/* Into the place behind the series. */
static void measure_sample(struct run *run, unsigned i, double bounce)
{
	struct bench_side *side = &run->sides[i];
	struct series *series = &run->series[i];
	struct bench_tag *tag = &series->tag[series->count];
	const struct bench_load before = bench_load_now();
	double after;

	measure(side, 1);
	series->value[series->count] = side->value;
	series->cpu_ns[series->count] = side->cpu_ns;
	run->result->figures[i].lines = side->lines;
	if (run->row->flags & BENCH_LATENCY)
		series->p99[series->count] = side->p99 > 0 ? side->p99 : measure_p99(run, side);
	*tag = (struct bench_tag){
		bounce, bounce, bench_load_others(&before), bench_load_waited(&before)};
	after = probe(run);
	if (after < tag->low)
		tag->low = after;
	if (after > tag->high)
		tag->high = after;
}

/*
 * Memory cannot be disturbed. A peer that sleeps much is never alone on a busy machine: its figure
 * is marked, and the sample counts.
 */
static bool is_good(struct run *run, unsigned i)
{
	struct series *series = &run->series[i];
	const struct bench_tag *tag = &series->tag[series->count];

	if (run->row->unit == BENCH_BYTES)
		return true;
	if (!bench_tag_is_quiet(tag) && i < PEERS)
		return false;
	series->is_disturbed |= !bench_tag_is_quiet(tag);
	return bench_tag_is_steady(tag);
}

/* One more of this method, unless it has enough where the processors are now. */
static void add_sample(struct run *run, unsigned i, unsigned wanted)
{
	struct series *series = &run->series[i];
	double bounce = probe(run);

	if (series->count == BENCH_REPEATS_MAX ||
		bench_placed(series->tag, series->count, bounce) >= wanted)
		return;
	measure_sample(run, i, bounce);
	if (is_good(run, i))
		series->count++;
	else if (i < PEERS)
		run->result->dropped++;
}

/* ---- which count ---- */

/*
 * The fewest samples that a method has in the placement of this bounce; of Nearside and limit, or
 * of all.
 */
static unsigned fewest(const struct run *run, double bounce, unsigned methods)
{
	unsigned least = BENCH_REPEATS_MAX;

	for (unsigned i = 0; i < methods && i < run->result->figure_count; i++) {
		const struct series *series = &run->series[i];
		unsigned placed = bench_placed(series->tag, series->count, bounce);

		if (!run->result->figures[i].absent && placed < least)
			least = placed;
	}
	return least;
}

/* The placement in which most can be compared: a bounce. */
static double best_placement(const struct run *run, unsigned methods, unsigned *comparable)
{
	const struct series *ours = &run->series[0];
	double best = 0;

	*comparable = 0;
	for (unsigned i = 0; i < ours->count; i++) {
		unsigned found = fewest(run, ours->tag[i].low, methods);

		if (found > *comparable) {
			*comparable = found;
			best = ours->tag[i].low;
		}
	}
	return best;
}

/* When patience is over, the row takes what it has. */
static void measure_until_enough(struct run *run, const struct bench_plan *plan)
{
	const double give_up = bench_now_ns() + plan->patience_ns;
	unsigned comparable = 0;

	for (unsigned turn = 0; comparable < plan->repeats; turn++) {
		const unsigned count = run->result->figure_count;

		bench_progress(run->row, comparable, plan->repeats);
		for (unsigned i = 0; i < count; i++) /* nobody is always first */
			if (!run->result->figures[(turn + i) % count].absent)
				add_sample(run, (turn + i) % count, plan->repeats);
		best_placement(run, count, &comparable);
		if (bench_now_ns() < give_up)
			continue;
		best_placement(run, PEERS, &comparable);
		if (run->result->dropped || comparable >= BENCH_REPEATS_MIN)
			return;
	}
}

/*
 * Those of one placement move to the front; without a placement, all stay, and one that did not
 * count.
 */
static void select_samples(struct series *series, double bounce, bool takes_all)
{
	unsigned kept = 0;

	for (unsigned i = 0; i < series->count; i++) {
		if (!takes_all && !bench_is_same_placement(bounce, &series->tag[i]))
			continue;
		series->value[kept] = series->value[i];
		series->p99[kept] = series->p99[i];
		series->cpu_ns[kept] = series->cpu_ns[i];
		series->tag[kept] = series->tag[i];
		kept++;
	}
	series->count = takes_all && !kept ? 1 : kept;
}

static void fill_figure(struct bench_figure *figure, struct series *series)
{
	if (figure->absent)
		return;
	if (!series->count) {
		figure->absent = "no sample while the processors were there";
		return;
	}
	figure->sample_count = series->count;
	figure->is_disturbed = series->is_disturbed;
	figure->value = bench_quantile(series->value, series->count, 0.5);
	figure->p99 = bench_quantile(series->p99, series->count, 0.5);
	figure->cpu_ns = bench_quantile(series->cpu_ns, series->count, 0.5);
	memcpy(figure->samples, series->value, sizeof(figure->samples));
}

static void keep_comparable(struct run *run)
{
	struct bench_result *result = run->result;
	double bounce = best_placement(run, PEERS, &result->repeats);
	unsigned seen = run->series[0].count;

	result->is_mixed = result->repeats < BENCH_REPEATS_MIN;
	result->bounce_ns = result->is_mixed ? 0 : bounce;
	for (unsigned i = 0; i < result->figure_count; i++) {
		select_samples(&run->series[i], bounce, result->is_mixed);
		fill_figure(&result->figures[i], &run->series[i]);
	}
	result->dropped += seen > run->series[0].count ? seen - run->series[0].count : 0;
}

void bench_run_row(
	const struct bench_row *row, const struct bench_plan *plan, struct bench_result *result)
{
	struct run *run = calloc(1, sizeof(*run));
	const struct bench_load before = bench_load_now();

	*result = (struct bench_result){.row = row, .figure_count = method_count(row)};
	run->row = row;
	run->result = result;
	run->laps = malloc(LAPS_MAX * sizeof(*run->laps));
	for (unsigned i = 0; i < result->figure_count; i++)
		open_method(run, i);
	for (unsigned i = 0; i < result->figure_count; i++)
		if (!result->figures[i].absent)
			measure(&run->sides[i], WARM_UP_PART);
	measure_until_enough(run, plan);
	close_methods(run);
	result->others = bench_load_others(&before);
	keep_comparable(run);
	free(run->laps);
	free(run);
}
