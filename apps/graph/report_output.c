#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "apps/graph/report.h"

/* Everything of the file is with the system, or an error says that it is not. */
static int write_vertices(int fd, const struct graph *graph, const struct search *search)
{
	char vertex[LABEL_BYTES], parent[LABEL_BYTES];
	FILE *file = fdopen(fd, "w");
	int error = 0;

	if (!file) {
		error = -errno;
		close(fd);
		return error;
	}
	if (fputs("# vertex depth parent\n", file) < 0)
		error = -errno;
	for (uint64_t v = 0; v < search->vertex_count && !error; v++) {
		if (search->depth[v] == NOT_REACHED)
			continue;
		if (fprintf(file, "%s %" PRIu32 " %s\n",
			    labels_text(&graph->labels, (uint32_t)v, vertex), search->depth[v],
			    labels_text(&graph->labels, search->parent[v], parent)) < 0)
			error = -errno;
	}
	if (fclose(file) != 0 && !error)
		error = -errno;
	return error;
}

int report_output(struct output *output, const struct graph *graph, const struct search *search,
	struct problem *problem)
{
	int fd = output_begin(output, problem), error;

	if (fd < 0)
		return fd;
	fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	error = fd < 0 ? -errno : write_vertices(fd, graph, search);
	return error ? output_problem(output, error, problem) : output_commit(output, problem);
}
