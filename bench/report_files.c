/* report_files.c - results as files: for programs, for docs/performance.md, for charts. */
#include "bench/report.h"

static FILE *create(const char *folder, const char *name, const char *suffix)
{
	char path[1024];

	snprintf(path, sizeof(path), "%s/%s%s", folder, name, suffix);
	return fopen(path, "w");
}

static bool finish(FILE *file)
{
	bool is_whole = !ferror(file);

	return fclose(file) == 0 && is_whole;
}

/*
 * "METHOD" VALUE ROLE: nanoseconds, or operations or bytes in a second; role 0 Nearside, 1 limit, 2
 * peer.
 */
static void print_row(FILE *file, const struct bench_result *result)
{
	for (unsigned i = 0; i < result->figure_count; i++) {
		const struct bench_figure *figure = &result->figures[i];

		if (figure->method && !figure->absent && figure->value > 0)
			fprintf(file, "\"%s\" %g %u\n", figure->method->name,
				bench_in_unit(result->row, figure->value), i < 2 ? i : 2);
	}
}

static bool write_row(const char *folder, const struct bench_result *result)
{
	FILE *file = create(folder, result->row->name, ".dat");

	if (!file)
		return false;
	print_row(file, result);
	return finish(file);
}

/* "ROW" RATIO: at most 1 is met. */
static bool write_goals(const char *folder, const struct bench_result *results, unsigned count)
{
	FILE *file = create(folder, "goals", ".dat");

	if (!file)
		return false;
	for (unsigned i = 0; i < count; i++)
		if (bench_judge(&results[i]) != BENCH_UNKNOWN && bench_goal_ratio(&results[i]) > 0)
			fprintf(file, "\"%s\" %g\n", results[i].row->title,
				bench_goal_ratio(&results[i]));
	return finish(file);
}

bool bench_files(const char *folder, const struct bench_result *results, unsigned count)
{
	FILE *json = create(folder, "results", ".json"), *table;

	if (!json)
		return false;
	bench_json(json, results, count);
	if (!finish(json))
		return false;
	table = create(folder, "table", ".md");
	if (!table)
		return false;
	bench_markdown(table, results, count);
	if (!finish(table))
		return false;
	for (unsigned i = 0; i < count; i++)
		if (!write_row(folder, &results[i]))
			return false;
	return write_goals(folder, results, count);
}
