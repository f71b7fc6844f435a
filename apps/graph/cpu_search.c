/*
 * cpu_search.c - the reference: plain C, one thread, a queue that holds every reached vertex once.
 */
#include <stdlib.h>
#include <time.h>

#include "apps/graph/search.h"

/*
 * Looks at one level, queue[begin] to queue[end - 1]; appends what it finds. Returns the queue's
 * new end.
 */
static uint64_t search_level(const struct graph *graph, struct search *search, uint32_t *queue,
	uint64_t begin, uint64_t end)
{
	uint64_t tail = end;

	for (uint64_t i = begin; i < end; i++) {
		uint32_t u = queue[i];

		for (uint64_t k = graph->offsets[u]; k < graph->offsets[u + 1ull]; k++) {
			uint32_t v = graph->neighbours[k];

			if (search->depth[v] != NOT_REACHED)
				continue;
			search->depth[v] = search->depth[u] + 1;
			search->parent[v] = u;
			queue[tail++] = v;
		}
	}
	return tail;
}

static void search_levels(const struct graph *graph, struct search *search, uint32_t *queue)
{
	uint64_t begin = 0, end = 1;

	queue[0] = search->source;
	search->depth[search->source] = 0;
	search->parent[search->source] = search->source;
	for (uint32_t depth = 0; begin < end; depth++) {
		uint64_t tail = search_level(graph, search, queue, begin, end);

		if (end - begin > search->widest_count) {
			search->widest_count = end - begin;
			search->widest_level = depth;
		}
		search->max_depth = depth;
		begin = end;
		end = tail;
	}
	search->reached = end;
}

int search_on_cpu(
	const struct graph *graph, uint32_t source, struct search *search, struct problem *problem)
{
	int error = search_open(search, graph->vertex_count, source, problem);
	struct timespec start, end;
	uint32_t *queue;

	if (error || source == NO_VERTEX)
		return error;
	queue = malloc(graph->vertex_count * sizeof *queue);
	if (!queue)
		return problem_no_memory(problem, "a queue", graph->vertex_count * sizeof *queue);
	clock_gettime(CLOCK_MONOTONIC, &start);
	search_levels(graph, search, queue);
	clock_gettime(CLOCK_MONOTONIC, &end);
	search->seconds =
		(double)(end.tv_sec - start.tv_sec) + 1e-9 * (double)(end.tv_nsec - start.tv_nsec);
	free(queue);
	return 0;
}
