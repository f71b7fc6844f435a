/* main.c - nearside-bench: which rows, how often, in what form. */
#include <errno.h>
#include <fnmatch.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/bench.h"
#include "bench/progress.h"
#include "bench/report.h"

struct options {
	struct bench_plan plan;
	bool is_json, is_full, lists;
	const char *folder;    /* NULL: results go to standard output only */
	char *const *patterns; /* NULL-terminated */
};

_Noreturn void bench_die(const char *format, ...)
{
	va_list args;

	fprintf(stderr, "nearside-bench: ");
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fprintf(stderr, "\n");
	exit(1);
}

void bench_check(const struct bench_side *side, bool is_right)
{
	if (!is_right)
		bench_die("%s: %s gave a wrong answer", side->row->name, side->method->name);
}

static void print_help(void)
{
	printf("usage: nearside-bench [OPTION...] [ROW...]\n"
	       "Measures Nearside, in-process, beside its limits and beside what one would\n"
	       "take instead.\n"
	       "ROW is a name of --list, or a pattern such as 'rate-*'; none means all but\n"
	       "those of copy engines, 'engine-*', and bulk pipes, 'bulk-*'.\n"
	       "  --json        results as JSON on standard output, in place of the table\n"
	       "  --out=FOLDER  also writes results.json, table.md and data for charts there\n"
	       "  --list        the rows, with what they measure\n"
	       "  --full        the rows that take long, too\n"
	       "  --repeats=N   %d..%d, default 7; medians count\n"
	       "  --patience=S  seconds that a row may take while the processors move or other\n"
	       "                programs use them, default 8\n"
	       "  --help        this text\n",
		BENCH_REPEATS_MIN, BENCH_REPEATS_MAX);
}

static bool is_wanted(const struct bench_row *row, const struct options *options)
{
	if (!*options->patterns)
		return !(row->flags & BENCH_NAMED) &&
		       (options->is_full || !(row->flags & BENCH_FULL));
	for (char *const *pattern = options->patterns; *pattern; pattern++)
		if (!fnmatch(*pattern, row->name, 0))
			return true;
	return false;
}

static bool is_known(const char *pattern)
{
	for (unsigned i = 0; i < bench_row_count; i++)
		if (!fnmatch(pattern, bench_rows[i].name, 0))
			return true;
	return false;
}

static void list_rows(const struct options *options)
{
	char goal[64];

	for (unsigned i = 0; i < bench_row_count; i++) {
		const struct bench_row *row = &bench_rows[i];

		if (!is_wanted(row, options) && !(row->flags & (BENCH_FULL | BENCH_NAMED)))
			continue;
		printf("%-16s %s%s%s%s\n", row->name, row->title,
			row->goal.kind != BENCH_NO_GOAL ? "; goal: " : "",
			bench_words_goal(row, goal, sizeof(goal)),
			row->flags & BENCH_FULL    ? " (--full)"
			: row->flags & BENCH_NAMED ? " (when named)"
						   : "");
	}
}

/* What was printed has reached where it should. */
static void finish_output(void)
{
	if (fflush(stdout) || ferror(stdout))
		bench_die("cannot write to standard output: %s", strerror(errno));
}

static double number_of(const char *option, const char *text)
{
	char *end;
	double number = strtod(text, &end);

	if (end != text && !*end && number >= 0 && number <= 1e6)
		return number;
	fprintf(stderr, "nearside-bench: --%s takes a number from 0 to a million, not '%s'\n",
		option, text);
	exit(2);
}

static unsigned repeats_of(const char *text)
{
	double number = number_of("repeats", text);
	unsigned repeats = (unsigned)number;

	if (repeats == number && repeats >= BENCH_REPEATS_MIN && repeats <= BENCH_REPEATS_MAX)
		return repeats;
	fprintf(stderr, "nearside-bench: --repeats is %d..%d\n", BENCH_REPEATS_MIN,
		BENCH_REPEATS_MAX);
	exit(2);
}

static void parse(int argc, char **argv, struct options *options)
{
	static const struct option names[] = {{"json", no_argument, NULL, 'j'},
		{"list", no_argument, NULL, 'l'}, {"full", no_argument, NULL, 'f'},
		{"out", required_argument, NULL, 'o'}, {"patience", required_argument, NULL, 'p'},
		{"repeats", required_argument, NULL, 'r'}, {"help", no_argument, NULL, 'h'},
		{NULL, 0, NULL, 0}};
	int option;

	while ((option = getopt_long(argc, argv, "", names, NULL)) != -1) {
		if (option == 'h') {
			print_help();
			finish_output();
			exit(0);
		}
		if (option == '?')
			exit(2);
		options->is_json |= option == 'j';
		options->lists |= option == 'l';
		options->is_full |= option == 'f';
		if (option == 'o')
			options->folder = optarg;
		if (option == 'p')
			options->plan.patience_ns = number_of("patience", optarg) * 1e9;
		if (option == 'r')
			options->plan.repeats = repeats_of(optarg);
	}
	options->patterns = argv + optind;
	for (char *const *pattern = options->patterns; *pattern; pattern++) {
		if (!is_known(*pattern)) {
			fprintf(stderr, "nearside-bench: no row %s; see --list\n", *pattern);
			exit(2);
		}
	}
}

static void run(const struct options *options)
{
	struct bench_result *results = calloc(bench_row_count, sizeof(*results));
	unsigned wanted = 0, done = 0;

	if (!results)
		bench_die("no memory for results");
	for (unsigned i = 0; i < bench_row_count; i++)
		wanted += is_wanted(&bench_rows[i], options);
	bench_progress_begin(wanted);
	if (!options->is_json)
		bench_text_begin(stdout);
	for (unsigned i = 0; i < bench_row_count; i++) {
		if (!is_wanted(&bench_rows[i], options))
			continue;
		bench_run_row(&bench_rows[i], &options->plan, &results[done]);
		bench_progress_row_done();
		if (!options->is_json)
			bench_text_row(stdout, &results[done]);
		done++;
	}
	if (options->is_json)
		bench_json(stdout, results, done);
	if (options->folder && !bench_files(options->folder, results, done))
		bench_die("cannot write to %s: %s", options->folder, strerror(errno));
	free(results);
}

int main(int argc, char **argv)
{
	struct options options = {.plan = {7, 8e9}};

	parse(argc, argv, &options);
	if (options.lists) {
		list_rows(&options);
		finish_output();
		return 0;
	}
	if (!bench_find_processors())
		bench_die("two processors are needed to measure between them");
	run(&options);
	finish_output();
	return 0;
}
