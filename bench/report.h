/* report.h - what becomes of results. */
#ifndef NEARSIDE_BENCH_REPORT_H
#define NEARSIDE_BENCH_REPORT_H

#include <stdio.h>

#include "bench/bench.h"

/* ---- report_words.c: shared by all reports ---- */

/* A figure in its row's unit: "107 ns", "12.1 million/s". Returns buffer. */
const char *bench_words_value(
	const struct bench_row *row, double value, char *buffer, size_t nbytes);
/* "at most 1.25 x the limit". */
const char *bench_words_goal(const struct bench_row *row, char *buffer, size_t nbytes);
/* "4.75 x", "0.31 of it"; "" where there is no limit. */
const char *bench_words_limit_ratio(const struct bench_result *result, char *buffer, size_t nbytes);
/* "met (0.91 of the goal)". */
const char *bench_words_met(const struct bench_result *result, char *buffer, size_t nbytes);
/* "one physical core (bounce 93 ns), 7 repeats, 2 dropped". */
const char *bench_words_placement(const struct bench_result *result, char *buffer, size_t nbytes);
/* "; other programs took 31 % of the processors", or "" where that is little. */
const char *bench_words_others(const struct bench_result *result, char *buffer, size_t nbytes);
/* Time in the unit that suits it. */
const char *bench_words_ns(double value, char *buffer, size_t nbytes);

/* ---- report_text.c, report_json.c, report_markdown.c, report_files.c ---- */

void bench_text_begin(FILE *file);
void bench_text_row(FILE *file, const struct bench_result *result);
void bench_markdown(FILE *file, const struct bench_result *results, unsigned count);
/*
 * results.json, table.md and, for charts, goals.dat and a ROW.dat for each row. False: errno says
 * why.
 */
bool bench_files(const char *folder, const struct bench_result *results, unsigned count);
void bench_json(FILE *file, const struct bench_result *results, unsigned count);

/* ---- machine.c: what it was measured on; no name of a machine or person ---- */

enum {
	BENCH_FACTS = 16
};

struct bench_fact {
	const char *name;
	char value[160];
};

/* Returns how many. */
unsigned bench_machine_facts(struct bench_fact facts[BENCH_FACTS]);

#endif
