/*
 * test_copies.c - scratch memory, and copies that go on beside processes: in pieces, counted, and
 * never after their process is gone.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "device/core_int.h"
#include "tests/device/fixture.h"

enum {
	BYTES = NK_SCRATCH_MAX,
	BYTES_PER_STEP = 4 * 4096,
	LEASES = MACHINE_SCRATCH / NK_SCRATCH_MAX,
};

static uint64_t far_of(struct machine *machine)
{
	grant(machine, 1, machine_far(machine), 2 * BYTES, true);
	return machine_far(machine);
}

static uint64_t copied(struct machine *machine)
{
	const unsigned char *far = (const unsigned char *)(uintptr_t)machine_far(machine);
	uint64_t nbytes = 0;

	while (nbytes < BYTES && far[nbytes] == 0x5a)
		nbytes++;
	return nbytes;
}

static uint64_t written(const struct machine *machine)
{
	return nreg_core(machine->region, 0)->status.far.written;
}

static void step(struct machine *machine)
{
	machine_step_core(machine, 0);
	machine_step_host(machine);
}

static void a_copy_is_done_in_pieces_and_counted(void **state)
{
	struct machine *machine = *state;
	uint64_t self = spawn_copies(machine, 1, far_of(machine), COPIES_WAIT);

	for (uint64_t steps = 1; steps <= BYTES / BYTES_PER_STEP; steps++) {
		assert_null(machine_exit(machine, self));
		step(machine);
		assert_int_equal(copied(machine), steps * BYTES_PER_STEP);
		assert_int_equal(written(machine), steps * BYTES_PER_STEP);
	}
	machine_settle(machine);
	expect_exit(machine, self, NMSG_EXITED, 5);
}

static void others_have_all_their_turns_beside_copies(void **state)
{
	const uint64_t words[4] = {0};
	struct machine *machine = *state;
	uint64_t far = far_of(machine);
	const uint64_t *turns;

	spawn(machine, YIELD, 9, words, 4);
	spawn_copies(machine, 1, far, COPIES_WAIT);
	spawn_copies(machine, 2, far + BYTES, COPIES_WAIT);
	for (unsigned i = 0; i < 4; i++)
		step(machine);

	turns = (const uint64_t *)(process_by_id(ndev_core(machine->device, 0), 9) + 1);
	assert_int_equal(turns[2], 4 * 64 - 2);
	/* Both are half done: one piece each in turn. */
	assert_int_equal(copied(machine), BYTES / 2);
	assert_int_equal(written(machine), BYTES);
}

static void a_process_that_returns_ends_after_its_copies(void **state)
{
	struct machine *machine = *state;
	uint64_t self = spawn_copies(machine, 1, far_of(machine), COPIES_RETURN);

	step(machine);
	assert_null(machine_exit(machine, self));
	machine_settle(machine);
	expect_exit(machine, self, NMSG_EXITED, 5);
	assert_int_equal(copied(machine), BYTES);
}

static void nothing_is_copied_for_a_process_that_is_gone(void **state)
{
	static const enum copies ways[] = {COPIES_YIELD, COPIES_WAIT, COPIES_RETURN};
	struct machine *machine = *state;
	uint64_t far = far_of(machine);

	for (uint32_t i = 0; i < 3; i++) {
		uint64_t self = spawn_copies(machine, i + 1, far, ways[i]);

		step(machine);
		machine_set_attention(machine, 0, self);
		machine_settle(machine);
		expect_exit(machine, self, NMSG_KILLED, 0);
		assert_int_equal(copied(machine), BYTES_PER_STEP);
		memset((void *)(uintptr_t)far, 0, BYTES);
	}
	assert_int_equal(nreg_core(machine->region, 0)->status.alive, 0);
}

static void a_fault_stops_the_copies_of_its_process(void **state)
{
	struct machine *machine = *state;
	uint64_t self = spawn_copies(machine, 1, far_of(machine), COPIES_FAULT);

	machine_settle(machine);
	expect_fault(machine, self, NK_FAULT_TRAP, 0, 8);
	assert_int_equal(copied(machine), 0);
}

static void a_copy_outside_the_segment_is_a_fault_at_its_start(void **state)
{
	struct machine *machine = *state;
	uint64_t far = far_of(machine);
	uint64_t self = spawn_copies(machine, 1, far + BYTES + 1, COPIES_WAIT);

	machine_settle(machine);
	expect_fault(machine, self, NK_FAULT_FAR_WRITE, far + BYTES + 1, 7);
	assert_int_equal(written(machine), 0);
}

static void a_core_leases_what_it_has_and_refuses_more(void **state)
{
	struct machine *machine = *state;
	uint64_t far = far_of(machine), self[LEASES + 1];

	for (unsigned round = 0; round < 3; round++) {
		for (uint32_t i = 0; i <= LEASES; i++)
			self[i] = spawn_copies(machine, i + 1, far, COPIES_YIELD);
		step(machine);
		step(machine);
		expect_exit(machine, self[LEASES], NMSG_REFUSED, -ENOMEM);
		for (uint32_t i = 0; i < LEASES; i++) {
			machine_set_attention(machine, 0, self[i]);
			step(machine);
			step(machine);
		}
		assert_int_equal(nreg_core(machine->region, 0)->status.alive, 0);
		machine_set_attention(machine, 0, 0);
		machine->exit_count = 0;
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CLAIM(a_copy_is_done_in_pieces_and_counted),
		CLAIM(others_have_all_their_turns_beside_copies),
		CLAIM(a_process_that_returns_ends_after_its_copies),
		CLAIM(nothing_is_copied_for_a_process_that_is_gone),
		CLAIM(a_fault_stops_the_copies_of_its_process),
		CLAIM(a_copy_outside_the_segment_is_a_fault_at_its_start),
		CLAIM(a_core_leases_what_it_has_and_refuses_more),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
