#include <inttypes.h>
#include <stdio.h>

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

const char *report_word(uint64_t count, const char *one, const char *many)
{
	return count == 1 ? one : many;
}

static const char *lines(uint64_t count)
{
	return report_word(count, "line", "lines");
}

static const char *vertices(uint64_t count)
{
	return report_word(count, "vertex", "vertices");
}

static void print_search(const struct report *report)
{
	const struct search *search = report->search;
	char label[LABEL_BYTES];

	if (search->source == NO_VERTEX) {
		fprintf(report->out, "search    nothing to search\n");
		return;
	}
	fprintf(report->out,
		"search    from %s: reached %" PRIu64 " %s, depth %u, widest level %u (%" PRIu64
		" %s)\n",
		labels_text(&report->graph->labels, search->source, label), search->reached,
		vertices(search->reached), search->max_depth, search->widest_level,
		search->widest_count, vertices(search->widest_count));
}

static void print_time(const struct report *report)
{
	if (report->device)
		fprintf(report->out,
			"time      %.6f s on %u %s of %s; the host's CPU alone: %.6f s\n",
			report->search->seconds, report->device->cores,
			report_word(report->device->cores, "core", "cores"),
			report->device->info.name, report->cpu_seconds);
}

/* In brackets, a line for each part that ends with a semicolon. */
static void print_clauses(FILE *out, const char *text)
{
	fputs("          (", out);
	for (; *text; text++)
		if (text[0] == ';' && text[1] == ' ')
			fputs(";\n          ", out);
		else
			fputc(*text, out);
	fputs(")\n", out);
}

static void print_traffic(const struct report *report)
{
	const struct traffic *traffic = &report->traffic;
	uint64_t both = traffic->lines_down + traffic->lines_up;

	if (!report->device)
		return;
	fprintf(report->out,
		"traffic   %" PRIu64 " %s of 64 bytes between host and device: %" PRIu64
		" down, %" PRIu64 " up\n",
		both, lines(both), traffic->lines_down, traffic->lines_up);
	fprintf(report->out,
		"          the processes, beside far memory, read %" PRIu64 " and wrote %" PRIu64
		" of its bytes\n",
		traffic->far_bytes_read, traffic->far_bytes_written);
	fprintf(report->out,
		"          a search by the CPU alone fetches %" PRIu64 " %s at least\n",
		traffic->cpu_only_lines, lines(traffic->cpu_only_lines));
	print_clauses(report->out, traffic_rule);
	fprintf(report->out,
		"          reading all depths and parents afterwards, as --verify and --output do: "
		"%" PRIu64 " %s\n",
		traffic->result_lines, lines(traffic->result_lines));
}

static void print_verdict(const struct report *report)
{
	if (report->verdict == VERIFIED)
		fprintf(report->out,
			"verified  same vertices at the same depths as the search by the CPU alone;\n"
			"          every parent is one level up, by an edge\n");
	else if (report->verdict == FOUND_WRONG)
		fprintf(report->out,
			"WRONG     the result is not that of the search by the CPU alone\n");
}

int report_text(const struct report *report, struct problem *problem)
{
	const struct graph *graph = report->graph;
	char origin[LABEL_BYTES];
	int error = 0;

	fprintf(report->out, "graph     %" PRIu64 " %s, %" PRIu64 " %s: %s\n", graph->vertex_count,
		vertices(graph->vertex_count), graph->edge_count,
		report_word(graph->edge_count, "edge", "edges"),
		report_origin(report->options, origin, sizeof origin));
	print_search(report);
	if (report->options->top)
		error = report_levels(report, problem);
	print_time(report);
	print_traffic(report);
	print_verdict(report);
	return error ? error : printed_all(report->out, problem);
}
