#include "apps/graph/generate.h"

#include <stdlib.h>

#include "apps/graph/graph.h"
#include "apps/graph/progress.h"

/* SplitMix64: the state is a counter, so that any seed will do. */
struct random {
	uint64_t state;
};

static uint64_t random_next(struct random *random)
{
	uint64_t z = random->state += 0x9e3779b97f4a7c15u;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

/*
 * Below `bound`, a 32-bit number or 2^32, by the high half of a product: no division, bias below
 * 2^-32.
 */
static uint32_t random_below(struct random *random, uint64_t bound)
{
	return (uint32_t)((random_next(random) >> 32) * bound >> 32);
}

/* A probability as a 32-bit threshold. */
#define THRESHOLD(p) ((uint32_t)((p) * 4294967296.0))

/* One bit of both ends a step: which quadrant of the adjacency matrix the edge falls into. */
static struct edge kron_edge(struct random *random, unsigned scale)
{
	static const uint32_t a = THRESHOLD(0.57), ab = THRESHOLD(0.57 + 0.19),
			      abc = THRESHOLD(0.57 + 0.19 + 0.19);
	struct edge edge = {0, 0};

	for (unsigned bit = 0; bit < scale; bit++) {
		uint32_t r = (uint32_t)(random_next(random) >> 32);

		edge.from = edge.from << 1 | (r >= ab);
		edge.to = edge.to << 1 | ((r >= a && r < ab) || r >= abc);
	}
	return edge;
}

static struct edge uniform_edge(struct random *random, unsigned scale)
{
	uint64_t vertices = 1ull << scale;
	uint32_t from = random_below(random, vertices);

	return (struct edge){from, random_below(random, vertices)};
}

/*
 * Exchanges the names of vertex 0 and of a vertex that has an edge to another, unless vertex 0 has.
 */
static void give_vertex_0_an_edge(struct edges *edges)
{
	uint32_t chosen = 0;

	for (uint64_t i = 0; i < edges->count; i++) {
		struct edge edge = edges->edge[i];

		if (edge.from == edge.to)
			continue;
		if (edge.from == 0 || edge.to == 0)
			return;
		if (chosen == 0)
			chosen = edge.from;
	}
	for (uint64_t i = 0; i < edges->count; i++) {
		struct edge *edge = &edges->edge[i];

		edge->from = edge->from == 0 ? chosen : edge->from == chosen ? 0 : edge->from;
		edge->to = edge->to == 0 ? chosen : edge->to == chosen ? 0 : edge->to;
	}
}

/*
 * Kronecker graphs have their hubs at low ids; a random permutation hides that from whoever splits
 * them by id.
 */
static int permute(struct edges *edges, struct random *random, struct problem *problem)
{
	uint64_t count = edges->vertex_count;
	uint32_t *new_id = calloc(count, sizeof *new_id);

	if (!new_id)
		return problem_no_memory(problem, "a permutation", count * sizeof *new_id);
	for (uint64_t i = 0; i < count; i++) {
		uint32_t j = random_below(random, i + 1);

		new_id[i] = new_id[j];
		new_id[j] = (uint32_t)i;
	}
	for (uint64_t i = 0; i < edges->count; i++)
		edges->edge[i] =
			(struct edge){new_id[edges->edge[i].from], new_id[edges->edge[i].to]};
	free(new_id);
	return 0;
}

static void draw(const struct generate_options *options, struct random *random, struct edges *edges)
{
	uint64_t count = (uint64_t)options->degree << options->scale;

	for (uint64_t i = 0; i < count; i++) {
		if (i % (1 << 22) == 0)
			progress("generating: %llu of %llu edges", (unsigned long long)i,
				(unsigned long long)count);
		edges->edge[i] = options->kind == GENERATE_KRON
					 ? kron_edge(random, options->scale)
					 : uniform_edge(random, options->scale);
	}
	edges->count = count;
}

int generate(const struct generate_options *options, struct edges *edges, struct problem *problem)
{
	uint64_t vertices = 1ull << options->scale,
		 count = (uint64_t)options->degree << options->scale;
	struct random random = {.state = options->seed};
	int error = graph_plan_check(vertices, 2 * count, problem);

	if (!error)
		error = edges_reserve(edges, count, problem);
	if (error)
		return error;
	edges->vertex_count = vertices;
	draw(options, &random, edges);
	if (options->kind == GENERATE_KRON)
		error = permute(edges, &random, problem);
	if (!error)
		give_vertex_0_an_edge(edges);
	return error;
}
