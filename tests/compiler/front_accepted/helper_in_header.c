#include "helper_in_header.h"

NPROC_KERNEL int64_t first_row(const far struct graph *graph)
{
	return row(graph, 0);
}

int main(void)
{
	struct graph graph = {0};
	free_graph(&graph);
	return 0;
}
