/* keep.h - which repeats can be compared. */
#ifndef NEARSIDE_BENCH_KEEP_H
#define NEARSIDE_BENCH_KEEP_H

#include <stdbool.h>

/* What was seen during one sample, or during all of a repeat. */
struct bench_tag {
	double low, high; /* shortest and longest bounce, in ns; 0: the row has one side */
	double others;    /* part of all processors' time that other programs took */
	double waited;    /* part of the time in which this program waited for a processor */
};

/* This program had the processors that it wanted, or was alone. */
bool bench_tag_is_quiet(const struct bench_tag *tag);
/* So it is, and placement stayed. */
bool bench_tag_is_good(const struct bench_tag *tag);
void bench_tag_add(struct bench_tag *sum, const struct bench_tag *tag);
/* Of the good ones, the most that are of one placement: keep[i] says which. Returns how many. */
unsigned bench_keep(const struct bench_tag *tags, unsigned count, bool *keep);

#endif
