/* report_json.c - everything that was measured, for programs. */
#include <jansson.h>

#include "bench/report.h"

static void add(json_t *object, const char *key, double value)
{
	if (value > 0)
		json_object_set_new(object, key, json_real(value));
}

static json_t *figure_object(const struct bench_result *result, unsigned i)
{
	static const char *const roles[] = {"nearside", "limit", "peer"};
	const struct bench_figure *figure = &result->figures[i];
	json_t *object = json_object(), *samples = json_array();

	json_object_set_new(object, "method", json_string(figure->method->name));
	json_object_set_new(object, "role", json_string(roles[i < 2 ? i : 2]));
	json_object_set_new(object, "is_disturbed", json_boolean(figure->is_disturbed));
	if (figure->absent)
		json_object_set_new(object, "absent", json_string(figure->absent));
	else
		json_object_set_new(object, "value", json_real(figure->value));
	add(object, "p99_ns", figure->p99);
	add(object, "cpu_ns", figure->cpu_ns);
	add(object, "lines", figure->lines);
	for (unsigned j = 0; j < figure->sample_count; j++)
		json_array_append_new(samples, json_real(figure->samples[j]));
	json_object_set_new(object, "samples", samples);
	return object;
}

static json_t *row_object(const struct bench_result *result)
{
	static const char *const units[] = {"ns", "ns for one", "ns for one write", "bytes",
		"ns of processor time in a second"};
	json_t *object = json_object(), *figures = json_array();
	char goal[64];

	json_object_set_new(object, "name", json_string(result->row->name));
	json_object_set_new(object, "title", json_string(result->row->title));
	json_object_set_new(object, "device", json_string("in-process"));
	json_object_set_new(object, "value_is", json_string(units[result->row->unit]));
	json_object_set_new(object, "nbytes", json_integer((json_int_t)result->row->nbytes));
	json_object_set_new(object, "repeats", json_integer(result->repeats));
	json_object_set_new(object, "dropped", json_integer(result->dropped));
	json_object_set_new(object, "is_comparable", json_boolean(!result->is_mixed));
	add(object, "others", result->others);
	add(object, "bounce_ns", result->bounce_ns);
	if (result->row->goal.kind != BENCH_NO_GOAL)
		json_object_set_new(object, "goal",
			json_string(bench_words_goal(result->row, goal, sizeof(goal))));
	add(object, "of_limit", bench_limit_ratio(result));
	add(object, "of_goal", bench_goal_ratio(result));
	for (unsigned i = 0; i < result->figure_count; i++)
		if (result->figures[i].method)
			json_array_append_new(figures, figure_object(result, i));
	json_object_set_new(object, "figures", figures);
	return object;
}

void bench_json(FILE *file, const struct bench_result *results, unsigned count)
{
	json_t *whole = json_object(), *machine = json_object(), *rows = json_array();
	struct bench_fact facts[BENCH_FACTS];
	unsigned fact_count = bench_machine_facts(facts);

	for (unsigned i = 0; i < fact_count; i++)
		json_object_set_new(machine, facts[i].name, json_string(facts[i].value));
	for (unsigned i = 0; i < count; i++)
		json_array_append_new(rows, row_object(&results[i]));
	json_object_set_new(whole, "machine", machine);
	json_object_set_new(whole, "rows", rows);
	json_dumpf(whole, file, JSON_INDENT(2) | JSON_REAL_PRECISION(6));
	fprintf(file, "\n");
	json_decref(whole);
}
