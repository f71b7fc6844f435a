/*
 * search.h - the result of a breadth-first search, the search by the CPU alone, and what is asked
 * about results.
 */
#ifndef NEARSIDE_GRAPH_SEARCH_H
#define NEARSIDE_GRAPH_SEARCH_H

#include <stdint.h>

#include "apps/graph/graph.h"

#define NOT_REACHED UINT32_MAX

struct search {
	uint64_t vertex_count;
	uint32_t source;  /* depth 0, its own parent; NO_VERTEX in a graph without vertices */
	uint32_t *depth;  /* NOT_REACHED: there is no way from the source */
	uint32_t *parent; /* of reached vertices; else NO_VERTEX */
	uint64_t reached; /* the source included */
	uint32_t max_depth;
	uint32_t widest_level; /* the first of the levels with the most vertices */
	uint64_t widest_count; /* how many it has */
	double seconds;
};

/* Arrays, nothing reached yet. search_close() also after a failure. */
int search_open(
	struct search *search, uint64_t vertex_count, uint32_t source, struct problem *problem);
void search_close(struct search *search);

/*
 * The search by one thread of the host's CPU, on the host's copy of the graph. Fills in everything.
 */
int search_on_cpu(
	const struct graph *graph, uint32_t source, struct search *search, struct problem *problem);

/*
 * Checks a result on its own grounds and against the CPU-only one: same vertices reached, at the
 * same depths; every parent one level up and joined to its child by an edge; counts that agree. 0,
 * or -EBADMSG and the first thing that is wrong.
 */
int search_verify(const struct graph *graph, const struct search *search,
	const struct search *right, struct problem *problem);

/* The vertices reached, level by level: level d is order[begins[d]] to order[begins[d + 1] - 1]. */
struct levels {
	uint32_t count;
	uint64_t *begins; /* count + 1 */
	uint32_t *order;
};

int levels_open(struct levels *levels, const struct search *search, struct problem *problem);
void levels_close(struct levels *levels);

/*
 * What a CPU without near-memory cores has to fetch for this search if the graph lies in far
 * memory: for each level the distinct 64-byte lines of offsets and neighbours that the level's
 * vertices need, summed over the levels; nothing stays in the CPU's caches from one level to the
 * next, depths and parents are near the CPU.
 */
int traffic_cpu_only(const struct graph *graph, const struct search *search, uint64_t *lines,
	struct problem *problem);

/* The rule above in one sentence, for reports. */
extern const char traffic_rule[];

#endif
