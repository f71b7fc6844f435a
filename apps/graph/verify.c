#include <errno.h>
#include <inttypes.h>

#include "apps/graph/search.h"

static int wrong(
	const struct graph *graph, uint32_t vertex, const char *what, struct problem *problem)
{
	char label[LABEL_BYTES];

	return problem_set(problem, -EBADMSG, "wrong result at vertex %s: %s",
		labels_text(&graph->labels, vertex, label), what);
}

static const char *unreached_mistake(const struct search *search, uint32_t v)
{
	return search->parent[v] == NO_VERTEX ? NULL : "it is not reached, yet has a parent";
}

static const char *source_mistake(const struct search *search, uint32_t v)
{
	return search->depth[v] != 0    ? "it is the source, yet its depth is not 0"
	       : search->parent[v] != v ? "it is the source, yet its parent is another vertex"
					: NULL;
}

static const char *child_mistake(const struct graph *graph, const struct search *search, uint32_t v)
{
	uint32_t parent = search->parent[v];

	if (parent >= search->vertex_count)
		return "it is reached, yet has no parent";
	if (search->depth[v] == 0)
		return "its depth is 0, yet it is not the source";
	if (search->depth[parent] != search->depth[v] - 1)
		return "its parent is not one level up";
	if (!graph_has_edge(graph, parent, v))
		return "no edge leads from its parent to it";
	return NULL;
}

static const char *mistake_at(const struct graph *graph, const struct search *search,
	const struct search *right, uint32_t v)
{
	if ((search->depth[v] == NOT_REACHED) != (right->depth[v] == NOT_REACHED))
		return search->depth[v] == NOT_REACHED
			       ? "it is not reached, yet the CPU's search reaches it"
			       : "it is reached, yet the CPU's search does not reach it";
	if (search->depth[v] != right->depth[v])
		return "its depth differs from that of the CPU's search";
	if (search->depth[v] == NOT_REACHED)
		return unreached_mistake(search, v);
	return v == search->source ? source_mistake(search, v) : child_mistake(graph, search, v);
}

int search_verify(const struct graph *graph, const struct search *search,
	const struct search *right, struct problem *problem)
{
	for (uint64_t v = 0; v < search->vertex_count; v++) {
		const char *mistake = mistake_at(graph, search, right, (uint32_t)v);

		if (mistake)
			return wrong(graph, (uint32_t)v, mistake, problem);
	}
	if (search->reached != right->reached || search->max_depth != right->max_depth ||
		search->widest_level != right->widest_level ||
		search->widest_count != right->widest_count)
		return problem_set(problem, -EBADMSG,
			"wrong summary: %" PRIu64
			" reached, depth %u, level %u the widest with %" PRIu64
			", but the CPU's search has %" PRIu64 ", %u, %u, %" PRIu64,
			search->reached, search->max_depth, search->widest_level,
			search->widest_count, right->reached, right->max_depth, right->widest_level,
			right->widest_count);
	return 0;
}
