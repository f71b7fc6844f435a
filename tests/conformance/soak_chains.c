/*
 * soak_chains SECONDS: random chains (chains.h) in simulations and with threads, new seeds until
 * time is up.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "tests/conformance/chains.h"

static int try(uint64_t seed)
{
	char device[64], error[512];

	if (seed % 8)
		snprintf(device, sizeof device,
			"sim:seed=%" PRIu64 ",cores=%" PRIu64 ",faults=%" PRIu64, seed,
			seed % 4 + 1, seed / 4 % 2);
	else
		snprintf(device, sizeof device, "inproc:cores=%" PRIu64, seed / 8 % 4 + 1);
	if (!chains_run(device, TEST_KERNELS_PATH, seed, 3, error, sizeof error))
		return 0;
	printf("chains from seed %" PRIu64 " on %s: %s\n", seed, device, error);
	return 1;
}

int main(int argc, char **argv)
{
	long seconds = argc == 2 ? strtol(argv[1], NULL, 10) : 0;
	uint64_t seed = (uint64_t)time(NULL) * 1000000;
	time_t end = time(NULL) + seconds;
	unsigned long runs = 0;

	if (seconds <= 0) {
		fprintf(stderr, "usage: soak_chains SECONDS\n");
		return 2;
	}
	for (; time(NULL) < end; seed++, runs++)
		if (try(seed))
			return 1;
	printf("%lu runs\n", runs);
	return 0;
}
