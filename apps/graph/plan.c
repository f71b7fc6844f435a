/* plan.c - how much memory a graph takes, asked before it is taken. */
#include <errno.h>
#include <inttypes.h>
#include <unistd.h>

#include "apps/graph/graph.h"

/*
 * Bytes a vertex: two offsets while sorting; depth and parent twice, order and line marks for a
 * search.
 */
enum {
	HOST_VERTEX = 2 * 8 + 2 * 8 + 4 + 1
};
/* Bytes an edge: the edge, then a neighbour twice while sorting. */
enum {
	HOST_EDGE = 8 + 2 * 4
};
/* Offset, mark, parent and queue entry; neighbour. And room for the ends of five arrays. */
enum {
	FAR_VERTEX = 8 + 3 * 4,
	FAR_EDGE = 4,
	FAR_EXTRA = 1024 * 1024
};

static bool is_sum_too_large(
	uint64_t vertices, uint64_t per_vertex, uint64_t edges, uint64_t per_edge, uint64_t *nbytes)
{
	uint64_t of_edges;

	return __builtin_mul_overflow(vertices, per_vertex, nbytes) ||
	       __builtin_mul_overflow(edges, per_edge, &of_edges) ||
	       __builtin_add_overflow(*nbytes, of_edges, nbytes) ||
	       __builtin_add_overflow(*nbytes, (uint64_t)FAR_EXTRA, nbytes);
}

int graph_plan(uint64_t vertex_count, uint64_t edge_count, struct graph_plan *plan)
{
	if (is_sum_too_large(
		    vertex_count, HOST_VERTEX, edge_count, HOST_EDGE, &plan->host_nbytes) ||
		is_sum_too_large(vertex_count, FAR_VERTEX, edge_count, FAR_EDGE, &plan->far_nbytes))
		return -EOVERFLOW;
	return 0;
}

int graph_plan_check(uint64_t vertex_count, uint64_t edge_count, struct problem *problem)
{
	uint64_t memory = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGE_SIZE);
	struct graph_plan plan;

	if (graph_plan(vertex_count, edge_count, &plan) != 0)
		plan.host_nbytes = plan.far_nbytes = UINT64_MAX / 2;
	if (plan.host_nbytes + plan.far_nbytes <= memory)
		return 0;
	return problem_set(problem, -ENOMEM,
		"a graph of %" PRIu64 " vertices and %" PRIu64 " edges needs about %" PRIu64
		" MiB, this machine has %" PRIu64
		" MiB; if few of the vertices have edges, --compact-ids helps",
		vertex_count, edge_count, (plan.host_nbytes + plan.far_nbytes) >> 20, memory >> 20);
}
