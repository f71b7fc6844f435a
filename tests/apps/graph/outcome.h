/* outcome.h - a loaded graph file as text, to be compared with what was expected. */
#ifndef NEARSIDE_TESTS_GRAPH_OUTCOME_H
#define NEARSIDE_TESTS_GRAPH_OUTCOME_H

#include "apps/graph/load.h"

/* "vertices N\nedges a>b c>d\n", or "error MESSAGE\n"; to be freed. */
char *outcome_of(const char *path, bool compact_ids);

#endif
