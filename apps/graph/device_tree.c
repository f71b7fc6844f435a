/*
 * device_tree.c - who hears from whom. Worker i leads workers 7 i + 1 to 7 i + 7, bfs_levels leads
 * worker 0: 64 workers are four steps deep, and no process has more than the 16 ends that it may be
 * given. Every pair has two pipes of its own, so that whoever loses its peer reads end of file and
 * ends, too.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <nearside/npipe.h>

#include "apps/graph/device_search.h"

_Static_assert(WORKER_CHILDREN + 2 * WORKER_CHILDREN_MAX <= NPROC_ENDS_MAX,
	"a worker's ends can be passed");

static unsigned first_child(unsigned worker)
{
	return worker * WORKER_CHILDREN_MAX + 1;
}

static unsigned child_count(unsigned worker, unsigned workers)
{
	unsigned first = first_child(worker), left = first < workers ? workers - first : 0;

	return left < WORKER_CHILDREN_MAX ? left : WORKER_CHILDREN_MAX;
}

static int create_pipes(struct tree *tree, struct device *device)
{
	int error = npipe_create(device->handle, tree->answer);

	for (unsigned i = 0; i < device->cores && !error; i++) {
		error = npipe_create(device->handle, tree->go[i]);
		if (!error)
			error = npipe_create(device->handle, tree->done[i]);
	}
	return error;
}

static int start_worker(struct tree *tree, struct device *device, unsigned worker)
{
	struct far_graph *far_graph = &device->far;
	struct npipe *ends[NPROC_ENDS_MAX] = {
		[WORKER_GO] = tree->go[worker][0], [WORKER_DONE] = tree->done[worker][1]};
	unsigned children = child_count(worker, device->cores), first = first_child(worker);
	struct nproc_attr attr = NPROC_ATTR_INIT;

	for (unsigned c = 0; c < children; c++) {
		ends[worker_child_go(c)] = tree->go[first + c][1];
		ends[worker_child_done(c)] = tree->done[first + c][0];
	}
	attr.core = (int)worker;
	attr.ends = ends;
	attr.end_count = WORKER_CHILDREN + 2 * children;
	return nproc_spawn(device->handle, device->image, "bfs_worker", &attr,
		&tree->process[tree->count], far_graph->offsets, far_graph->neighbours,
		far_graph->mark, far_graph->parent, far_graph->queue, far_graph->control, children);
}

static int start_levels(struct tree *tree, struct device *device, uint32_t source)
{
	struct far_graph *far_graph = &device->far;
	struct npipe *ends[LEVELS_ENDS] = {[LEVELS_GO] = tree->go[0][1],
		[LEVELS_DONE] = tree->done[0][0],
		[LEVELS_ANSWER] = tree->answer[1]};
	struct nproc_attr attr = NPROC_ATTR_INIT;

	attr.core = 0;
	attr.ends = ends;
	attr.end_count = LEVELS_ENDS;
	return nproc_spawn(device->handle, device->image, "bfs_levels", &attr,
		&tree->process[tree->count], far_graph->offsets, far_graph->neighbours,
		far_graph->mark, far_graph->parent, far_graph->queue, far_graph->control,
		far_graph->vertex_count, far_graph->edge_count, source);
}

int tree_start(struct tree *tree, struct device *device, uint32_t source, struct problem *problem)
{
	int error = create_pipes(tree, device);

	for (unsigned i = 0; i < device->cores && !error; i++) {
		error = start_worker(tree, device, i);
		tree->count += !error;
	}
	if (!error) {
		error = start_levels(tree, device, source);
		tree->count += !error;
	}
	return error ? device_problem(device, error, "starting the search", problem) : 0;
}

/* How badly a process ended: a fault says more than the exits that it caused in others. */
static int badness(const struct nproc_status *status)
{
	return status->state != NPROC_EXITED ? 2 : status->exit_code != 0 ? 1 : 0;
}

int tree_wait(struct tree *tree, const struct device *device, struct problem *problem)
{
	int worst = 0;

	for (unsigned i = 0; i < tree->count; i++) {
		struct nproc_status status;
		char text[512];
		int error = nproc_wait(tree->process[i], &status, NPROC_FOREVER);

		if (error)
			return device_problem(device, error, "waiting for the search", problem);
		if (badness(&status) <= worst)
			continue;
		worst = badness(&status);
		problem_set(problem, -EIO, "a process of the search failed: %s",
			nproc_status_text(&status, text, sizeof text));
	}
	return worst ? -EIO : 0;
}

void tree_close(struct tree *tree)
{
	for (unsigned i = 0; i < DEVICE_CORES_MAX; i++) {
		npipe_close(tree->go[i][0]);
		npipe_close(tree->go[i][1]);
		npipe_close(tree->done[i][0]);
		npipe_close(tree->done[i][1]);
	}
	npipe_close(tree->answer[0]);
	npipe_close(tree->answer[1]);
	for (unsigned i = 0; i < tree->count; i++)
		nproc_close(tree->process[i]);
}
