/*
 * The graph loaders on any bytes. The first byte chooses: the format, or a list of packages, in its
 * low bits; bit 7 stands for --compact-ids. What loads is built, searched and verified, so a graph
 * that is not sound is found, too.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "apps/graph/load.h"
#include "apps/graph/packages.h"
#include "apps/graph/search.h"

enum {
	VERTICES_BUILT_MAX = 1 << 16,
	COMPACT = 0x80,
	PACKAGES = LOAD_FORMAT_COUNT
};

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t nbytes);

static int file_of(const uint8_t *bytes, size_t nbytes)
{
	int fd = memfd_create("input", MFD_CLOEXEC);

	if (fd < 0 || write(fd, bytes, nbytes) != (ssize_t)nbytes || lseek(fd, 0, SEEK_SET) != 0)
		abort();
	return fd;
}

static int load(uint8_t choice, int fd, struct edges *edges, struct problem *problem)
{
	int kind = (choice & ~COMPACT) % (LOAD_FORMAT_COUNT + 1), error;
	uint64_t unknown;
	struct lines lines;

	if (kind != PACKAGES)
		return load_fd(
			fd, "input", (enum load_format)kind, choice & COMPACT, edges, problem);
	error = lines_open(&lines, fd, "input", problem);
	if (error)
		return error;
	error = packages_read(&lines, edges, &unknown, problem);
	lines_close(&lines);
	return error;
}

/* From the first vertex; the search must pass its own check. */
static void search(const struct graph *graph)
{
	struct search found;
	struct problem problem;

	if (graph->vertex_count == 0)
		return;
	if (search_on_cpu(graph, 0, &found, &problem) != 0 ||
		search_verify(graph, &found, &found, &problem) != 0)
		abort();
	search_close(&found);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t nbytes)
{
	struct graph_shape shape = {.reverse = nbytes % 2, .symmetrize = nbytes % 3 == 0};
	struct edges edges = {0};
	struct problem problem = {""};
	struct graph graph;

	if (nbytes == 0)
		return 0;
	if (load(bytes[0], file_of(bytes + 1, nbytes - 1), &edges, &problem) != 0) {
		if (!problem.text[0])
			abort(); /* refused without a word */
	} else if (edges.vertex_count <= VERTICES_BUILT_MAX) {
		if (graph_build(&graph, &edges, &shape, &problem) != 0)
			abort();
		search(&graph);
		graph_close(&graph);
	}
	edges_close(&edges);
	return 0;
}
