/*
 * openmp.c COUNT - an OpenMP target region on the host plug-in of LLVM, with one word of result.
 * Prints nanoseconds for one, the 99th percentile, and the processor time of all threads for one.
 */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/bench.h"

static int64_t run(int64_t word)
{
	int64_t result = 0;

#pragma omp target map(from : result) firstprivate(word)
	result = word;
	return result;
}

static void measure(struct bench_side *side)
{
	int64_t wrong = 0;

	for (int64_t i = 0; i < 100; i++)
		wrong |= run(i) ^ i;
	bench_begin(side);
	for (int64_t i = 0; i < (int64_t)side->count; i++) {
		wrong |= run(i) ^ i;
		bench_lap(side);
	}
	bench_end(side, side->count);
	if (wrong)
		exit(1);
}

int main(int argc, char **argv)
{
	struct bench_side side = {.count = argc > 1 ? strtoul(argv[1], NULL, 10) : 1};

	if (argc > 1 && !strcmp(argv[1], "--version")) {
		printf("LLVM %s\n", __clang_version__);
		return 0;
	}
	if (omp_get_num_devices() == 0) {
		fprintf(stderr, "OpenMP sees no device to offload to\n");
		return 1;
	}
	side.laps = malloc(side.count * sizeof(*side.laps));
	measure(&side);
	printf("%f %f %f\n", side.value, bench_p99(&side), side.cpu_ns);
	free(side.laps);
	return 0;
}
