#include "tests/apps/graph/built.h"

#include <inttypes.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

struct edges built_edges(uint64_t vertex_count, const char *text)
{
	struct edges edges = {0};
	struct problem problem;
	uint32_t from, to;
	int length;

	while (sscanf(text, "%" SCNu32 ">%" SCNu32 " %n", &from, &to, &length) == 2) {
		assert_int_equal(edges_add(&edges, from, to, &problem), 0);
		text += length;
	}
	assert_string_equal(text, "");
	assert_true(edges.vertex_count <= vertex_count);
	edges.vertex_count = vertex_count;
	return edges;
}

struct graph built_graph(uint64_t vertex_count, const char *text, const struct graph_shape *shape)
{
	struct edges edges = built_edges(vertex_count, text);
	struct graph graph;
	struct problem problem;

	assert_int_equal(graph_build(&graph, &edges, shape, &problem), 0);
	return graph;
}

const char *neighbours_of(const struct graph *graph, uint32_t vertex)
{
	static char text[256];
	size_t length = 0;

	text[0] = 0;
	for (uint64_t i = graph->offsets[vertex]; i < graph->offsets[vertex + 1]; i++)
		length += (size_t)snprintf(text + length, sizeof text - length, "%s%" PRIu32,
			length ? " " : "", graph->neighbours[i]);
	return text;
}

int file_of(const void *bytes, size_t nbytes)
{
	int fd = memfd_create("graph", MFD_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes, nbytes), nbytes);
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	return fd;
}
