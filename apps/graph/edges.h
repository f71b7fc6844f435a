/*
 * edges.h - a growing list of edges: what loaders and generators make, and what a graph is built
 * from. Repeated edges and self-loops stay unless is_simple is set; vertices need not have edges.
 */
#ifndef NEARSIDE_GRAPH_EDGES_H
#define NEARSIDE_GRAPH_EDGES_H

#include <stdbool.h>
#include <stdint.h>

#include "apps/graph/labels.h"
#include "apps/graph/problem.h"

/* Vertices are 32 bits wide; the last value means none. */
#define NO_VERTEX    UINT32_MAX
#define VERTICES_MAX ((uint64_t)NO_VERTEX)

struct edge {
	uint32_t from, to;
};

struct edges {
	struct edge *edge;
	uint64_t count, capacity;
	uint64_t vertex_count; /* more than every vertex in `edge` */
	bool is_simple;        /* the graph is to have no repeated edges and no self-loops */
	struct labels labels;
};

void edges_close(struct edges *edges);

/* Room for `more` edges. */
int edges_reserve(struct edges *edges, uint64_t more, struct problem *problem);

/* Adds an edge between vertices below VERTICES_MAX; vertex_count grows as needed. */
int edges_add(struct edges *edges, uint32_t from, uint32_t to, struct problem *problem);

#endif
