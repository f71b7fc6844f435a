#include <stdlib.h>

#include "apps/graph/search.h"

#define RULE_LINE_BYTES 64

const char traffic_rule[] =
	"per level the distinct 64-byte lines of offsets and neighbours that its vertices need; "
	"no cache between levels; depths and parents near the CPU, not counted";

/* One array in lines: which level touched a line last. */
struct touched {
	uint32_t *level_of; /* depth + 1; 0: none */
	uint64_t per_line;  /* elements */
	uint64_t lines;     /* counted so far */
};

static int touched_open(
	struct touched *touched, uint64_t elements, size_t element_nbytes, struct problem *problem)
{
	touched->per_line = RULE_LINE_BYTES / element_nbytes;
	touched->lines = 0;
	touched->level_of = calloc(elements / touched->per_line + 1, sizeof *touched->level_of);
	if (touched->level_of)
		return 0;
	return problem_no_memory(
		problem, "line marks", elements / touched->per_line * sizeof *touched->level_of);
}

/* Elements first to last are needed by a level. */
static void touch(struct touched *touched, uint64_t first, uint64_t last, uint32_t level)
{
	for (uint64_t line = first / touched->per_line; line <= last / touched->per_line; line++) {
		touched->lines += touched->level_of[line] != level + 1;
		touched->level_of[line] = level + 1;
	}
}

static void touch_vertex(const struct graph *graph, uint32_t v, uint32_t level,
	struct touched *offsets, struct touched *neighbours)
{
	touch(offsets, v, v + 1ull, level);
	if (graph_degree(graph, v) > 0)
		touch(neighbours, graph->offsets[v], graph->offsets[v + 1ull] - 1, level);
}

int traffic_cpu_only(const struct graph *graph, const struct search *search, uint64_t *lines,
	struct problem *problem)
{
	struct touched offsets = {0}, neighbours = {0};
	struct levels levels = {0};
	int error = levels_open(&levels, search, problem);

	if (!error)
		error = touched_open(
			&offsets, graph->vertex_count + 1, sizeof *graph->offsets, problem);
	if (!error)
		error = touched_open(
			&neighbours, graph->edge_count, sizeof *graph->neighbours, problem);
	for (uint32_t d = 0; d < levels.count && !error; d++) {
		for (uint64_t i = levels.begins[d]; i < levels.begins[d + 1ull]; i++)
			touch_vertex(graph, levels.order[i], d, &offsets, &neighbours);
	}
	*lines = offsets.lines + neighbours.lines;
	free(offsets.level_of);
	free(neighbours.level_of);
	levels_close(&levels);
	return error;
}
