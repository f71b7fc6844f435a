#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
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

/* A new file under another name takes the place of the old one only when it is complete. */
static int replace(const char *path, const struct graph *graph, const struct search *search)
{
	char *temporary;
	int fd, error;

	if (asprintf(&temporary, "%s.%ld.tmp", path, (long)getpid()) < 0)
		return -ENOMEM;
	fd = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	if (fd < 0) {
		error = -errno;
		free(temporary);
		return error;
	}
	error = write_vertices(fd, graph, search);
	if (!error && rename(temporary, path) != 0)
		error = -errno;
	if (error)
		unlink(temporary);
	free(temporary);
	return error;
}

/* What is no ordinary file (/dev/null, a FIFO) is written to, not replaced. */
static int write_to(const char *path, const struct graph *graph, const struct search *search)
{
	char *real = realpath(path, NULL); /* through symbolic links; NULL: it does not exist yet */
	struct stat status;
	int fd, error;

	if (real && stat(real, &status) == 0 && !S_ISREG(status.st_mode)) {
		fd = open(real, O_WRONLY | O_CLOEXEC);
		error = fd < 0 ? -errno : write_vertices(fd, graph, search);
	} else {
		error = replace(real ? real : path, graph, search);
	}
	free(real);
	return error;
}

int report_output(const char *path, const struct graph *graph, const struct search *search,
	struct problem *problem)
{
	int error = write_to(path, graph, search);

	return error ? problem_set(problem, error, "%s: cannot write: %s", path, strerror(-error))
		     : 0;
}
