#include <stdlib.h>

#include "apps/graph/search.h"

int levels_open(struct levels *levels, const struct search *search, struct problem *problem)
{
	*levels = (struct levels){.count = search->reached ? search->max_depth + 1 : 0};
	levels->begins = calloc(levels->count + 2ull, sizeof *levels->begins);
	levels->order = malloc((search->reached + 1) * sizeof *levels->order);
	if (!levels->begins || !levels->order) {
		levels_close(levels);
		return problem_no_memory(
			problem, "levels", search->reached * sizeof *levels->order);
	}
	/*
	 * Counting sort; begins[d + 2] counts, then begins[d + 1] walks from where level d begins
	 * to its end.
	 */
	for (uint64_t v = 0; v < search->vertex_count; v++) {
		if (search->depth[v] != NOT_REACHED)
			levels->begins[search->depth[v] + 2ull]++;
	}
	for (uint64_t d = 2; d <= levels->count; d++)
		levels->begins[d] += levels->begins[d - 1];
	for (uint64_t v = 0; v < search->vertex_count; v++) {
		if (search->depth[v] != NOT_REACHED)
			levels->order[levels->begins[search->depth[v] + 1ull]++] = (uint32_t)v;
	}
	return 0;
}

void levels_close(struct levels *levels)
{
	free(levels->begins);
	free(levels->order);
	*levels = (struct levels){0};
}
