/*
 * load.h - graph files.
 *
 *   el   .el .txt   from to                 counts from 0; comments # % //
 *   wel  .wel       from to weight          likewise
 *   mtx  .mtx       Matrix Market           counts from 1; coordinate; pattern, integer, real;
 *                                           general, symmetric, skew-symmetric
 *   gr   .gr        DIMACS shortest paths   counts from 1
 *
 * Any of them may be compressed by gzip (.el.gz, ...). Weights are checked and then dropped: the
 * search does not use them. Every message begins with FILE:LINE, or
 * FILE where it is about all of it.
 */
#ifndef NEARSIDE_GRAPH_LOAD_H
#define NEARSIDE_GRAPH_LOAD_H

#include <stdbool.h>

#include "apps/graph/edges.h"
#include "apps/graph/problem.h"

enum load_format {
	LOAD_EL,
	LOAD_WEL,
	LOAD_MTX,
	LOAD_GR,
	LOAD_FORMAT_COUNT
};

/* The format called `name`: el, wel, mtx, gr. -EINVAL: none is. */
int load_format_named(const char *name, enum load_format *format, struct problem *problem);

/* The format that the file's name ends in. -EINVAL: the ending is not known. */
int load_format_of(const char *path, enum load_format *format, struct problem *problem);

/*
 * Reads the file into `edges`, which is empty before and to be closed afterwards, also on failure.
 * With compact_ids the ids that occur become vertices, so that they may be any 64-bit numbers;
 * without, vertices are all ids up to the largest (or as many as the file announces), and ids above
 * VERTICES_MAX are refused.
 */
int load_file(const char *path, enum load_format format, bool compact_ids, struct edges *edges,
	struct problem *problem);

/* Likewise from an open file, which is closed. */
int load_fd(int fd, const char *path, enum load_format format, bool compact_ids,
	struct edges *edges, struct problem *problem);

#endif
