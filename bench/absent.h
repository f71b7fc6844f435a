/* absent.h - methods of a library that this program was built without. */
#ifndef NEARSIDE_BENCH_ABSENT_H
#define NEARSIDE_BENCH_ABSENT_H

#include "bench/bench.h"

#define BENCH_ABSENT(symbol, name, package)                                   \
	static const char *symbol##_is_absent(struct bench_side *side)        \
	{                                                                     \
		(void)side;                                                   \
		return "built without it: install " package " and configure"; \
	}                                                                     \
	const struct bench_method symbol = {name, 1, symbol##_is_absent, NULL, NULL};

#endif
