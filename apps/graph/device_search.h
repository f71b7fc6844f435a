/*
 * device_search.h - the search by processes on a device, over the graph in its far memory.
 *
 *     device_open()       a device large enough for the graph
 *     device_place()      the graph into far memory
 *     device_run()        processes, answer, result
 *     device_close()
 */
#ifndef NEARSIDE_GRAPH_DEVICE_SEARCH_H
#define NEARSIDE_GRAPH_DEVICE_SEARCH_H

#include <nearside/nproc.h>

#include "apps/graph/bfs_shared.h"
#include "apps/graph/search.h"

enum {
	DEVICE_CORES_MAX = 64
};

/* The arrays in far memory. A mark is 0, or depth + 1 of a reached vertex. */
struct far_graph {
	uint64_t vertex_count, edge_count;
	uint64_t *offsets;
	uint32_t *neighbours;
	uint32_t *mark, *parent, *queue;
	struct bfs_control *control;
};

struct device {
	struct nproc_device *handle;
	struct nproc_image *image;
	struct nproc_device_info info;
	unsigned cores; /* that the search uses */
	struct far_graph far;
};

/*
 * `name` as nproc_device_open(), NULL for its default; where it is an in-process or simulated
 * device and does not say how many cores and how much far memory, it gets `cores` (0: one for each
 * CPU of the machine, at most 8) and what the graph needs. Close it also after a failure.
 */
int device_open(struct device *device, const char *name, unsigned cores, const struct graph *graph,
	struct problem *problem);
void device_close(struct device *device);

/* Copies the graph to far memory. */
int device_place(struct device *device, const struct graph *graph, struct problem *problem);

/*
 * Searches from `source`, once; `search` as search_open() makes it. Fills in its arrays, its
 * counts, and its seconds, from the first spawn to the answer. A result that no search can have is
 * an error (-EPROTO), so that its depths and counts agree; whether it is the right one,
 * search_verify() says.
 */
int device_run(
	struct device *device, uint32_t source, struct search *search, struct problem *problem);

/* -errno of a failed call, with the device's own words as the problem. */
int device_problem(
	const struct device *device, int64_t error, const char *doing, struct problem *problem);

/* The processes of a search, joined by pipes (device_tree.c). Zero it first. */
struct tree {
	unsigned count; /* of processes: workers, then bfs_levels */
	struct nproc *process[DEVICE_CORES_MAX + 1];
	struct npipe *go[DEVICE_CORES_MAX][2];   /* to worker i */
	struct npipe *done[DEVICE_CORES_MAX][2]; /* from worker i */
	struct npipe *answer[2];                 /* from bfs_levels; [0] is the host's */
};

/* Starts the search: one worker a core, bfs_levels on core 0. tree_close() also after a failure. */
int tree_start(struct tree *tree, struct device *device, uint32_t source, struct problem *problem);

/*
 * Waits until every process has ended. An error tells of the first fault, else of the first bad
 * exit.
 */
int tree_wait(struct tree *tree, const struct device *device, struct problem *problem);

/* Ends what still runs. */
void tree_close(struct tree *tree);

#endif
