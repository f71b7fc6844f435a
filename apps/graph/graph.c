/*
 * Building: edges are sorted by target, then, stably, by source, each time by counting. So every
 * list of neighbours comes out ascending, in time linear in the graph. The first pass leaves the
 * reversed graph.
 */
#include "apps/graph/graph.h"

#include <errno.h>
#include <stdlib.h>

static int allocate(uint64_t vertices, uint64_t edges, struct graph *graph, struct problem *problem)
{
	graph->vertex_count = vertices;
	graph->edge_count = edges;
	graph->offsets = calloc(vertices + 1, sizeof *graph->offsets);
	graph->neighbours = calloc(edges ? edges : 1, sizeof *graph->neighbours);
	if (graph->offsets && graph->neighbours)
		return 0;
	return problem_no_memory(problem, "the graph",
		(vertices + 1) * sizeof *graph->offsets + edges * sizeof *graph->neighbours);
}

/*
 * Counts become offsets, one place early: offsets[v + 1] is where v begins, so that filling v's
 * list with offsets[v + 1]++ leaves it where v + 1 begins.
 */
static void accumulate(struct graph *graph)
{
	uint64_t sum = 0;

	for (uint64_t v = 0; v < graph->vertex_count; v++) {
		uint64_t count = graph->offsets[v + 1];

		graph->offsets[v + 1] = sum;
		sum += count;
	}
}

/* The reversed graph: for each vertex, where its edges come from. */
static void fill_from_edges(struct graph *graph, const struct edges *edges)
{
	for (uint64_t i = 0; i < edges->count; i++)
		graph->offsets[edges->edge[i].to + 1ull]++;
	accumulate(graph);
	for (uint64_t i = 0; i < edges->count; i++)
		graph->neighbours[graph->offsets[edges->edge[i].to + 1ull]++] = edges->edge[i].from;
}

static void fill_from_reversed(struct graph *graph, const struct graph *reversed)
{
	for (uint64_t i = 0; i < reversed->edge_count; i++)
		graph->offsets[reversed->neighbours[i] + 1ull]++;
	accumulate(graph);
	for (uint64_t to = 0; to < reversed->vertex_count; to++) {
		for (uint64_t i = reversed->offsets[to]; i < reversed->offsets[to + 1]; i++)
			graph->neighbours[graph->offsets[reversed->neighbours[i] + 1ull]++] =
				(uint32_t)to;
	}
}

/* Drops repeated edges and self-loops, in place. */
static void simplify(struct graph *graph)
{
	uint64_t kept = 0, begin = 0;

	for (uint64_t v = 0; v < graph->vertex_count; v++) {
		uint64_t end = graph->offsets[v + 1], first = kept;

		for (uint64_t i = begin; i < end; i++) {
			uint32_t to = graph->neighbours[i];

			if (to != v && (kept == first || graph->neighbours[kept - 1] != to))
				graph->neighbours[kept++] = to;
		}
		begin = end;
		graph->offsets[v + 1] = kept;
	}
	graph->edge_count = kept;
}

static void reverse(struct edges *edges)
{
	for (uint64_t i = 0; i < edges->count; i++)
		edges->edge[i] = (struct edge){edges->edge[i].to, edges->edge[i].from};
}

static int symmetrize(struct edges *edges, struct problem *problem)
{
	uint64_t count = edges->count;
	int error = edges_reserve(edges, count, problem);

	if (error)
		return error;
	for (uint64_t i = 0; i < count; i++)
		edges->edge[count + i] = (struct edge){edges->edge[i].to, edges->edge[i].from};
	edges->count = 2 * count;
	edges->is_simple = true;
	return 0;
}

static int shape_edges(
	struct edges *edges, const struct graph_shape *shape, struct problem *problem)
{
	uint64_t arcs = shape->symmetrize ? 2 * edges->count : edges->count;
	int error = graph_plan_check(edges->vertex_count, arcs, problem);

	if (error)
		return error;
	if (shape->symmetrize)
		return symmetrize(edges, problem);
	if (shape->reverse)
		reverse(edges);
	return 0;
}

int graph_build(struct graph *graph, struct edges *edges, const struct graph_shape *shape,
	struct problem *problem)
{
	struct graph reversed = {0};
	bool is_simple;
	int error;

	*graph = (struct graph){.labels = edges->labels};
	edges->labels = (struct labels){0};
	error = shape_edges(edges, shape, problem);
	is_simple = edges->is_simple;
	if (!error)
		error = allocate(edges->vertex_count, edges->count, &reversed, problem);
	if (!error)
		fill_from_edges(&reversed, edges);
	edges_close(edges);
	if (!error)
		error = allocate(reversed.vertex_count, reversed.edge_count, graph, problem);
	if (!error)
		fill_from_reversed(graph, &reversed);
	if (!error && is_simple)
		simplify(graph);
	graph_close(&reversed);
	return error;
}

void graph_close(struct graph *graph)
{
	free(graph->offsets);
	free(graph->neighbours);
	labels_close(&graph->labels);
	*graph = (struct graph){0};
}

bool graph_has_edge(const struct graph *graph, uint32_t from, uint32_t to)
{
	uint64_t low = graph->offsets[from], high = graph->offsets[from + 1ull];

	while (low < high) {
		uint64_t middle = low + (high - low) / 2;

		if (graph->neighbours[middle] == to)
			return true;
		if (graph->neighbours[middle] < to)
			low = middle + 1;
		else
			high = middle;
	}
	return false;
}
