/*
 * test_trust.c - what the firmware does not believe: grants, refusals, senseless lines.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tests/device/fixture.h"

/* The attention word of an earlier use of the id must not end the later one. */
static void case_52_a_kill_of_an_earlier_process_of_that_id_is_ignored(void **state)
{
	struct machine *machine = *state;
	uint64_t words[4] = {1, 1};
	uint64_t self;

	machine_set_attention(machine, 0, nreg_self(1, 8));
	self = spawn(machine, SUM, 1, words, 4);
	machine_settle(machine);
	expect_exit(machine, self, NMSG_EXITED, 2);
}

static void what_cannot_be_spawned_is_refused_with_the_reason(void **state)
{
	struct machine *machine = *state;
	struct machine_spawn bad_image = {.self = nreg_self(1, 1), .image = 77};
	struct machine_spawn bad_kernel = {
		.self = nreg_self(2, 1), .image = MACHINE_IMAGE, .kernel = KERNELS};
	struct machine_spawn bad_set = {
		.self = nreg_self(3, 1), .image = MACHINE_IMAGE, .grant_set = 5};
	struct machine_spawn huge = {
		.self = nreg_self(4, 1), .image = MACHINE_IMAGE, .kernel = HUGE};

	machine_spawn(machine, &bad_image);
	machine_spawn(machine, &bad_kernel);
	machine_spawn(machine, &bad_set);
	machine_spawn(machine, &huge);
	machine_settle(machine);
	expect_exit(machine, bad_image.self, NMSG_REFUSED, -EINVAL);
	expect_exit(machine, bad_kernel.self, NMSG_REFUSED, -EINVAL);
	expect_exit(machine, bad_set.self, NMSG_REFUSED, -EINVAL);
	expect_exit(machine, huge.self, NMSG_REFUSED, -ENOMEM);
}

static void a_refused_process_closes_the_ends_it_was_given(void **state)
{
	struct machine *machine = *state;
	const uint32_t ends[] = {1, 2 | NMSG_END_WRITES};
	struct machine_spawn bad = {
		.self = nreg_self(1, 1), .image = 77, .ends = ends, .end_count = 2};
	char byte;

	machine_create_pipe(machine, 1);
	machine_create_pipe(machine, 2);
	machine_spawn(machine, &bad);
	machine_settle(machine);
	assert_int_equal(machine_write(machine, 1, "x", 1), -EPIPE);
	assert_int_equal(machine_read(machine, 2, &byte, 1), 0);
}

static void an_id_in_use_is_not_spawned_again(void **state)
{
	struct machine *machine = *state;
	uint64_t self = spawn_server(machine, DOUBLE, 0);
	uint64_t before = machine->exit_count;

	machine_spawn_simple(machine, nreg_self_process(self), SUM);
	machine_settle(machine);
	assert_int_equal(machine->exit_count, before);
	assert_null(machine_exit(machine, self));
}

static void refusals_wait_for_room_and_none_is_lost(void **state)
{
	struct machine *machine = *state;
	unsigned room = nchan_place_room(&machine->host, 1);

	/* The core's up FIFO is full when they come: the host's last report has not been sent. */
	for (uint32_t id = 1; id <= room; id++) {
		struct machine_spawn bad = {.self = nreg_self(id, 5), .image = 50};

		machine_spawn(machine, &bad);
	}
	machine_step_core(machine, 0);
	for (uint32_t id = 101; id <= 150; id++) {
		struct machine_spawn bad = {.self = nreg_self(id, 5), .image = 50};

		while (!nchan_place_room(&machine->host, 1)) {
			nchan_place_receive(&machine->host, 1, 1);
			machine_step_core(machine, 0);
		}
		machine_spawn(machine, &bad);
		machine_step_core(machine, 0);
	}
	machine_settle(machine);
	assert_int_equal(machine->exit_count, room + 50);
	for (uint32_t id = 101; id <= 150; id++)
		expect_exit(machine, nreg_self(id, 5), NMSG_REFUSED, -EINVAL);
}

static void far_memory_is_reached_through_the_grant_only(void **state)
{
	struct machine *machine = *state;
	uint64_t far = machine_far(machine);
	uint64_t self;

	*(uint64_t *)(uintptr_t)(far + 64) = 1234;
	grant(machine, 1, far + 64, 128, false);
	expect_exit(machine, spawn_granted(machine, FAR, 1, far + 64), NMSG_EXITED, 1234);
	expect_exit(machine, spawn_granted(machine, FAR, 1, far + 64 + 120), NMSG_EXITED, 0);
	self = spawn_granted(machine, FAR, 1, far + 64 + 121);
	expect_fault(machine, self, NK_FAULT_FAR_READ, far + 64 + 121, 5);
	self = spawn_granted(machine, FAR, 1, far + 63);
	expect_fault(machine, self, NK_FAULT_FAR_READ, far + 63, 5);
	self = spawn_granted(machine, FAR, 1, UINT64_MAX - 3);
	expect_fault(machine, self, NK_FAULT_FAR_READ, UINT64_MAX - 3, 5);
	self = spawn_granted(machine, FAR, 1, 0);
	expect_fault(machine, self, NK_FAULT_FAR_READ, 0, 5);
}

static void a_read_only_grant_cannot_be_written(void **state)
{
	struct machine *machine = *state;
	uint64_t far = machine_far(machine);

	grant(machine, 1, far, 64, false);
	grant(machine, 2, far, 64, true);
	expect_fault(machine, spawn_granted(machine, FAR_STORE, 1, far + 8), NK_FAULT_READ_ONLY,
		far + 8, 6);
	expect_exit(machine, spawn_granted(machine, FAR_STORE, 2, far + 16), NMSG_EXITED, 0);
	assert_int_equal(*(uint64_t *)(uintptr_t)(far + 16), 99);
	expect_fault(machine, spawn_granted(machine, FAR_STORE, 2, far + 64), NK_FAULT_FAR_WRITE,
		far + 64, 6);
}

/* A range that leaves far memory, or wraps, must not become a grant (case_92). */
static void case_92_grants_outside_far_memory_are_ignored(void **state)
{
	struct machine *machine = *state;
	uint64_t far = machine_far(machine);
	uint64_t before;

	before = ndev_core(machine->device, 0) ? machine->exit_count : 0;
	grant(machine, 1, far - 64, 64, false);
	grant(machine, 1, far, MACHINE_FAR_BYTES + 1, false);
	grant(machine, 1, far + 8, UINT64_MAX - 4, true);
	grant(machine, 1, 0, 64, true);
	machine_settle(machine);
	expect_exit(machine, spawn_granted(machine, FAR, 1, far), NMSG_REFUSED, -EINVAL);
	assert_int_equal(machine->exit_count, before + 1);
}

static void a_revoked_set_is_not_there_any_more(void **state)
{
	struct machine *machine = *state;
	struct nmsg_revoke revoke = {.set = 1};

	grant(machine, 1, machine_far(machine), 64, false);
	machine_send(machine, 0, NCHAN_REVOKE, &revoke, sizeof(revoke));
	expect_exit(machine, spawn_granted(machine, FAR, 1, machine_far(machine)), NMSG_REFUSED,
		-EINVAL);
}

static void messages_that_make_no_sense_are_counted_and_ignored(void **state)
{
	struct machine *machine = *state;
	struct nmsg_load load = {.offset = UINT64_MAX, .bytes = 64, .image = 9, .kernel_count = 1};
	struct nmsg_revoke revoke = {.set = 900};
	uint64_t words[4] = {1, 2};
	uint64_t self;

	machine_send(machine, 0, NCHAN_EXIT, words, 32);
	machine_send(machine, 0, NCHAN_LOG, words, 8);
	machine_send(machine, 0, NCHAN_REVOKE, &revoke, sizeof(revoke));
	machine_send(machine, 0, NCHAN_SPAWN, words, 8);
	nchan_place_send(&machine->host, 1, nchan_head(NCHAN_SPAWN, 56, 0, 5000), words, 32);
	machine_send(machine, 0, NCHAN_LOAD, &load, sizeof(load));
	machine_settle(machine);
	assert_int_equal(machine->loaded.status, -EINVAL);
	assert_int_equal(nreg_core(machine->region, 0)->wake.faults, 5);
	self = spawn(machine, SUM, 1, words, 4);
	machine_settle(machine);
	expect_exit(machine, self, NMSG_EXITED, 3);
}

static void an_image_is_loaded_once_and_can_be_forgotten(void **state)
{
	struct machine *machine = *state;
	struct nmsg_load again = {.bytes = 64, .image = MACHINE_IMAGE, .kernel_count = 1};
	struct nmsg_load forget = {.bytes = 0, .image = MACHINE_IMAGE};
	uint64_t self;

	machine_send(machine, 1, NCHAN_LOAD, &again, sizeof(again));
	machine_settle(machine);
	assert_int_equal(machine->loaded.status, -EBUSY);
	machine_send(machine, 1, NCHAN_LOAD, &forget, sizeof(forget));
	machine_settle(machine);
	assert_int_equal(machine->loaded.status, 0);
	assert_int_equal(machine->unloads, 1);
	self = machine_spawn_simple(machine, 1, SUM);
	machine_settle(machine);
	expect_exit(machine, self, NMSG_REFUSED, -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CLAIM(case_52_a_kill_of_an_earlier_process_of_that_id_is_ignored),
		CLAIM(what_cannot_be_spawned_is_refused_with_the_reason),
		CLAIM(a_refused_process_closes_the_ends_it_was_given),
		CLAIM(an_id_in_use_is_not_spawned_again),
		CLAIM(refusals_wait_for_room_and_none_is_lost),
		CLAIM(far_memory_is_reached_through_the_grant_only),
		CLAIM(a_read_only_grant_cannot_be_written),
		CLAIM(case_92_grants_outside_far_memory_are_ignored),
		CLAIM(a_revoked_set_is_not_there_any_more),
		CLAIM(messages_that_make_no_sense_are_counted_and_ignored),
		CLAIM(an_image_is_loaded_once_and_can_be_forgotten),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
