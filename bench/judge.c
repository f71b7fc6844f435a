/* judge.c - figures against limits and goals. */
#include "bench/bench.h"

double bench_limit_ratio(const struct bench_result *result)
{
	double ours = result->figures[0].value, limit = result->figures[1].value;
	bool is_rate = result->row->unit == BENCH_RATE || result->row->unit == BENCH_BYTE_RATE;

	if (result->figure_count < 2 || !(ours > 0) || !(limit > 0))
		return 0;
	return is_rate ? limit / ours : ours / limit;
}

double bench_in_unit(const struct bench_row *row, double value)
{
	switch (row->unit) {
	case BENCH_RATE:
		return 1e9 / value;
	case BENCH_BYTE_RATE:
		return 1e9 * (double)row->nbytes / value;
	default:
		return value;
	}
}

double bench_goal_ratio(const struct bench_result *result)
{
	const struct bench_goal *goal = &result->row->goal;
	double ours = result->figures[0].value;

	if (result->figures[0].absent || !(goal->value > 0) || !(ours > 0))
		return 0;
	switch (goal->kind) {
	case BENCH_NO_GOAL:
		return 0;
	case BENCH_TIMES_LIMIT:
		return bench_limit_ratio(result) / goal->value;
	case BENCH_PART_OF_LIMIT:
		return bench_limit_ratio(result) > 0 ? goal->value / bench_limit_ratio(result) : 0;
	case BENCH_AT_MOST:
		return bench_in_unit(result->row, ours) / goal->value;
	case BENCH_AT_LEAST:
		return goal->value / bench_in_unit(result->row, ours);
	}
	return 0;
}

enum bench_verdict bench_judge(const struct bench_result *result)
{
	const struct bench_goal *goal = &result->row->goal;

	if (goal->kind == BENCH_NO_GOAL || result->figures[0].absent || result->is_mixed)
		return BENCH_UNKNOWN;
	if (goal->kind == BENCH_AT_MOST) /* which may be nothing at all */
		return bench_in_unit(result->row, result->figures[0].value) <= goal->value
			       ? BENCH_MET
			       : BENCH_MISSED;
	if (!(bench_goal_ratio(result) > 0))
		return BENCH_UNKNOWN;
	return bench_goal_ratio(result) <= 1 ? BENCH_MET : BENCH_MISSED;
}
