/*
 * labels.h - what people call the vertices, which inside are 0, 1, 2...
 * Three kinds: a range of numbers (the ids of most files), a set of numbers (--compact-ids), names
 * (packages).
 */
#ifndef NEARSIDE_GRAPH_LABELS_H
#define NEARSIDE_GRAPH_LABELS_H

#include <stdint.h>

#include "apps/graph/intern.h"
#include "apps/graph/problem.h"

struct labels {
	uint64_t first;       /* a range: the id of vertex 0; 1 in formats that count from 1 */
	struct intern *ids;   /* a set of numbers (64-bit keys), else NULL */
	struct intern *names; /* names, else NULL */
};

enum {
	LABEL_BYTES = 256
};

void labels_close(struct labels *labels);

/* The label as text, into a buffer of LABEL_BYTES. Returns buffer. */
const char *labels_text(const struct labels *labels, uint32_t vertex, char *buffer);

/*
 * The vertex that `text` names, of vertex_count. -ENOENT: no such vertex (the problem says which
 * there are).
 */
int labels_find(const struct labels *labels, uint64_t vertex_count, const char *text,
	uint32_t *vertex, struct problem *problem);

#endif
