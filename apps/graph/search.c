#include "apps/graph/search.h"

#include <stdlib.h>
#include <string.h>

int search_open(
	struct search *search, uint64_t vertex_count, uint32_t source, struct problem *problem)
{
	uint64_t nbytes = (vertex_count + 1) * sizeof *search->depth;

	*search = (struct search){.vertex_count = vertex_count, .source = source};
	search->depth = malloc(nbytes);
	search->parent = malloc(nbytes);
	if (!search->depth || !search->parent)
		return problem_no_memory(problem, "depths and parents", 2 * nbytes);
	memset(search->depth, 0xff, nbytes);
	memset(search->parent, 0xff, nbytes);
	return 0;
}

void search_close(struct search *search)
{
	free(search->depth);
	free(search->parent);
	*search = (struct search){0};
}
