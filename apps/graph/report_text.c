#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "apps/graph/report.h"

static const char *graph_name(const struct options *options)
{
	switch (options->origin) {
	case FROM_APT:
		return "packages known to apt";
	case FROM_GENERATOR:
		return options->generate.kind == GENERATE_KRON ? "kron" : "uniform";
	default:
		return options->path;
	}
}

const char *report_origin(const struct options *options, char *buffer, size_t nbytes)
{
	const struct generate_options *generate = &options->generate;

	if (options->origin == FROM_GENERATOR)
		snprintf(buffer, nbytes, "%s %u, degree %u, seed %" PRIu64, graph_name(options),
			generate->scale, generate->degree, generate->seed);
	else
		snprintf(buffer, nbytes, "%s%s%s", graph_name(options),
			options->shape.reverse ? ", reversed" : "",
			options->shape.symmetrize ? ", symmetrized" : "");
	return buffer;
}

static void print_search(const struct report *report)
{
	const struct search *search = report->search;
	char label[LABEL_BYTES];

	if (search->source == NO_VERTEX) {
		printf("search    nothing to search\n");
		return;
	}
	printf("search    from %s: reached %" PRIu64
	       " vertices, depth %u, widest level %u (%" PRIu64 " vertices)\n",
		labels_text(&report->graph->labels, search->source, label), search->reached,
		search->max_depth, search->widest_level, search->widest_count);
}

static void print_time(const struct report *report)
{
	if (report->device)
		printf("time      %.6f s on %u core%s of %s; the host's CPU alone: %.6f s\n",
			report->search->seconds, report->device->cores,
			report->device->cores == 1 ? "" : "s", report->device->info.name,
			report->cpu_seconds);
}

static void print_traffic(const struct report *report)
{
	const struct traffic *traffic = &report->traffic;

	if (!report->device)
		return;
	printf("traffic   %" PRIu64 " lines of 64 bytes between host and device: %" PRIu64
	       " down, %" PRIu64 " up\n",
		traffic->lines_down + traffic->lines_up, traffic->lines_down, traffic->lines_up);
	printf("          a search by the CPU alone fetches %" PRIu64 " lines at least\n",
		traffic->cpu_only_lines);
	printf("          (%s)\n", traffic_rule);
	printf("          reading all depths and parents afterwards, as --verify and --output do: %" PRIu64
	       " lines\n",
		traffic->result_lines);
}

static void print_verdict(const struct report *report)
{
	if (report->verdict == VERIFIED)
		printf("verified  same vertices at the same depths as the search by the CPU alone; every parent is one level "
		       "up, by an edge\n");
	else if (report->verdict == FOUND_WRONG)
		printf("WRONG     the result is not that of the search by the CPU alone\n");
}

int report_text(const struct report *report, struct problem *problem)
{
	char origin[LABEL_BYTES];
	int error = 0;

	printf("graph     %" PRIu64 " vertices, %" PRIu64 " edges: %s\n",
		report->graph->vertex_count, report->graph->edge_count,
		report_origin(report->options, origin, sizeof origin));
	print_search(report);
	if (report->options->top)
		error = report_levels(report, problem);
	print_time(report);
	print_traffic(report);
	print_verdict(report);
	if (error)
		return error;
	return fflush(stdout) == 0
		       ? 0
		       : problem_set(problem, -errno, "cannot write to standard output: %s",
				 strerror(errno));
}
