/* load_int.h - what the loaders share. One loader, one file: load_el.c, load_mtx.c, load_gr.c. */
#ifndef NEARSIDE_GRAPH_LOAD_INT_H
#define NEARSIDE_GRAPH_LOAD_INT_H

#include "apps/graph/fields.h"
#include "apps/graph/lines.h"
#include "apps/graph/load.h"

struct loader {
	struct lines lines;
	struct edges *edges;
	struct problem *problem;
	bool compact_ids;
	uint64_t first_id; /* ids below are refused */
	uint64_t id_count; /* how many ids the file announces; 0: it does not */
};

int load_el(struct loader *loader);
int load_wel(struct loader *loader);
int load_mtx(struct loader *loader);
int load_gr(struct loader *loader);

/*
 * The next line that is neither blank nor begins with one of the comment marks; 1, 0 at the end, or
 * an error.
 */
int loader_next(struct loader *loader, const char *const comment_marks[], char **text);

/*
 * The format counts from `first_id` and announces `id_count` vertices, of which each becomes one.
 */
int loader_announce(struct loader *loader, uint64_t first_id, uint64_t id_count);

/* A vertex id as text to a vertex; an edge between two. */
int loader_vertex(struct loader *loader, const char *text, uint32_t *vertex);
int loader_edge(struct loader *loader, const char *from, const char *to);

/* -EINVAL, with FILE:LINE: and the message as the problem. */
int loader_fail(struct loader *loader, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

#endif
