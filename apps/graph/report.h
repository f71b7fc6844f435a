/* report.h - what the program says about a search, in text, as JSON, and vertex by vertex. */
#ifndef NEARSIDE_GRAPH_REPORT_H
#define NEARSIDE_GRAPH_REPORT_H

#include "apps/graph/device_search.h"
#include "apps/graph/options.h"
#include "apps/graph/output.h"

struct traffic {
	uint64_t lines_down, lines_up; /* all lines since the device was opened */
	uint64_t cpu_only_lines;       /* traffic_cpu_only() */
	uint64_t result_lines;         /* all depths and parents, read for --output and --verify */
	uint64_t far_bytes_read, far_bytes_written; /* by the processes on the device */
};

enum verdict {
	NOT_VERIFIED,
	VERIFIED,
	FOUND_WRONG
};

struct report {
	FILE *out; /* where it is said: stdout, or stderr while that takes --output */
	const struct options *options;
	const struct graph *graph;
	const struct device *device; /* NULL: there was nothing to search */
	const struct search *search;
	double cpu_seconds;
	struct traffic traffic;
	enum verdict verdict;
};

/* "1 line", "2 lines": the word for so many. */
const char *report_word(uint64_t count, const char *one, const char *many);

/* The graph's origin in a few words, into the buffer. Returns buffer. */
const char *report_origin(const struct options *options, char *buffer, size_t nbytes);

/* An error is one of writing. */
int report_text(const struct report *report, struct problem *problem);
int report_json(const struct report *report, struct problem *problem);

/* `vertex depth parent` of each vertex reached. Commits the output. */
int report_output(struct output *output, const struct graph *graph, const struct search *search,
	struct problem *problem);

/* A table of the levels, `top` examples each. */
int report_levels(const struct report *report, struct problem *problem);

#endif
