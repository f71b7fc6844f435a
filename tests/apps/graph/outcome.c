#include "tests/apps/graph/outcome.h"

#include <inttypes.h>
#include <stdio.h>

static void print_edges(FILE *out, const struct edges *edges)
{
	char from[LABEL_BYTES], to[LABEL_BYTES];

	fprintf(out, "vertices %" PRIu64 "\nedges", edges->vertex_count);
	for (uint64_t i = 0; i < edges->count; i++)
		fprintf(out, " %s>%s", labels_text(&edges->labels, edges->edge[i].from, from),
			labels_text(&edges->labels, edges->edge[i].to, to));
	fprintf(out, "\n");
}

char *outcome_of(const char *path, bool compact_ids)
{
	struct edges edges = {0};
	struct problem problem;
	enum load_format format;
	char *text = NULL;
	size_t nbytes;
	FILE *out = open_memstream(&text, &nbytes);
	int error = load_format_of(path, &format, &problem);

	if (!error)
		error = load_file(path, format, compact_ids, &edges, &problem);
	if (error)
		fprintf(out, "error %s\n", problem.text);
	else
		print_edges(out, &edges);
	edges_close(&edges);
	fclose(out);
	return text;
}
