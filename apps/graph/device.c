#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <nearside/nmem.h>

#include "apps/graph/device_search.h"

enum {
	CORES_UNASKED_MAX = 8,
	FAR_SPARE_MIB = 16, /* for the image and the device's own use */
};

int device_problem(
	const struct device *device, int64_t error, const char *doing, struct problem *problem)
{
	char detail[512] = "";

	if (device->handle)
		nproc_detail(device->handle, detail, sizeof detail);
	return problem_set(problem, (int)error, "%s: %s%s%s", doing, strerror((int)-error),
		*detail ? ": " : "", detail);
}

static unsigned cores_unasked(void)
{
	long online = sysconf(_SC_NPROCESSORS_ONLN);

	return online < 1 ? 1 : online > CORES_UNASKED_MAX ? CORES_UNASKED_MAX : (unsigned)online;
}

/* Whether the device is one whose cores and far memory are chosen when it is opened. */
static bool is_made_to_measure(const char *name)
{
	size_t length = strcspn(name, ":");

	return (length == 6 && strncmp(name, "inproc", length) == 0) ||
	       (length == 3 && strncmp(name, "sim", length) == 0);
}

static void add_option(
	char *name, size_t nbytes, const char *option, uint64_t value, const char *unit)
{
	size_t length = strlen(name);

	if (!strstr(name, option))
		snprintf(name + length, nbytes - length, "%c%s%" PRIu64 "%s",
			strchr(name, ':') ? ',' : ':', option, value, unit);
}

/* The device's name with what the search needs. */
static int full_name(const char *name, unsigned cores, uint64_t far_nbytes, char *full,
	size_t nbytes, struct problem *problem)
{
	if (!name)
		name = getenv("NEARSIDE_DEVICE");
	if (!name || !*name)
		name = "inproc";
	if (strlen(name) + 64 > nbytes)
		return problem_set(problem, -EINVAL, "the device name is too long");
	strcpy(full, name);
	if (!is_made_to_measure(name))
		return 0;
	add_option(full, nbytes, "cores=", cores ? cores : cores_unasked(), "");
	add_option(full, nbytes, "far=", (far_nbytes >> 20) + FAR_SPARE_MIB, "M");
	return 0;
}

static int choose_cores(struct device *device, unsigned cores, struct problem *problem)
{
	if (cores > device->info.core_count)
		return problem_set(problem, -EINVAL, "%u cores asked for, but device %s has %u",
			cores, device->info.name, device->info.core_count);
	device->cores = cores ? cores : device->info.core_count;
	if (device->cores > DEVICE_CORES_MAX)
		device->cores = DEVICE_CORES_MAX;
	return 0;
}

int device_open(struct device *device, const char *name, unsigned cores, const struct graph *graph,
	struct problem *problem)
{
	struct graph_plan plan;
	char full[512];
	int error;

	*device = (struct device){0};
	error = graph_plan(graph->vertex_count, graph->edge_count, &plan);
	if (error)
		return problem_set(problem, error, "the graph is too large for any far memory");
	error = full_name(name, cores, plan.far_nbytes, full, sizeof full, problem);
	if (error)
		return error;
	error = nproc_device_open(full, &device->handle);
	if (!error)
		error = nproc_device_info(device->handle, &device->info);
	if (!error)
		error = nproc_image_embedded(device->handle, &device->image);
	if (error)
		return device_problem(device, error, full, problem);
	if (device->info.far_free_nbytes < plan.far_nbytes)
		return problem_set(problem, -ENOMEM,
			"the search needs %" PRIu64 " MiB of far memory, but device %s has %" PRIu64
			" MiB free; open a larger one, as with --device inproc:far=%" PRIu64 "M",
			plan.far_nbytes >> 20, device->info.name,
			device->info.far_free_nbytes >> 20,
			(plan.far_nbytes >> 20) + FAR_SPARE_MIB);
	return choose_cores(device, cores, problem);
}

void device_close(struct device *device)
{
	nproc_device_close(device->handle); /* frees all that belongs to it */
	*device = (struct device){0};
}

static int allocate(struct device *device, uint64_t count, size_t element_nbytes, void *pointer)
{
	void *bytes;
	int error = nmem_alloc(device->handle, (count ? count : 1) * element_nbytes, &bytes);

	memcpy(pointer, &bytes, sizeof bytes);
	return error;
}

/* For the device to read. */
static int fill(struct device *device, void *to, const void *from, size_t nbytes)
{
	memcpy(to, from, nbytes);
	return nmem_publish(device->handle, to, nbytes);
}

int device_place(struct device *device, const struct graph *graph, struct problem *problem)
{
	struct far_graph *far_graph = &device->far;
	uint64_t vertices = graph->vertex_count, edges = graph->edge_count;
	int error = allocate(device, vertices + 1, sizeof *far_graph->offsets, &far_graph->offsets);

	far_graph->vertex_count = vertices;
	far_graph->edge_count = edges;
	if (!error)
		error = allocate(
			device, edges, sizeof *far_graph->neighbours, &far_graph->neighbours);
	if (!error)
		error = allocate(device, vertices, sizeof *far_graph->mark, &far_graph->mark);
	if (!error)
		error = allocate(device, vertices, sizeof *far_graph->parent, &far_graph->parent);
	if (!error)
		error = allocate(device, vertices, sizeof *far_graph->queue, &far_graph->queue);
	if (!error)
		error = allocate(device, 1, sizeof *far_graph->control, &far_graph->control);
	if (error)
		return device_problem(device, error, "far memory for the graph", problem);
	error = fill(device, far_graph->offsets, graph->offsets,
		(vertices + 1) * sizeof *graph->offsets);
	if (!error)
		error = fill(device, far_graph->neighbours, graph->neighbours,
			edges * sizeof *graph->neighbours);
	return error ? device_problem(device, error, "placing the graph", problem) : 0;
}
