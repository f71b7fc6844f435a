/*
 * graph.h - a graph as compressed sparse rows: the neighbours of vertex v are
 * neighbours[offsets[v]] to neighbours[offsets[v + 1] - 1], in ascending order.
 *
 * Vertices are 32 bits wide, offsets 64, so that more than 2^32 edges are no trouble.
 */
#ifndef NEARSIDE_GRAPH_GRAPH_H
#define NEARSIDE_GRAPH_GRAPH_H

#include <stdbool.h>
#include <stdint.h>

#include "apps/graph/edges.h"

struct graph {
	uint64_t vertex_count;
	uint64_t edge_count; /* an undirected edge counts twice */
	uint64_t *offsets;   /* vertex_count + 1 */
	uint32_t *neighbours;
	struct labels labels;
};

struct graph_shape {
	bool reverse;    /* every edge the other way round */
	bool symmetrize; /* every edge both ways; repeated ones and self-loops go */
};

/*
 * What a graph needs, before any of it is allocated: bytes of host memory at the worst moment of
 * building it and of a search, and of far memory for a search.
 */
struct graph_plan {
	uint64_t host_nbytes;
	uint64_t far_nbytes;
};

/* -EOVERFLOW: more bytes than 64 bits can say. */
int graph_plan(uint64_t vertex_count, uint64_t edge_count, struct graph_plan *plan);

/* -ENOMEM with the numbers, when this machine has less memory than the plan needs. */
int graph_plan_check(uint64_t vertex_count, uint64_t edge_count, struct problem *problem);

/*
 * Builds the graph out of edges, which it empties (their labels become the graph's), also on
 * failure. graph_close() it, also on failure.
 */
int graph_build(struct graph *graph, struct edges *edges, const struct graph_shape *shape,
	struct problem *problem);
void graph_close(struct graph *graph);

static inline uint64_t graph_degree(const struct graph *graph, uint32_t vertex)
{
	return graph->offsets[vertex + 1ull] - graph->offsets[vertex];
}

bool graph_has_edge(const struct graph *graph, uint32_t from, uint32_t to);

#endif
