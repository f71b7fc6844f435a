#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apps/graph/report.h"

enum {
	SECONDS_DIGITS = 6 /* significant; what is behind them differs from run to run */
};

static json_t *count(uint64_t value)
{
	return json_integer((json_int_t)value);
}

/* Text from outside may be anything; JSON is UTF-8. */
static json_t *text_of(const char *text)
{
	char copy[LABEL_BYTES];
	json_t *string = json_string(text);

	if (string)
		return string;
	snprintf(copy, sizeof copy, "%s", text);
	for (char *c = copy; *c; c++)
		*c = (unsigned char)*c < 0x80 ? *c : '?';
	return json_string(copy);
}

static json_t *label(const struct report *report, uint32_t vertex)
{
	const struct labels *labels = &report->graph->labels;
	char text[LABEL_BYTES];
	uint64_t id;

	if (vertex == NO_VERTEX)
		return json_null();
	labels_text(labels, vertex, text);
	id = strtoull(text, NULL, 10);
	return labels->names || id > INT64_MAX ? text_of(text) : count(id);
}

static json_t *verdict(enum verdict verdict)
{
	return verdict == NOT_VERIFIED ? json_null() : json_boolean(verdict == VERIFIED);
}

static json_t *traffic_object(const struct traffic *traffic)
{
	return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:s}", "lines_down",
		count(traffic->lines_down), "lines_up", count(traffic->lines_up), "lines",
		count(traffic->lines_down + traffic->lines_up), "cpu_only_lines",
		count(traffic->cpu_only_lines), "result_lines", count(traffic->result_lines),
		"far_bytes_read", count(traffic->far_bytes_read), "far_bytes_written",
		count(traffic->far_bytes_written), "cpu_only_rule", traffic_rule);
}

static json_t *object(const struct report *report)
{
	const struct search *search = report->search;
	const struct device *device = report->device;
	char origin[LABEL_BYTES];

	report_origin(report->options, origin, sizeof origin);
	return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:f, s:f, s:o, s:o, s:o, s:o}",
		"graph", text_of(origin), "vertices", count(search->vertex_count), "edges",
		count(report->graph->edge_count), "source", label(report, search->source),
		"reached", count(search->reached), "max_depth", count(search->max_depth),
		"widest_level", count(search->widest_level), "widest_level_vertices",
		count(search->widest_count), "seconds", search->seconds, "cpu_seconds",
		report->cpu_seconds, "device", device ? text_of(device->info.name) : json_null(),
		"cores", count(device ? device->cores : 0), "verified", verdict(report->verdict),
		"traffic", traffic_object(&report->traffic));
}

int report_json(const struct report *report, struct problem *problem)
{
	json_t *root = object(report);
	int result;

	if (!root)
		return problem_no_memory(problem, "JSON", 0);
	result =
		json_dumpf(root, report->out, JSON_INDENT(2) | JSON_REAL_PRECISION(SECONDS_DIGITS));
	json_decref(root);
	if (result == 0)
		putc('\n', report->out);
	else if (!ferror(report->out))
		return problem_no_memory(problem, "JSON", 0);
	return printed_all(report->out, problem);
}
