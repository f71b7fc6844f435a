/*
 * runner.c - one row: opens its methods, measures them in turns, keeps the repeats that can be
 * compared.
 */
#include <stdlib.h>
#include <string.h>

#include "bench/bench.h"
#include "bench/keep.h"
#include "bench/progress.h"

enum {
	PEERS = 2,         /* the first of them */
	TRIES = 4,         /* of a sample */
	WARM_UP_PART = 10, /* of a sample */
	LAPS_PART = 2,
	LAPS_MAX = 1 << 20,
};

struct run {
	const struct bench_row *row;
	struct bench_result *result;
	struct bench_side sides[BENCH_METHODS_MAX];
	struct bench_tag tags[BENCH_REPEATS_MAX];
	unsigned repeats;
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

static void probe(const struct run *run, struct bench_tag *tag)
{
	double bounce;

	if (!(run->row->flags & BENCH_TWO_SIDED))
		return;
	bounce = bench_bounce_ns();
	if (!tag->low || bounce < tag->low)
		tag->low = bounce;
	if (bounce > tag->high)
		tag->high = bounce;
}

/* What was seen is added to the repeat's tag when the sample counts. */
static struct bench_tag measure_sample(struct run *run, unsigned i)
{
	struct bench_side *side = &run->sides[i];
	struct bench_figure *figure = &run->result->figures[i];
	struct bench_tag tag = {0};
	struct bench_load before;

	probe(run, &tag);
	before = bench_load_now();
	measure(side, 1);
	figure->samples[run->repeats] = side->value;
	figure->cpu_samples[run->repeats] = side->cpu_ns;
	figure->lines = side->lines;
	if (run->row->flags & BENCH_LATENCY)
		figure->p99_samples[run->repeats] =
			side->p99 > 0 ? side->p99 : measure_p99(run, side);
	tag.others = bench_load_others(&before);
	tag.waited = bench_load_waited(&before);
	probe(run, &tag);
	return tag;
}

/*
 * A disturbed sample is taken again, a few times; the repeat is only as good as its worst. A peer
 * that sleeps much is never alone on a busy machine: its figure is marked, and the repeat stays.
 */
static void measure_one(struct run *run, unsigned i)
{
	struct bench_tag tag = measure_sample(run, i);

	if (run->row->unit == BENCH_BYTES) /* which nobody can disturb */
		return;
	for (unsigned tries = 1; tries < TRIES && !bench_tag_is_good(&tag); tries++)
		tag = measure_sample(run, i);
	if (i >= PEERS && !bench_tag_is_quiet(&tag)) {
		run->result->figures[i].is_disturbed = true;
		tag.others = tag.waited = 0;
	}
	bench_tag_add(&run->tags[run->repeats], &tag);
}

/* Into the next place; the caller decides whether it counts. */
static void repeat(struct run *run)
{
	const unsigned count = run->result->figure_count;

	run->tags[run->repeats] = (struct bench_tag){0};
	for (unsigned turn = 0; turn < count; turn++) {
		unsigned i = (turn + run->repeats) % count; /* nobody is always first */

		if (!run->result->figures[i].absent)
			measure_one(run, i);
	}
}

/*
 * Until enough repeats can be compared. When patience is over, the row takes what it has; where
 * that is nothing, one repeat of any kind.
 */
static void repeat_until_enough(struct run *run, const struct bench_plan *plan)
{
	const double give_up = bench_now_ns() + plan->patience_ns;
	bool keep[BENCH_REPEATS_MAX];

	while (run->repeats < BENCH_REPEATS_MAX) {
		bool is_late = bench_now_ns() > give_up;
		unsigned comparable = bench_keep(run->tags, run->repeats, keep);

		if (comparable >= plan->repeats ||
			(is_late && run->repeats &&
				run->repeats + run->result->dropped > comparable))
			return;
		bench_progress(run->row, comparable, plan->repeats);
		repeat(run);
		if (is_late || bench_tag_is_good(&run->tags[run->repeats]))
			run->repeats++;
		else
			run->result->dropped++;
	}
}

static void keep_comparable(struct run *run)
{
	bool keep[BENCH_REPEATS_MAX];
	double bounces[BENCH_REPEATS_MAX];
	unsigned comparable = bench_keep(run->tags, run->repeats, keep), kept = 0;
	bool takes_all = comparable < BENCH_REPEATS_MIN;

	for (unsigned i = 0; i < run->repeats; i++) {
		if (!keep[i] && !takes_all)
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
	run->result->dropped += run->repeats - kept;
	run->result->repeats = kept;
	run->result->is_mixed = takes_all;
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
	repeat_until_enough(run, plan);
	close_methods(run);
	result->others = bench_load_others(&before);
	keep_comparable(run);
	take_medians(result);
	free(run->laps);
	free(run);
}
