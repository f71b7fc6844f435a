/*
 * engine_suite.h - what every copy engine must do, to the bit: each operation beside one that does
 * it byte by byte, over sizes and alignments. Bytes around a result must stay what they were.
 */
#ifndef NEARSIDE_TESTS_HOST_ENGINE_SUITE_H
#define NEARSIDE_TESTS_HOST_ENGINE_SUITE_H

#include "host/engine.h"

/* The operation as the header defines it, one byte after the other. */
void reference_do(struct nhost_op *op);

/* Fail with what differs. A batch is all alignments of one size, or one long operation. */
void suite_short_sizes(struct nhost_engine *engine, enum nhost_op_kind kind, size_t step);
void suite_long_sizes(struct nhost_engine *engine, enum nhost_op_kind kind);
void suite_overlaps(struct nhost_engine *engine);
void suite_results(struct nhost_engine *engine);

enum {
	SUITE_LONG = 2097152, /* the longest that is tried, but for a few bytes */
};

/* Numbers that look random and are the same in each run. */
void suite_scribble(void *to, size_t nbytes, uint64_t seed);

#endif
