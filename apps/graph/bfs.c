/*
 * bfs.c - the steps of `nearside-graph bfs`, in order: options, output, graph, source, search by
 * the CPU alone, search by the device, verdict, report. Each step either goes on or says what is
 * wrong and with which exit code to end.
 */
#include "apps/graph/bfs.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "apps/graph/options.h"
#include "apps/graph/packages.h"
#include "apps/graph/progress.h"
#include "apps/graph/report.h"

static enum exit_code complain(enum exit_code code, const struct problem *problem)
{
	progress_done();
	fprintf(stderr, "nearside-graph: %s\n", problem->text);
	return code;
}

static int read_file(const struct options *options, struct edges *edges, struct problem *problem)
{
	enum load_format format;
	int error;

	if (access(options->path, F_OK) != 0)
		return problem_set(
			problem, -errno, "%s: cannot open: %s", options->path, strerror(errno));
	if (options->format)
		error = load_format_named(options->format, &format, problem);
	else
		error = load_format_of(options->path, &format, problem);
	return error ? error
		     : load_file(options->path, format, options->compact_ids, edges, problem);
}

static int read_packages(struct edges *edges, struct problem *problem)
{
	uint64_t unknown;
	int error;

	progress("reading the packages that apt knows");
	error = packages_from_apt(edges, &unknown, problem);
	progress_done();
	if (!error && unknown > 0)
		fprintf(stderr,
			"nearside-graph: note: left out %" PRIu64
			" %s to packages that no list has (mostly suggestions)\n",
			unknown, report_word(unknown, "relation", "relations"));
	return error;
}

static int read_edges(const struct options *options, struct edges *edges, struct problem *problem)
{
	if (options->origin == FROM_FILE)
		return read_file(options, edges, problem);
	if (options->origin == FROM_APT)
		return read_packages(edges, problem);
	return generate(&options->generate, edges, problem);
}

static int get_graph(const struct options *options, struct graph *graph, struct problem *problem)
{
	struct graph_shape shape = options->shape;
	struct edges edges = {0};
	int error = read_edges(options, &edges, problem);

	shape.symmetrize |= options->origin == FROM_GENERATOR;
	progress("building the graph: vertices: %" PRIu64 ", edges: %" PRIu64, edges.vertex_count,
		edges.count);
	*graph = (struct graph){0};
	if (!error)
		error = graph_build(graph, &edges, &shape, problem);
	edges_close(&edges);
	if (!error && graph->edge_count == 0 && !options->allow_empty)
		error = problem_set(problem, -EINVAL,
			"the graph is empty: %" PRIu64 " %s, no edges; --allow-empty accepts that",
			graph->vertex_count,
			report_word(graph->vertex_count, "vertex", "vertices"));
	return error;
}

/* NO_VERTEX in a graph without vertices, of which an unspecified source may be made. */
static int choose_source(const struct options *options, const struct graph *graph, uint32_t *source,
	struct problem *problem)
{
	if (options->source)
		return labels_find(
			&graph->labels, graph->vertex_count, options->source, source, problem);
	*source = graph->vertex_count ? 0 : NO_VERTEX;
	for (uint64_t v = 0; v < graph->vertex_count; v++) {
		if (graph_degree(graph, (uint32_t)v) > 0) {
			*source = (uint32_t)v;
			break;
		}
	}
	return 0;
}

static int search_on_device(const struct options *options, const struct graph *graph,
	struct device *device, struct search *search, struct traffic *traffic,
	struct problem *problem)
{
	uint64_t result_nbytes =
		graph->vertex_count * (sizeof *search->depth + sizeof *search->parent);
	struct nproc_stats stats;
	int error = device_open(device, options->device, options->cores, graph, problem);

	if (!error)
		error = device_place(device, graph, problem);
	if (error)
		return error;
	progress("searching on %u %s of %s", device->cores,
		report_word(device->cores, "core", "cores"), device->info.name);
	error = device_run(device, search->source, search, problem);
	if (error)
		return error;
	error = nproc_stats(device->handle, &stats);
	if (error)
		return device_problem(device, error, "counting lines", problem);
	traffic->lines_down = stats.lines_down;
	traffic->lines_up = stats.lines_up;
	traffic->far_bytes_read = stats.far_bytes_read;
	traffic->far_bytes_written = stats.far_bytes_written;
	traffic->result_lines = (result_nbytes + 63) / 64;
	return 0;
}

/* Everything that is said about a result. */
static enum exit_code conclude(
	struct report *report, const struct search *right, struct output *output)
{
	const struct options *options = report->options;
	struct problem problem, wrong;
	int error = 0;

	if (options->verify && search_verify(report->graph, report->search, right, &wrong) != 0)
		report->verdict = FOUND_WRONG;
	else if (options->verify)
		report->verdict = VERIFIED;
	progress_done();
	error = options->json ? report_json(report, &problem) : report_text(report, &problem);
	if (!error && options->output && report->verdict != FOUND_WRONG)
		error = report_output(output, report->graph, report->search, &problem);
	if (error)
		return complain(EXIT_BAD_INPUT, &problem);
	return report->verdict == FOUND_WRONG ? complain(EXIT_BAD_INPUT, &wrong) : EXIT_OK;
}

/* Both searches and what is to be said about them. */
static enum exit_code search(const struct options *options, const struct graph *graph,
	uint32_t source, struct output *output)
{
	struct search right = {0}, found = {0};
	struct device device = {0};
	struct report report = {
		.options = options, .graph = graph, .search = &found, .out = stdout};
	struct problem problem;
	enum exit_code code;
	int error;

	if (options->output && output_is_stdout(options->output))
		report.out = stderr;
	progress("searching by the CPU alone");
	error = search_on_cpu(graph, source, &right, &problem);
	if (!error)
		error = traffic_cpu_only(graph, &right, &report.traffic.cpu_only_lines, &problem);
	if (!error)
		error = search_open(&found, graph->vertex_count, source, &problem);
	code = error ? EXIT_BAD_INPUT : EXIT_OK;
	if (!error && source != NO_VERTEX) {
		report.device = &device;
		error = search_on_device(
			options, graph, &device, &found, &report.traffic, &problem);
		code = error ? EXIT_DEVICE : EXIT_OK;
	}
	report.cpu_seconds = right.seconds;
	code = error ? complain(code, &problem) : conclude(&report, &right, output);
	device_close(&device);
	search_close(&found);
	search_close(&right);
	return code;
}

static enum exit_code search_graph(const struct options *options, struct output *output)
{
	struct graph graph = {0};
	struct problem problem;
	enum exit_code code;
	uint32_t source;
	int error = get_graph(options, &graph, &problem);

	if (!error)
		error = choose_source(options, &graph, &source, &problem);
	code = error ? complain(EXIT_BAD_INPUT, &problem) : search(options, &graph, source, output);
	graph_close(&graph);
	return code;
}

int bfs_command(int argc, char **argv)
{
	struct options options;
	struct output output = {.fd = -1};
	struct problem problem;
	enum exit_code code;

	if (!options_read(&options, argc, argv, &code))
		return (int)code;
	if (options.output && output_open(&output, options.output, options.path, &problem) != 0)
		return (int)complain(EXIT_BAD_INPUT, &problem);
	code = search_graph(&options, &output);
	output_close(&output);
	return (int)code;
}
