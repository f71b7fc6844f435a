/*
 * soak_nipc SECONDS: peers that are killed at random points, and peers that scribble, with new
 * seeds until time is up, and 1000 kills at least.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "tests/host/nipc/ends.h"
#include "tests/host/nipc/hostile.h"
#include "tests/host/nipc/kills.h"

enum {
	KILLS = 1000,
	BYTES = 3000
};

static void scribble(uint64_t *random)
{
	uint64_t bytes[BYTES / 8];

	for (unsigned i = 0; i < BYTES / 8; i++)
		bytes[i] = next_random(random);
	hostile_run((const uint8_t *)bytes, sizeof bytes);
}

int main(int argc, char **argv)
{
	long seconds = argc == 2 ? strtol(argv[1], NULL, 10) : 0;
	time_t end = time(NULL) + seconds;
	uint64_t random = new_seed();
	unsigned long kills = 0;

	if (seconds <= 0) {
		fprintf(stderr, "usage: soak_nipc SECONDS\n");
		return 2;
	}
	for (; kills < KILLS || time(NULL) < end; kills++) {
		const char *wrong = kills_run(&random);

		if (wrong) {
			printf("kill %lu: %s\n", kills, wrong);
			return 1;
		}
		scribble(&random);
	}
	printf("%lu kills\n", kills);
	return 0;
}
