#include "apps/graph/edges.h"

#include <errno.h>
#include <stdlib.h>

enum {
	FIRST_CAPACITY = 1024
};

void edges_close(struct edges *edges)
{
	free(edges->edge);
	labels_close(&edges->labels);
	*edges = (struct edges){0};
}

int edges_reserve(struct edges *edges, uint64_t more, struct problem *problem)
{
	uint64_t needed, nbytes;
	struct edge *edge;

	if (__builtin_add_overflow(edges->count, more, &needed) ||
		__builtin_mul_overflow(needed, sizeof *edge, &nbytes))
		return problem_no_memory(problem, "edges", UINT64_MAX);
	if (needed <= edges->capacity)
		return 0;
	edge = realloc(edges->edge, nbytes);
	if (!edge)
		return problem_no_memory(problem, "edges", nbytes);
	edges->edge = edge;
	edges->capacity = needed;
	return 0;
}

static void include_vertex(struct edges *edges, uint32_t vertex)
{
	if (vertex >= edges->vertex_count)
		edges->vertex_count = (uint64_t)vertex + 1;
}

int edges_add(struct edges *edges, uint32_t from, uint32_t to, struct problem *problem)
{
	int error = 0;

	if (edges->count == edges->capacity)
		error = edges_reserve(edges, edges->count / 2 + FIRST_CAPACITY, problem);
	if (error)
		return error;
	edges->edge[edges->count++] = (struct edge){from, to};
	include_vertex(edges, from);
	include_vertex(edges, to);
	return 0;
}
