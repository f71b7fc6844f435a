#include <string.h>

#include "bench/report.h"

static int digits(double value)
{
	return value < 1 ? 3 : value < 10 ? 2 : value < 100 ? 1 : 0;
}

static void scaled(double value, const char *unit, char *buffer, size_t nbytes)
{
	static const struct {
		double from;
		const char *word;
	} steps[] = {{1e9, " G"}, {1e6, " M"}, {1e3, " k"}, {0, " "}};
	unsigned i = 0;

	while (value < steps[i].from)
		i++;
	value /= steps[i].from > 0 ? steps[i].from : 1;
	snprintf(buffer, nbytes, "%.*f%s%s", digits(value), value, steps[i].word, unit);
}

static void bytes(double value, char *buffer, size_t nbytes)
{
	if (value < 1e5)
		snprintf(buffer, nbytes, "%.0f bytes", value);
	else
		scaled(value, "B", buffer, nbytes);
}

const char *bench_words_ns(double value, char *buffer, size_t nbytes)
{
	if (value == 0)
		snprintf(buffer, nbytes, "0 ns");
	else if (value >= 1e6)
		snprintf(buffer, nbytes, "%.*f ms", digits(value / 1e6), value / 1e6);
	else if (value >= 1e4)
		snprintf(buffer, nbytes, "%.*f us", digits(value / 1e3), value / 1e3);
	else
		snprintf(buffer, nbytes, "%.*f ns", digits(value), value);
	return buffer;
}

const char *bench_words_value(
	const struct bench_row *row, double value, char *buffer, size_t nbytes)
{
	switch (row->unit) {
	case BENCH_NANOSECONDS:
	case BENCH_NS_IN_A_SECOND:
		bench_words_ns(value, buffer, nbytes);
		break;
	case BENCH_RATE:
		scaled(1e9 / value, "/s", buffer, nbytes);
		break;
	case BENCH_BYTE_RATE:
		scaled(1e9 * (double)row->nbytes / value, "B/s", buffer, nbytes);
		break;
	case BENCH_BYTES:
		bytes(value, buffer, nbytes);
		break;
	}
	return buffer;
}

const char *bench_words_goal(const struct bench_row *row, char *buffer, size_t nbytes)
{
	const struct bench_goal *goal = &row->goal;
	char value[32];

	switch (goal->kind) {
	case BENCH_NO_GOAL:
		snprintf(buffer, nbytes, "%s", "");
		break;
	case BENCH_TIMES_LIMIT:
		snprintf(buffer, nbytes, "at most %.3g x the limit", goal->value);
		break;
	case BENCH_PART_OF_LIMIT:
		snprintf(buffer, nbytes, "at least %.3g of the limit", goal->value);
		break;
	case BENCH_AT_MOST:
		if (row->unit == BENCH_BYTES)
			bytes(goal->value, value, sizeof(value));
		else
			bench_words_ns(goal->value, value, sizeof(value));
		snprintf(buffer, nbytes, "at most %s", value);
		break;
	case BENCH_AT_LEAST:
		scaled(goal->value, "/s", value, sizeof(value));
		snprintf(buffer, nbytes, "at least %s", value);
		break;
	}
	return buffer;
}

const char *bench_words_limit_ratio(const struct bench_result *result, char *buffer, size_t nbytes)
{
	double ratio = bench_limit_ratio(result);
	bool is_rate = result->row->unit == BENCH_RATE || result->row->unit == BENCH_BYTE_RATE;

	if (ratio > 0)
		snprintf(buffer, nbytes, is_rate ? "%.2f of it" : "%.2f x", ratio);
	else
		snprintf(buffer, nbytes, "%s", "");
	return buffer;
}

const char *bench_words_met(const struct bench_result *result, char *buffer, size_t nbytes)
{
	static const char *const verdicts[] = {"not judged", "met", "missed"};
	enum bench_verdict verdict = bench_judge(result);
	double ratio = bench_goal_ratio(result);

	if (verdict != BENCH_UNKNOWN && ratio > 0)
		snprintf(buffer, nbytes, "%s (%.2f of the goal)", verdicts[verdict], ratio);
	else
		snprintf(buffer, nbytes, "%s", verdicts[verdict]);
	return buffer;
}

const char *bench_words_placement(const struct bench_result *result, char *buffer, size_t nbytes)
{
	char where[64] = "";

	if (result->row->flags & BENCH_TWO_SIDED)
		snprintf(where, sizeof(where), "%s (bounce %.0f ns), ",
			bench_is_close(result->bounce_ns) ? "one physical core"
							  : "two physical cores",
			result->bounce_ns);
	if (result->is_mixed)
		snprintf(buffer, nbytes,
			"too few repeats that can be compared: run again when it is quiet");
	else
		snprintf(buffer, nbytes, "%s%u repeats, %u dropped", where, result->repeats,
			result->dropped);
	return buffer;
}

const char *bench_words_others(const struct bench_result *result, char *buffer, size_t nbytes)
{
	if (result->others < 0.03)
		snprintf(buffer, nbytes, "%s", "");
	else
		snprintf(buffer, nbytes, "; other programs took %.0f %% of the processors",
			result->others * 100);
	return buffer;
}
