/*
 * test_births.c - families: what the host is told, what it may ask, and what a process costs.
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
	CHILDREN = 20
};

/* A process that has started CHILDREN processes of a kernel, and has ended. */
static uint64_t leave_family(struct machine *machine, uint32_t id, unsigned kernel)
{
	const uint64_t words[4] = {CHILDREN, kernel, 1};

	return spawn(machine, BREED, id, words, 4);
}

static void kill_family(struct machine *machine, uint64_t self)
{
	machine_send(machine, 0, NCHAN_KILL, &self, sizeof(self));
}

static uint64_t alive(const struct machine *machine)
{
	return nreg_core(machine->region, 0)->status.alive;
}

static unsigned exits_of(const struct machine *machine, uint64_t self, unsigned ending)
{
	unsigned count = 0;

	for (unsigned i = 0; i < machine->exit_count; i++)
		count += machine->exits[i].self == self && machine->exits[i].ending == ending;
	return count;
}

/* Steps without waiting for the end: yielding kernels have none. */
static void step(struct machine *machine)
{
	for (int i = 0; i < 5; i++) {
		machine_step_core(machine, 0);
		machine_step_host(machine);
	}
}

static void the_host_hears_of_the_head_and_of_the_last_one(void **state)
{
	struct machine *machine = *state;
	uint64_t self = leave_family(machine, 1, YIELD);

	step(machine);
	assert_int_equal(exits_of(machine, self, NMSG_EXITED | NMSG_LEAVES_FAMILY), 1);
	assert_int_equal(machine->exit_count, 1);
	assert_int_equal(alive(machine), CHILDREN);
	assert_int_equal(nreg_core(machine->region, 0)->wake.births, CHILDREN);

	kill_family(machine, self);
	step(machine);
	assert_int_equal(exits_of(machine, self, NMSG_FAMILY_ENDED), 1);
	assert_int_equal(machine->exit_count, 2);
	assert_int_equal(alive(machine), 0);
}

static void a_family_that_ends_before_its_head_is_not_told_of(void **state)
{
	struct machine *machine = *state;
	const uint64_t words[4] = {CHILDREN, SUM, 1};
	uint64_t self = spawn(machine, BREED, 1, words, 4);

	machine_settle(machine);
	assert_int_equal(exits_of(machine, self, NMSG_EXITED | NMSG_LEAVES_FAMILY), 1);
	assert_int_equal(exits_of(machine, self, NMSG_FAMILY_ENDED), 1);
	self = spawn(machine, BREED, 2, (const uint64_t[4]){0}, 4);
	machine_settle(machine);
	assert_int_equal(exits_of(machine, self, NMSG_EXITED), 1);
	assert_int_equal(alive(machine), 0);
}

static void a_kill_of_an_earlier_family_of_that_id_is_ignored(void **state)
{
	struct machine *machine = *state;
	uint64_t self = leave_family(machine, 1, YIELD);

	step(machine);
	kill_family(machine, nreg_self(1, 8));
	kill_family(machine, nreg_self(2, 9));
	kill_family(machine, nreg_self_born(MACHINE_PROCESSES + 1, 1, 1));
	kill_family(machine, UINT64_MAX);
	kill_family(machine, 0);
	step(machine);
	assert_int_equal(alive(machine), CHILDREN);
	kill_family(machine, self);
	step(machine);
	assert_int_equal(alive(machine), 0);
}

static void the_id_of_a_head_is_not_spawned_while_its_family_lives(void **state)
{
	struct machine *machine = *state;
	uint64_t self = leave_family(machine, 1, YIELD);

	step(machine);
	machine_spawn_simple(machine, 1, SUM);
	machine_spawn_simple(machine, MACHINE_PROCESSES + 1, SUM);
	step(machine);
	assert_int_equal(machine->exit_count, 1);
	assert_int_equal(nreg_core(machine->region, 0)->wake.faults, 2);
	kill_family(machine, self);
	step(machine);
	self = machine_spawn_simple(machine, 1, SUM);
	step(machine);
	assert_non_null(machine_exit(machine, self));
}

static void ends_of_families_wait_for_room_behind_those_of_their_heads(void **state)
{
	struct machine *machine = *state;
	uint64_t self[60];

	for (uint32_t id = 1; id <= 60; id++) {
		const uint64_t words[4] = {2, SUM, 1};

		self[id - 1] = spawn(machine, BREED, id, words, 4);
		machine_step_core(machine, 0); /* the host takes nothing */
		if (id % 30 == 0)
			machine_step_core(machine, 0);
		if (!nchan_place_room(&machine->host, 1))
			nchan_place_receive(&machine->host, 1, 1);
	}
	machine_settle(machine);
	for (int i = 0; i < 60; i++) {
		unsigned head = 0, family = 0;

		for (unsigned at = 0; at < machine->exit_count; at++) {
			if (machine->exits[at].self != self[i])
				continue;
			if (machine->exits[at].ending == NMSG_FAMILY_ENDED)
				family = at + 1;
			else
				head = at + 1;
		}
		assert_true(head && family > head);
	}
	assert_int_equal(machine->exit_count, 120);
}

struct scene {
	struct machine *machine;
	uint64_t self, other;
};

static void kill_who_runs_and_another(uint64_t argument)
{
	const struct scene *scene = (const struct scene *)(uintptr_t)argument;

	kill_family(scene->machine, scene->self);
	kill_family(scene->machine, scene->other);
}

/* A read takes the lines itself before it suspends: the reader's own end may be among them. */
static void a_process_that_finds_its_own_end_while_it_reads_is_ended_once(void **state)
{
	static const uint32_t end = 1;
	struct scene scene = {*state, nreg_self(5, 1), nreg_self(6, 1)};
	const uint64_t words[4] = {(uintptr_t)kill_who_runs_and_another, (uintptr_t)&scene};
	const struct machine_spawn reader = {.self = scene.self,
		.image = MACHINE_IMAGE,
		.kernel = CALL,
		.ends = &end,
		.end_count = 1,
		.words = words,
		.word_count = 4};

	machine_create_pipe(scene.machine, 1);
	machine_spawn_simple(scene.machine, 6, YIELD);
	machine_spawn(scene.machine, &reader);
	step(scene.machine);
	assert_int_equal(exits_of(scene.machine, scene.self, NMSG_KILLED), 1);
	assert_int_equal(exits_of(scene.machine, scene.other, NMSG_KILLED), 1);
	assert_int_equal(scene.machine->exit_count, 2);
	assert_int_equal(alive(scene.machine), 0);
	assert_int_equal(machine_write(scene.machine, 1, "x", 1), -EPIPE);
}

/* Who is named by the attention word may be a child. */
static void a_child_is_ended_by_its_name(void **state)
{
	struct machine *machine = *state;

	leave_family(machine, 1, YIELD);
	step(machine);
	machine_set_attention(machine, 0, nreg_self_born(MACHINE_PROCESSES + 3, 1, 1));
	step(machine);
	assert_int_equal(alive(machine), CHILDREN - 1);
}

/* An EXIT for a process that nobody asked for, or by a name that is not known. */
static void nobody_ends_whom_the_core_did_not_ask_for(void **state)
{
	struct machine *machine = *state;
	struct nmsg_exit how = {.ending = NMSG_EXITED};
	const uint64_t names[] = {0, nreg_self(1, 9), nreg_self_born(MACHINE_PROCESSES + 1, 1, 1),
		nreg_self_born(2 * MACHINE_PROCESSES + 1, 1, 1), UINT64_MAX};

	leave_family(machine, 1, YIELD);
	step(machine);
	for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		how.self = names[i];
		machine_send(machine, 0, NCHAN_EXIT, &how, sizeof(how));
	}
	step(machine);
	assert_int_equal(nreg_core(machine->region, 0)->wake.faults, 5);
	assert_int_equal(alive(machine), CHILDREN);
}

/* Bytes of core 0's memory that are in use. */
static uint64_t memory_in_use(const struct machine *machine)
{
	const struct ndev_core *core = ndev_core(machine->device, 0);
	const struct nchan_pool *pool = &core->place.pool;
	uint64_t nbytes = (pool->used + pool->promised) * (uint64_t)NCHAN_CELL_BYTES;

	for (uint32_t i = 0; i < core->frames.fresh; i++)
		nbytes += core->frames.slabs[i].used * core->frames.slabs[i].class_ *
			  (uint64_t)NDEV_BLOCK_BYTES;
	return nbytes;
}

/* With the table of ends by pipe and the tables of processes and kin. */
static void a_blocked_process_with_two_ends_takes_384_bytes(void **state)
{
	struct machine *machine = *state;
	uint64_t tables = sizeof(uint64_t) + sizeof(struct kin) + 2 * sizeof(uint32_t);

	assert_true(kernels[ONCE].frame_bytes <= 64);
	spawn_server(machine, ONCE, 0);
	machine_settle(machine);
	/*
	 * One promised line is what an idle pipe needs; the host's window is more while there is
	 * plenty.
	 */
	uint64_t windows = (NCHAN_WINDOW_FIRST - 1) * (uint64_t)NCHAN_CELL_BYTES;
	assert_true(memory_in_use(machine) - windows + tables <= 384);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CLAIM(the_host_hears_of_the_head_and_of_the_last_one),
		CLAIM(a_family_that_ends_before_its_head_is_not_told_of),
		CLAIM(a_kill_of_an_earlier_family_of_that_id_is_ignored),
		CLAIM(the_id_of_a_head_is_not_spawned_while_its_family_lives),
		CLAIM(ends_of_families_wait_for_room_behind_those_of_their_heads),
		CLAIM(a_process_that_finds_its_own_end_while_it_reads_is_ended_once),
		CLAIM(a_child_is_ended_by_its_name),
		CLAIM(nobody_ends_whom_the_core_did_not_ask_for),
		CLAIM(a_blocked_process_with_two_ends_takes_384_bytes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
