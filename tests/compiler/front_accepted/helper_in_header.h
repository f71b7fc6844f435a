#pragma once
#include <nearside/kernel.h>
#include <stdio.h>

struct graph {
	far uint32_t *rows;
};

static inline void free_rows(void *rows)
{
	printf("%p\n", rows);
}

/* Host code: on the device `rows` would not convert to a private pointer. */
static inline void free_graph(struct graph *graph)
{
	free_rows(graph->rows);
}

static inline uint32_t row(const far struct graph *graph, unsigned n)
{
	return graph->rows[n];
}
