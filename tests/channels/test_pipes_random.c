/*
 * test_pipes_random.c - random lives of pipes between a host and cores, against a simple model.
 * Some are of packets, some have a capacity, some are read in several places, some were made by a
 * core. Every message carries its writer's number and its count; some writes are of several
 * messages. Claims, for each seed: messages of a writer arrive once, in order whoever reads them,
 * all of them before end of file; end of file comes only after every writer closed; a write after
 * the last reader closed fails with -EPIPE and nothing else does; when all is closed every pipe is
 * forgotten, every cell is free again, no promise is left, and no line made no sense.
 * NEARSIDE_SEED=N runs one seed.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "tests/channels/random_life.h"

enum {
	OPERATIONS = 6000,
	SEEDS = 150,
	/* Twice what all pipes need with the largest capacity: other windows hardly grow. */
	SCARCE_CELLS =
		2 * WORLD_PIPES *
		(NCHAN_CELLS_PER_END + (CORES + 1) * (2 * NCHAN_CELLS_PER_ACCOUNT + CAPACITY_MAX)),
};

static void live(uint64_t seed, uint64_t start, uint32_t cells, struct model *model)
{
	life_begin(model, seed, start, cells);
	for (unsigned i = 0; i < OPERATIONS; i++)
		life_go_on(model);
	life_end(model);
}

static void run_seeds(uint64_t start, uint32_t cells)
{
	const char *wanted = getenv("NEARSIDE_SEED");
	uint64_t first = wanted ? strtoull(wanted, NULL, 0) : 1;
	uint64_t last = wanted ? first : SEEDS;
	uint64_t messages = 0, ends_of_file = 0, broken = 0, handed_back = 0, passed_on = 0,
		 made = 0, delivered = 0, borrowed = 0;

	for (uint64_t seed = first; seed <= last; seed++) {
		struct model *model = malloc(sizeof(*model));

		print_message("seed %llu\r", (unsigned long long)seed);
		live(seed, start, cells, model);
		messages += model->messages;
		ends_of_file += model->ends_of_file;
		broken += model->broken;
		handed_back += model->handed_back;
		passed_on += model->passed_on;
		made += model->made;
		delivered += model->delivered;
		borrowed += model->borrowed;
		free(model);
	}
	assert_true(messages > 0);
	if (!wanted) {
		assert_true(ends_of_file > 0);
		assert_true(broken > 0);
		assert_true(handed_back > 0);
		assert_true(passed_on > 0);
		assert_true(made > 0);
		assert_true(delivered > borrowed && borrowed > 0);
	}
}

static void pipes_lose_and_repeat_nothing_in_random_lives(void **state)
{
	(void)state;
	run_seeds(0, WORLD_CELLS);
}

static void likewise_when_cells_are_scarce(void **state)
{
	(void)state;
	run_seeds(0, SCARCE_CELLS);
}

static void likewise_with_counters_that_pass_2_to_31_and_2_to_32_and_2_to_63(void **state)
{
	const uint64_t near[] = {1ull << 31, 1ull << 32, 1ull << 63, 0};

	(void)state;
	for (unsigned i = 0; i < sizeof(near) / sizeof(near[0]); i++)
		run_seeds(near[i] - 64 * 3, WORLD_CELLS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pipes_lose_and_repeat_nothing_in_random_lives),
		cmocka_unit_test(likewise_when_cells_are_scarce),
		cmocka_unit_test(likewise_with_counters_that_pass_2_to_31_and_2_to_32_and_2_to_63),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
