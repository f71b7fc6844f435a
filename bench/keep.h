/* keep.h - which samples can be compared. */
#ifndef NEARSIDE_BENCH_KEEP_H
#define NEARSIDE_BENCH_KEEP_H

#include <stdbool.h>

/* What was seen around one sample. */
struct bench_tag {
	double low, high; /* shortest and longest bounce, in ns; 0: the row has one side */
	double others;    /* part of all processors' time that other programs took */
	double waited;    /* part of the time in which this program waited for a processor */
};

/* This program had the processors that it wanted, or was alone. */
bool bench_tag_is_quiet(const struct bench_tag *tag);
/* The processors stayed where they were. */
bool bench_tag_is_steady(const struct bench_tag *tag);
/* Two steady tags, or one and a bounce of now, are of one placement. */
bool bench_is_same_placement(double bounce, const struct bench_tag *tag);
/* How many are of the placement of this bounce. */
unsigned bench_placed(const struct bench_tag *tags, unsigned count, double bounce);

#endif
