/* test_report.c - what a core tells the host about its processes, and what it leaves alone. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "device/core_int.h"
#include "tests/device/fixture.h"

enum {
	PROCESSES = 100,
	ROOM_KEPT = 15, /* lines that the core may still send */
};

static void each_process_is_told_of_once_and_then_the_end(void **state)
{
	struct machine *machine = *state;

	spawn_readers(machine, PROCESSES);
	machine_send(machine, 0, NCHAN_ASK, NULL, 0);
	machine_settle(machine);

	assert_int_equal(machine->state_count, PROCESSES + 1);
	for (uint32_t id = 1; id <= PROCESSES; id++) {
		const struct nmsg_state *told = &machine->states[id - 1];

		assert_int_equal(told->self, nreg_self(id, 1));
		assert_int_equal(told->waits_at, 1);
		assert_int_equal(told->end_count, 1);
		assert_int_equal(told->ends[0], 1);
	}
	assert_int_equal(machine->states[PROCESSES].self, 0);
}

/* A host that takes no lines: the core goes on with its work, and has room to tell of it. */
static void a_report_leaves_room_for_what_the_core_has_to_say(void **state)
{
	struct machine *machine = *state;
	struct ndev_core *core = ndev_core(machine->device, 0);

	spawn_readers(machine, PROCESSES);
	machine_send(machine, 0, NCHAN_ASK, NULL, 0);
	for (int i = 0; i < 20; i++)
		machine_step_core(machine, 0);

	assert_true(core->owes_report);
	assert_true(nchan_place_room(&core->place, NCHAN_HOST) >= ROOM_KEPT);
	assert_true(ndev_core_may_sleep(core));
	machine_settle(machine);
	assert_int_equal(machine->state_count, PROCESSES + 1);
}

static void a_new_question_is_answered_from_the_beginning(void **state)
{
	struct machine *machine = *state;

	spawn_readers(machine, PROCESSES);
	machine_send(machine, 0, NCHAN_ASK, NULL, 0);
	machine_step_core(machine, 0);
	machine_step_host(machine);
	machine->state_count = 0;
	machine_send(machine, 0, NCHAN_ASK, NULL, 0);
	machine_settle(machine);

	assert_int_equal(machine->states[machine->state_count - 1].self, 0);
	assert_int_equal(
		machine->states[machine->state_count - 1 - PROCESSES].self, nreg_self(1, 1));
}

static void who_waits_for_a_copy_says_so(void **state)
{
	struct machine *machine = *state;

	grant(machine, 1, machine_far(machine), NK_SCRATCH_MAX, true);
	spawn_copies(machine, 1, machine_far(machine), COPIES_WAIT);
	machine_send(machine, 0, NCHAN_ASK, NULL, 0);
	machine_step_core(machine, 0);
	machine_settle(machine);

	assert_int_equal(machine->state_count, 2);
	assert_int_equal(machine->states[0].waits_at, NMSG_WAITS_FOR_COPY);
	assert_int_equal(machine->states[0].site, 9);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CLAIM(each_process_is_told_of_once_and_then_the_end),
		CLAIM(a_report_leaves_room_for_what_the_core_has_to_say),
		CLAIM(who_waits_for_a_copy_says_so),
		CLAIM(a_new_question_is_answered_from_the_beginning),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
