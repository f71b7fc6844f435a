/* test_look.c - what a core tells somebody who looks at its processes, and what that costs it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "device/core_int.h"
#include "tests/device/fixture.h"

enum {
	PROCESSES = 100
};

static struct nreg_look *look_of(struct machine *machine)
{
	return &nreg_core(machine->region, 0)->look;
}

static const struct nreg_process *ask(struct machine *machine, uint64_t random, uint32_t first_id)
{
	struct nreg_look *look = look_of(machine);

	nchan_store(&look->wanted, nreg_look_word(random, first_id));
	machine_step_core(machine, 0);
	assert_int_equal(nchan_load(&look->done), nchan_load(&look->wanted));
	return look->process;
}

static void answers_lead_from_one_to_the_next_until_all_are_told(void **state)
{
	struct machine *machine = *state;
	const struct nreg_look *look = look_of(machine);
	uint32_t told = 0, next = 1;

	spawn_readers(machine, PROCESSES);
	do {
		const struct nreg_process *process = ask(machine, next, next);

		for (uint64_t i = 0; i < look->count; i++)
			assert_int_equal(process[i].self, nreg_self(++told, 1));
		next = (uint32_t)look->next;
	} while (next);
	assert_int_equal(told, PROCESSES);
}

static void a_reader_is_told_with_kernel_pipe_and_what_it_takes(void **state)
{
	struct machine *machine = *state;
	const struct nreg_process *process;

	machine_create_pipe(machine, 1);
	spawn_reader(machine, 7);
	process = ask(machine, 1, 1);

	assert_int_equal(look_of(machine)->count, 1);
	assert_int_equal(process->doing, NREG_READS);
	assert_int_equal(process->waits_for, 1);
	assert_int_equal(process->end_count, 1);
	assert_int_equal(process->frame_bytes, 128);
	assert_string_equal(process->kernel, "once");
	assert_int_equal(process->line, 0);
	assert_string_equal(process->file, "");
}

static void who_waits_for_a_copy_is_told_with_its_line(void **state)
{
	struct machine *machine = *state;
	const struct nreg_process *process;

	grant(machine, 1, machine_far(machine), NK_SCRATCH_MAX, true);
	spawn_copies(machine, 1, machine_far(machine), COPIES_WAIT);
	machine_step_core(machine, 0);
	process = ask(machine, 1, 1);

	assert_int_equal(process->doing, NREG_COPIES);
	assert_string_equal(process->kernel, "copies");
	assert_string_equal(process->file, "/where/the/copies/are/copies.c");
	assert_int_equal(process->line, 90);
}

static void who_has_returned_leaves_when_its_copies_are_done(void **state)
{
	struct machine *machine = *state;
	const struct nreg_process *process;

	grant(machine, 1, machine_far(machine), NK_SCRATCH_MAX, true);
	spawn_copies(machine, 1, machine_far(machine), COPIES_RETURN);
	machine_step_core(machine, 0);
	process = ask(machine, 1, 1);

	assert_int_equal(process->doing, NREG_LEAVES);
	assert_string_equal(process->kernel, "");
}

static void ids_that_cannot_be_are_answered_with_nothing(void **state)
{
	struct machine *machine = *state;

	machine_create_pipe(machine, 1);
	spawn_reader(machine, 1);
	ask(machine, 1, NREG_PROCESS_MAX);
	assert_int_equal(look_of(machine)->count, 0);
	assert_int_equal(look_of(machine)->next, 0);
	ask(machine, 2, 0);
	assert_int_equal(look_of(machine)->count, 1);
}

static void one_question_is_answered_once_and_keeps_the_core_awake_until_then(void **state)
{
	struct machine *machine = *state;
	struct ndev_core *core = ndev_core(machine->device, 0);

	machine_settle(machine);
	assert_true(ndev_core_may_sleep(core));
	nchan_store(&look_of(machine)->wanted, nreg_look_word(5, 1));
	assert_false(ndev_core_may_sleep(core));
	assert_true(machine_step_core(machine, 0));
	assert_true(ndev_core_may_sleep(core));
	assert_false(machine_step_core(machine, 0));
}

/* The code of an image that goes away must not be looked at. */
static void an_answer_waits_until_no_image_is_being_loaded(void **state)
{
	struct machine *machine = *state;
	const struct nreg_look *look = look_of(machine);

	assert_true(images_try_lock(machine->device));
	nchan_store(&look_of(machine)->wanted, nreg_look_word(5, 1));
	machine_step_core(machine, 0);
	assert_int_equal(nchan_load(&look->done), 0);
	images_unlock(machine->device);
	machine_step_core(machine, 0);
	assert_int_equal(nchan_load(&look->done), nchan_load(&look->wanted));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CLAIM(answers_lead_from_one_to_the_next_until_all_are_told),
		CLAIM(a_reader_is_told_with_kernel_pipe_and_what_it_takes),
		CLAIM(who_waits_for_a_copy_is_told_with_its_line),
		CLAIM(who_has_returned_leaves_when_its_copies_are_done),
		CLAIM(ids_that_cannot_be_are_answered_with_nothing),
		CLAIM(one_question_is_answered_once_and_keeps_the_core_awake_until_then),
		CLAIM(an_answer_waits_until_no_image_is_being_loaded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
