/* built.h - small graphs and files for tests, each in one call. */
#ifndef NEARSIDE_TESTS_GRAPH_BUILT_H
#define NEARSIDE_TESTS_GRAPH_BUILT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "apps/graph/graph.h"

/* A graph of so many vertices with the edges "0>1 1>2". */
struct graph built_graph(uint64_t vertex_count, const char *edges, const struct graph_shape *shape);

/* Edges, likewise; to be closed. */
struct edges built_edges(uint64_t vertex_count, const char *edges);

/* The neighbours of a vertex as "1 2 2"; valid until the next call. */
const char *neighbours_of(const struct graph *graph, uint32_t vertex);

/* An open file without a name that holds the bytes, read from its begin. */
int file_of(const void *bytes, size_t nbytes);

#endif
