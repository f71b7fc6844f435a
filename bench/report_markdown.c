/* report_markdown.c - the tables of docs/performance.md. */
#include "bench/report.h"

static void print_machine(FILE *file)
{
	struct bench_fact facts[BENCH_FACTS];
	unsigned count = bench_machine_facts(facts);

	for (unsigned i = 0; i < count; i++)
		fprintf(file, "- %s: %s\n", facts[i].name, facts[i].value);
	fprintf(file, "\n");
}

static const char *value_of(
	const struct bench_result *result, unsigned i, char *buffer, size_t nbytes)
{
	const struct bench_figure *figure = &result->figures[i];

	if (i >= result->figure_count || !figure->method)
		return "";
	if (figure->absent)
		return "not measured";
	return bench_words_value(result->row, figure->value, buffer, nbytes);
}

static void print_goal(FILE *file, const struct bench_result *result)
{
	const struct bench_method *limit =
		result->figure_count > 1 ? result->figures[1].method : NULL;
	char ours[32], theirs[32], ratio[32], goal[64], met[64], placement[128], others[64];

	fprintf(file, "| %s | %s | %s%s%s | %s | %s | %s | %s%s |\n", result->row->title,
		value_of(result, 0, ours, sizeof(ours)), limit ? limit->name : "",
		limit ? ": " : "", value_of(result, 1, theirs, sizeof(theirs)),
		bench_words_limit_ratio(result, ratio, sizeof(ratio)),
		bench_words_goal(result->row, goal, sizeof(goal)),
		result->row->goal.kind == BENCH_NO_GOAL ? ""
							: bench_words_met(result, met, sizeof(met)),
		bench_words_placement(result, placement, sizeof(placement)),
		bench_words_others(result, others, sizeof(others)));
}

static const char *nanoseconds_or_none(double value, char *buffer, size_t nbytes)
{
	return value > 0 ? bench_words_ns(value, buffer, nbytes) : "";
}

static void print_figure(FILE *file, const struct bench_result *result, unsigned i)
{
	const struct bench_figure *figure = &result->figures[i];
	char value[32], p99[32], cpu[32], lines[32] = "", ratio[32] = "";

	if (!figure->method)
		return;
	if (figure->absent) {
		fprintf(file, "| | %s | %s | | | | |\n", figure->method->name, figure->absent);
		return;
	}
	if (figure->lines > 0.01)
		snprintf(lines, sizeof(lines), "%.3g", figure->lines);
	if (i && result->figures[0].value > 0)
		snprintf(ratio, sizeof(ratio), "%.2f", figure->value / result->figures[0].value);
	fprintf(file, "| %s | %s%s | %s | %s | %s | %s | %s |\n", i ? "" : result->row->title,
		figure->method->name, figure->is_disturbed ? " (disturbed)" : "",
		value_of(result, i, value, sizeof(value)),
		nanoseconds_or_none(figure->p99, p99, sizeof(p99)),
		nanoseconds_or_none(figure->cpu_ns, cpu, sizeof(cpu)), lines, ratio);
}

void bench_markdown(FILE *file, const struct bench_result *results, unsigned count)
{
	print_machine(file);
	fprintf(file, "| measured, in-process | Nearside | limit | ratio | goal | | repeats |\n"
		      "|---|---|---|---|---|---|---|\n");
	for (unsigned i = 0; i < count; i++)
		print_goal(file, &results[i]);
	fprintf(file,
		"\nAll figures of the same run, with peers. The last column is how many times as\n"
		"long as Nearside one takes, or how many times as much memory.\n\n"
		"| measured, in-process | by | median | p99 | cpu | lines | x as long |\n"
		"|---|---|---|---|---|---|---|\n");
	for (unsigned i = 0; i < count; i++)
		for (unsigned j = 0; j < results[i].figure_count; j++)
			print_figure(file, &results[i], j);
}
