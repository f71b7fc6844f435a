/*
 * report_levels.c - the table that --top prints: how many vertices each level has, and which of
 * them lead to most others. Of deep searches only the first levels are shown.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "apps/graph/report.h"

enum {
	LEVELS_SHOWN = 30,
	BAR_WIDTH = 24
};

/* Whether a goes before b: more edges first, then the lower number. */
static bool goes_before(const struct graph *graph, uint32_t a, uint32_t b)
{
	uint64_t of_a = graph_degree(graph, a), of_b = graph_degree(graph, b);

	return of_a != of_b ? of_a > of_b : a < b;
}

/* Keeps the best `most` of the vertices offered so far, in order. */
static unsigned offer(
	const struct graph *graph, uint32_t *best, unsigned count, unsigned most, uint32_t vertex)
{
	unsigned at = count;

	while (at > 0 && goes_before(graph, vertex, best[at - 1]))
		at--;
	if (at == most)
		return count;
	if (count < most)
		count++;
	for (unsigned i = count - 1; i > at; i--)
		best[i] = best[i - 1];
	best[at] = vertex;
	return count;
}

static void print_level(
	const struct report *report, const struct levels *levels, uint32_t depth, uint32_t *best)
{
	uint64_t begin = levels->begins[depth], end = levels->begins[depth + 1ull];
	uint64_t width = (end - begin) * BAR_WIDTH / report->search->widest_count;
	int bar = width < BAR_WIDTH ? (int)width : BAR_WIDTH;
	char label[LABEL_BYTES];
	unsigned count = 0;

	for (uint64_t i = begin; i < end; i++)
		count = offer(report->graph, best, count, report->options->top, levels->order[i]);
	fprintf(report->out, "%9" PRIu32 " %9" PRIu64 " %.*s%*s", depth, end - begin, bar,
		"########################", BAR_WIDTH - bar, "");
	for (unsigned i = 0; i < count; i++)
		fprintf(report->out, " %s", labels_text(&report->graph->labels, best[i], label));
	fprintf(report->out, "%s\n", count < end - begin ? " ..." : "");
}

int report_levels(const struct report *report, struct problem *problem)
{
	struct levels levels;
	uint32_t *best;
	int error = levels_open(&levels, report->search, problem);

	if (error)
		return error;
	best = calloc(report->options->top, sizeof *best);
	if (!best) {
		levels_close(&levels);
		return problem_no_memory(problem, "examples", report->options->top * sizeof *best);
	}
	fprintf(report->out, "    level  vertices\n");
	for (uint32_t depth = 0; depth < levels.count && depth < LEVELS_SHOWN; depth++)
		print_level(report, &levels, depth, best);
	if (levels.count > LEVELS_SHOWN)
		fprintf(report->out, "      ...           and %" PRIu32 " more %s\n",
			levels.count - LEVELS_SHOWN,
			report_word(levels.count - LEVELS_SHOWN, "level", "levels"));
	free(best);
	levels_close(&levels);
	return 0;
}
