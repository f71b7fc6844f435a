/* report_text.c - the table for people. */
#include <string.h>

#include "bench/report.h"

void bench_text_begin(FILE *file)
{
	struct bench_fact facts[BENCH_FACTS];
	unsigned count = bench_machine_facts(facts);

	for (unsigned i = 0; i < count; i++)
		fprintf(file, "%s%s: %s", i ? "; " : "", facts[i].name, facts[i].value);
	fprintf(file,
		"\nNearside's device is in-process. Medians; p99 is of single operations; cpu is\n"
		"the time of all threads for one operation. Ratios count, not nanoseconds.\n");
}

static void print_figure(FILE *file, const struct bench_result *result, unsigned i)
{
	const struct bench_figure *figure = &result->figures[i];
	double ours = result->figures[0].value;
	char value[32];

	if (!figure->method)
		return;
	fprintf(file, "    %-24s", figure->method->name);
	if (figure->absent) {
		fprintf(file, " %s\n", figure->absent);
		return;
	}
	fprintf(file, " %12s", bench_words_value(result->row, figure->value, value, sizeof(value)));
	if (figure->p99 > 0)
		fprintf(file, "   p99 %8s", bench_words_ns(figure->p99, value, sizeof(value)));
	if (figure->cpu_ns > 0)
		fprintf(file, "   cpu %8s", bench_words_ns(figure->cpu_ns, value, sizeof(value)));
	if (figure->lines > 0.01)
		fprintf(file, "   %.3g lines", figure->lines);
	if (i == 1 && ours > 0)
		fprintf(file, "   the limit; Nearside: %s",
			bench_words_limit_ratio(result, value, sizeof(value)));
	else if (i && ours > 0)
		fprintf(file, "   %.2f x %sNearside", figure->value / ours,
			result->row->unit == BENCH_BYTES ? "" : "as long as ");
	fprintf(file, "%s\n", figure->is_disturbed ? "   (disturbed)" : "");
}

void bench_text_row(FILE *file, const struct bench_result *result)
{
	char placement[128], others[64], goal[64], met[64];

	fprintf(file, "\n%s: %s%s\n", result->row->title,
		bench_words_placement(result, placement, sizeof(placement)),
		bench_words_others(result, others, sizeof(others)));
	for (unsigned i = 0; i < result->figure_count; i++)
		print_figure(file, result, i);
	if (result->row->goal.kind != BENCH_NO_GOAL)
		fprintf(file, "    goal: %s: %s\n",
			bench_words_goal(result->row, goal, sizeof(goal)),
			bench_words_met(result, met, sizeof(met)));
	fflush(file);
}
