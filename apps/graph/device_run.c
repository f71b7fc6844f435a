#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <time.h>

#include <nearside/nmem.h>
#include <nearside/npipe.h>

#include "apps/graph/device_search.h"

static double seconds_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Runs the processes to their end. */
static int search_on_device(struct device *device, uint32_t source, struct bfs_report *report,
	double *seconds, struct problem *problem)
{
	struct tree tree = {0};
	double began = seconds_now();
	int error = tree_start(&tree, device, source, problem), ended;
	int64_t got = 0;

	if (!error)
		got = npipe_read_full(tree.answer[0], report, sizeof *report);
	*seconds = seconds_now() - began;
	if (!error) {
		struct problem of_processes;

		ended = tree_wait(&tree, device, &of_processes);
		if (got < 0)
			error = device_problem(device, got, "reading the answer", problem);
		if (ended) {
			*problem = of_processes;
			error = ended;
		}
	}
	tree_close(&tree);
	if (!error && got != sizeof *report)
		return problem_set(problem, -EPROTO, "the search ended without an answer");
	return error;
}

static int take_over(const struct device *device, const uint32_t *array, uint64_t count)
{
	return nmem_refresh(device->handle, array, count * sizeof *array);
}

/* Marks and parents from far memory, each read once. */
static int copy_result(const struct device *device, struct search *search, struct problem *problem)
{
	uint64_t reached = 0;
	int error = take_over(device, device->far.mark, search->vertex_count);

	if (!error)
		error = take_over(device, device->far.parent, search->vertex_count);
	if (error)
		return device_problem(device, error, "reading the result", problem);
	for (uint64_t v = 0; v < search->vertex_count; v++) {
		uint32_t mark = device->far.mark[v], parent = device->far.parent[v];

		if (mark == 0)
			continue;
		if (mark - 1 > search->max_depth || parent >= search->vertex_count)
			return problem_set(problem, -EPROTO,
				"the device gave vertex %" PRIu64 " a depth or a parent that "
				"cannot be",
				v);
		search->depth[v] = mark - 1;
		search->parent[v] = parent;
		reached++;
	}
	if (reached == search->reached)
		return 0;
	return problem_set(problem, -EPROTO,
		"the device reports %" PRIu64 " vertices reached but marked %" PRIu64,
		search->reached, reached);
}

int device_run(
	struct device *device, uint32_t source, struct search *search, struct problem *problem)
{
	struct bfs_report report = {0};
	int error = search_on_device(device, source, &report, &search->seconds, problem);

	if (error)
		return error;
	search->reached = report.reached;
	search->max_depth = report.max_depth;
	search->widest_level = report.widest_level;
	search->widest_count = report.widest_count;
	if (report.reached > search->vertex_count || report.max_depth >= search->vertex_count ||
		report.widest_level > report.max_depth || report.widest_count == 0)
		return problem_set(
			problem, -EPROTO, "the device's summary cannot be that of any search");
	return copy_result(device, search, problem);
}
