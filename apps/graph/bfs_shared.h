/*
 * bfs_shared.h - what the host part of the search and its kernels agree on. docs/graph.md has the
 * whole scheme.
 *
 *     host  <--answer--  bfs_levels  --go-->  worker 0  --go-->  up to 7 children, and so on
 *                                   <-done--           <-done--
 */
#ifndef NEARSIDE_GRAPH_BFS_SHARED_H
#define NEARSIDE_GRAPH_BFS_SHARED_H

#include <stdint.h>

/* Pipe ends of bfs_levels. */
enum {
	LEVELS_GO,
	LEVELS_DONE,
	LEVELS_ANSWER,
	LEVELS_ENDS
};

/* Pipe ends of bfs_worker: to its parent, then two for each child. */
enum {
	WORKER_GO,
	WORKER_DONE,
	WORKER_CHILDREN,
	WORKER_CHILDREN_MAX = 7
};

static inline int worker_child_go(uint32_t child)
{
	return WORKER_CHILDREN + 2 * (int)child;
}

static inline int worker_child_done(uint32_t child)
{
	return WORKER_CHILDREN + 2 * (int)child + 1;
}

/* "go": a level is queue[begin] to queue[end - 1]. "done" repeats the depth. Each is one line. */
struct bfs_level {
	uint64_t begin, end;
	uint64_t depth;
};

/* The answer to the host: one line. */
struct bfs_report {
	uint64_t reached;
	uint64_t widest_count;
	uint32_t widest_level;
	uint32_t max_depth;
};

/* In far memory, shared by the workers: how far the queue has been read and written. */
struct bfs_control {
	_Alignas(64) _Atomic uint64_t taken;
	_Alignas(64) _Atomic uint64_t filled;
};

#endif
