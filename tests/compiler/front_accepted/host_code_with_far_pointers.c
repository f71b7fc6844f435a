/* To the host `far` is nothing: its code may mix what kernels must keep apart. */
#include <nearside/kernel.h>
#include <nearside/nmem.h>
#include <stdlib.h>
#include <string.h>

struct graph {
	far uint32_t *rows;
	far struct graph *next;
};

static uint32_t cells[4];
static far uint32_t *rows = cells, *more[2] = {
	cells,
	&cells[1],
};
static struct graph root = {.rows = cells};

static void fill(uint32_t *to, const char *from)
{
	memcpy(to, from, 4);
}

static void host(struct graph *graph, int which)
{
	uint32_t local[4], *private = graph->rows;
	graph->rows = which ? local : graph->rows;
	fill(graph->rows, (const char *)private);
	far uint32_t cell = 3;
	graph->next = graph;
	rows = more[which] = root.rows = &cell;
	free(graph->rows);
}

NPROC_KERNEL int64_t first(const far struct graph *graph)
{
	return graph->rows[0];
}

int main(void)
{
	struct graph graph = {0};
	host(&graph, 0);
	return 0;
}
