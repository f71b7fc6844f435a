/*
 * generate.h - synthetic graphs with the parameters of the GAP benchmark suite: 2^scale vertices,
 * degree x 2^scale edges, to be symmetrised. Same kind, scale, degree and seed: same graph, on
 * every machine.
 */
#ifndef NEARSIDE_GRAPH_GENERATE_H
#define NEARSIDE_GRAPH_GENERATE_H

#include <stdint.h>

#include "apps/graph/edges.h"

enum generate_kind {
	GENERATE_KRON,    /* Kronecker: quadrants by A = 0.57, B = C = 0.19, then ids permuted */
	GENERATE_UNIFORM, /* both ends of an edge uniform */
};

enum {
	GENERATE_SCALE_MAX = 31,
	GENERATE_DEGREE_MAX = 65536,
	GENERATE_DEGREE = 16,
	GENERATE_SEED = 1
};

struct generate_options {
	enum generate_kind kind;
	unsigned scale, degree;
	uint64_t seed;
};

/*
 * Fills `edges`, which is empty before and to be closed afterwards. One direction of each edge:
 * build the graph with symmetrize. Vertex 0 has an edge to another vertex if any vertex has.
 */
int generate(const struct generate_options *options, struct edges *edges, struct problem *problem);

#endif
