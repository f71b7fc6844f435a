/*
 * test_turns.c - whose turn it is on a core, counted in runs.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "device/core_int.h"
#include "tests/device/fixture.h"

enum {
	RUNS_PER_STEP = 64,
};

static void spawn_yielder(struct machine *machine, uint32_t id, unsigned weight)
{
	const uint64_t words[4] = {0};
	struct machine_spawn spawn = {.self = nreg_self(id, 1),
		.image = MACHINE_IMAGE,
		.kernel = YIELD,
		.words = words,
		.word_count = 4,
		.weight = weight};

	machine_spawn(machine, &spawn);
}

static uint64_t turns_of(const struct machine *machine, uint32_t id)
{
	const struct process *process = process_by_id(ndev_core(machine->device, 0), id);
	const uint64_t *frame = (const uint64_t *)(const void *)(process + 1);

	return frame[2]; /* its second word */
}

static void step(struct machine *machine, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		machine_step_core(machine, 0);
}

static void turns_are_shared_as_the_weights_say(void **state)
{
	static const unsigned weights[] = {1, 4, 8};
	struct machine *machine = *state;

	for (uint32_t i = 0; i < 3; i++)
		spawn_yielder(machine, i + 1, weights[i]);
	step(machine, 13);

	for (uint32_t i = 0; i < 3; i++)
		assert_int_equal(turns_of(machine, i + 1), RUNS_PER_STEP * weights[i]);
}

static void the_heaviest_process_does_not_starve_a_crowd(void **state)
{
	struct machine *machine = *state;

	for (uint32_t id = 1; id <= 7; id++)
		spawn_yielder(machine, id, id == 1 ? NK_WEIGHT_MAX : 0);
	step(machine, 14);

	assert_int_equal(turns_of(machine, 1), RUNS_PER_STEP * NK_WEIGHT_MAX);
	for (uint32_t id = 2; id <= 7; id++)
		assert_int_equal(turns_of(machine, id), RUNS_PER_STEP);
}

static void a_heavy_process_alone_goes_on(void **state)
{
	struct machine *machine = *state;

	spawn_yielder(machine, 1, 3);
	step(machine, 10);
	assert_int_equal(turns_of(machine, 1), 10 * RUNS_PER_STEP);

	spawn_yielder(machine, 2, 1);
	step(machine, 4);
	assert_in_range(turns_of(machine, 2), RUNS_PER_STEP - 1, RUNS_PER_STEP + 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CLAIM(turns_are_shared_as_the_weights_say),
		CLAIM(the_heaviest_process_does_not_starve_a_crowd),
		CLAIM(a_heavy_process_alone_goes_on),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
