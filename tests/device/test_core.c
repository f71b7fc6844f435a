/*
 * test_core.c - the firmware, with kernels written by hand as nprocc would lower them.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "tests/device/kernels.h"
#include "tests/device/machine.h"

/* ---- helpers ------------------------------------------------------------------------------------- */

static int create_machine(void **state)
{
	*state = machine_create(2, kernels, KERNELS);
	return 0;
}

static int destroy_machine(void **state)
{
	machine_destroy(*state);
	return 0;
}

static void expect_exit(
	struct machine *machine, uint64_t self, enum nmsg_ending ending, int64_t value)
{
	const struct nmsg_exit *exit = machine_exit(machine, self);

	assert_non_null(exit);
	assert_int_equal(exit->ending, ending);
	assert_int_equal(exit->value, value);
}

static uint64_t spawn(struct machine *machine, unsigned kernel, uint32_t id, const uint64_t *words,
	unsigned count)
{
	struct machine_spawn spawn = {.self = nreg_self(id, 9),
		.image = MACHINE_IMAGE,
		.kernel = kernel,
		.words = words,
		.word_count = count};

	machine_spawn(machine, &spawn);
	return spawn.self;
}

/* A process of `kernel` that reads pipe 1 and writes pipe 2. */
static uint64_t spawn_server(struct machine *machine, unsigned kernel, unsigned core)
{
	const uint32_t ends[] = {1, 2 | NMSG_END_WRITES};
	const uint64_t words[4] = {0};
	struct machine_spawn spawn = {.core = core,
		.self = nreg_self(3, 1),
		.image = MACHINE_IMAGE,
		.kernel = kernel,
		.ends = ends,
		.end_count = 2,
		.words = words,
		.word_count = 4};

	machine_create_pipe(machine, 1);
	machine_create_pipe(machine, 2);
	machine_spawn(machine, &spawn);
	machine_settle(machine);
	return spawn.self;
}

static void grant(struct machine *machine, unsigned set, uint64_t base, uint64_t len, bool writable)
{
	struct nmsg_grant message = {.base = base,
		.len = len,
		.writable = writable ? len : 0,
		.set = (uint16_t)set,
		.index = 0,
		.count = 1};

	machine_send(machine, 0, NCHAN_GRANT, &message, sizeof(message));
}

static uint64_t spawn_granted(
	struct machine *machine, unsigned kernel, unsigned set, uint64_t address)
{
	const uint64_t words[4] = {address};
	struct machine_spawn spawn = {.self = nreg_self(4, address),
		.image = MACHINE_IMAGE,
		.kernel = kernel,
		.grant_set = set,
		.words = words,
		.word_count = 4};

	machine_spawn(machine, &spawn);
	machine_settle(machine);
	return spawn.self;
}

static void expect_fault(struct machine *machine, uint64_t self, enum nk_fault fault,
	uint64_t address, uint32_t site)
{
	const struct nmsg_exit *exit = machine_exit(machine, self);

	assert_non_null(exit);
	assert_int_equal(exit->ending, NMSG_FAULTED);
	assert_int_equal(exit->fault, fault);
	assert_int_equal(exit->address, address);
	assert_int_equal(exit->site, site);
}

/* ---- claims -------------------------------------------------------------------------------------- */

static void a_process_runs_and_its_exit_code_comes_back(void **state)
{
	const uint64_t words[4] = {40, 2};
	uint64_t self = spawn(*state, SUM, 1, words, 4);

	machine_settle(*state);
	expect_exit(*state, self, NMSG_EXITED, 42);
}

static void a_spawn_of_twelve_lines_arrives_whole(void **state)
{
	uint64_t words[NK_ARG_WORDS_MAX] = {1, 2};
	uint64_t self = spawn(*state, SUM, 1, words, NK_ARG_WORDS_MAX);

	machine_settle(*state);
	expect_exit(*state, self, NMSG_EXITED, 3);
}

static void a_server_answers_until_end_of_file(void **state)
{
	struct machine *machine = *state;
	uint64_t self = spawn_server(machine, DOUBLE, 1);

	for (uint64_t i = 1; i <= 1000; i++) {
		uint64_t answer;

		assert_int_equal(machine_write(machine, 1, &i, sizeof(i)), sizeof(i));
		machine_settle(machine);
		assert_int_equal(machine_read(machine, 2, &answer, sizeof(answer)), sizeof(answer));
		assert_int_equal(answer, 2 * i);
	}
	nchan_drop_writer(&machine->host, nchan_find(&machine->host, 1));
	machine_settle(machine);
	expect_exit(machine, self, NMSG_EXITED, 0);
}

static void a_writer_without_reader_gets_epipe(void **state)
{
	struct machine *machine = *state;
	uint64_t self = spawn_server(machine, DOUBLE, 0);
	uint64_t number = 1;

	nchan_drop_reader(&machine->host, nchan_find(&machine->host, 2));
	machine_settle(machine);
	machine_write(machine, 1, &number, sizeof(number));
	machine_settle(machine);
	expect_exit(machine, self, NMSG_EXITED, -EPIPE);
}

static void a_fault_ends_that_process_alone(void **state)
{
	struct machine *machine = *state;
	uint64_t server = spawn_server(machine, DOUBLE, 0);
	uint64_t faulty = machine_spawn_simple(machine, 8, FAULT);
	uint64_t number = 5, answer;

	machine_settle(machine);
	expect_fault(machine, faulty, NK_FAULT_BOUNDS, 0x1234, 42);
	assert_null(machine_exit(machine, server));
	machine_write(machine, 1, &number, sizeof(number));
	machine_settle(machine);
	assert_int_equal(machine_read(machine, 2, &answer, sizeof(answer)), sizeof(answer));
}

static void exit_leaves_from_the_middle_of_a_kernel(void **state)
{
	uint64_t self = machine_spawn_simple(*state, 8, EXIT);

	machine_settle(*state);
	expect_exit(*state, self, NMSG_EXITED, -7);
}

static void a_blocked_process_is_killed_by_the_attention_word(void **state)
{
	struct machine *machine = *state;
	uint64_t self = spawn_server(machine, DOUBLE, 0);

	machine_set_attention(machine, 0, self);
	machine_settle(machine);
	expect_exit(machine, self, NMSG_KILLED, 0);
	machine_write(machine, 1, &self, sizeof(self));
	machine_settle(machine);
	assert_int_equal(machine_write(machine, 1, &self, sizeof(self)), -EPIPE);
}

static void a_ready_process_is_killed_and_others_go_on(void **state)
{
	struct machine *machine = *state;
	uint64_t first = machine_spawn_simple(machine, 1, YIELD);
	uint64_t second = machine_spawn_simple(machine, 2, YIELD);

	machine_step_core(machine, 0);
	machine_set_attention(machine, 0, first);
	machine_step_core(machine, 0);
	machine_step_host(machine);
	expect_exit(machine, first, NMSG_KILLED, 0);
	assert_null(machine_exit(machine, second));
	machine_set_attention(machine, 0, second);
	machine_settle(machine);
	expect_exit(machine, second, NMSG_KILLED, 0);
}

static void a_kill_before_the_spawn_has_arrived_is_not_lost(void **state)
{
	struct machine *machine = *state;
	uint64_t self = nreg_self(1, 1);

	machine_set_attention(machine, 0, self);
	machine_step_core(machine, 0);
	machine_spawn_simple(machine, 1, YIELD);
	machine_settle(machine);
	expect_exit(machine, self, NMSG_KILLED, 0);
}

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

/* More exits than the up FIFO holds, while the host takes none: all wait in their records, none is lost. */
static void exits_wait_for_room_and_none_is_lost(void **state)
{
	struct machine *machine = *state;

	for (uint32_t id = 1; id <= 200; id++) {
		const uint64_t words[4] = {id};

		while (nchan_place_room(&machine->host, 1) < 4) {
			nchan_place_report(&machine->host, false);
			machine_step_core(machine, 0);
			machine_step_host(machine);
		}
		spawn(machine, SUM, id, words, 4);
		machine_step_core(machine, 0);
	}
	machine_settle(machine);
	for (uint32_t id = 1; id <= 200; id++)
		expect_exit(machine, nreg_self(id, 9), NMSG_EXITED, id);
	assert_int_equal(machine->exit_count, 200);
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

static void log_messages_come_whole(void **state)
{
	struct machine *machine = *state;
	const uint64_t words[4] = {
		17, (uintptr_t)"a text that is longer than what one line can carry, by far"};

	spawn(machine, LOG, 1, words, 4);
	machine_settle(machine);
	assert_string_equal(machine->log,
		"n=17 of a text that is longer than what one line can carry, by far\n");
}

static void a_log_without_room_is_dropped_and_counted(void **state)
{
	struct machine *machine = *state;
	const uint64_t words[4] = {17, (uintptr_t)"x"};
	unsigned messages = 0;

	for (uint32_t id = 1; id <= 60; id++)
		spawn(machine, LOG, id, words, 4);
	for (unsigned i = 0; i < 60; i++)
		machine_step_core(machine, 0);
	machine_settle(machine);
	for (unsigned i = 0; i < machine->log_length; i++)
		messages += machine->log[i] == '\n';
	assert_int_equal(machine->exit_count, 60);
	assert_int_equal(messages + nreg_core(machine->region, 0)->status.log_dropped, 60);
	assert_true(messages < 60);
}

static void a_process_may_have_sixteen_ends(void **state)
{
	struct machine *machine = *state;
	uint32_t ends[NK_ENDS_MAX];
	struct machine_spawn many = {.self = nreg_self(1, 1),
		.image = MACHINE_IMAGE,
		.kernel = MANY,
		.ends = ends,
		.end_count = NK_ENDS_MAX};

	for (uint32_t i = 0; i < NK_ENDS_MAX; i++) {
		machine_create_pipe(machine, i + 1);
		ends[i] = (i + 1) | NMSG_END_WRITES;
	}
	machine_spawn(machine, &many);
	machine_settle(machine);
	expect_exit(machine, many.self, NMSG_EXITED, 1);
	for (uint32_t i = 0; i < NK_ENDS_MAX; i++) {
		int64_t number = -1;

		assert_int_equal(
			machine_read(machine, i + 1, &number, sizeof(number)), sizeof(number));
		assert_int_equal(number, i);
	}
}

/* ---- many processes at one end ---- */

enum {
	CROWD = 50
};

/* All read pipe 1: the first brings its home to the core, the others come with it in one spawn each. */
static void spawn_crowd(struct machine *machine)
{
	const uint32_t end = 1;
	struct nchan_end *host;

	machine_create_pipe(machine, 1);
	host = nchan_find(&machine->host, 1);
	for (uint32_t i = 1; i < CROWD; i++)
		nchan_dup(host, false);
	for (uint32_t i = 1; i <= CROWD; i++) {
		const uint64_t words[4] = {0};
		struct machine_spawn once = {.self = nreg_self(i, 1),
			.image = MACHINE_IMAGE,
			.kernel = ONCE,
			.ends = &end,
			.end_count = 1,
			.words = words,
			.word_count = 4};

		while (nchan_place_room(&machine->host, 1) < 4)
			machine_settle(machine);
		machine_spawn(machine, &once);
	}
	machine_settle(machine);
}

static void each_of_a_crowd_gets_one_message(void **state)
{
	struct machine *machine = *state;
	uint64_t sum = 0;

	spawn_crowd(machine);
	for (uint64_t i = 1; i <= CROWD; i++) {
		assert_int_equal(machine_write(machine, 1, &i, sizeof(i)), sizeof(i));
		machine_settle(machine);
	}
	assert_int_equal(machine->exit_count, CROWD);
	for (unsigned i = 0; i < CROWD; i++)
		sum += (uint64_t)machine->exits[i].value;
	assert_int_equal(sum, CROWD * (CROWD + 1) / 2);
}

static void end_of_file_reaches_every_one_of_a_crowd(void **state)
{
	struct machine *machine = *state;

	spawn_crowd(machine);
	nchan_drop_writer(&machine->host, nchan_find(&machine->host, 1));
	machine_settle(machine);
	assert_int_equal(machine->exit_count, CROWD);
}

static void a_killed_waiter_leaves_the_others_waiting_in_order(void **state)
{
	struct machine *machine = *state;
	uint64_t message = 77;

	spawn_crowd(machine);
	for (uint32_t id = 1; id < CROWD; id++) {
		machine_set_attention(machine, 0, nreg_self(id, 1));
		machine_settle(machine);
	}
	assert_int_equal(machine->exit_count, CROWD - 1);
	machine_write(machine, 1, &message, sizeof(message));
	machine_settle(machine);
	expect_exit(machine, nreg_self(CROWD, 1), NMSG_EXITED, 77);
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

#define CLAIM(test) cmocka_unit_test_setup_teardown(test, create_machine, destroy_machine)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CLAIM(a_process_runs_and_its_exit_code_comes_back),
		CLAIM(a_spawn_of_twelve_lines_arrives_whole),
		CLAIM(a_server_answers_until_end_of_file),
		CLAIM(a_writer_without_reader_gets_epipe),
		CLAIM(a_fault_ends_that_process_alone),
		CLAIM(exit_leaves_from_the_middle_of_a_kernel),
		CLAIM(a_blocked_process_is_killed_by_the_attention_word),
		CLAIM(a_ready_process_is_killed_and_others_go_on),
		CLAIM(a_kill_before_the_spawn_has_arrived_is_not_lost),
		CLAIM(case_52_a_kill_of_an_earlier_process_of_that_id_is_ignored),
		CLAIM(what_cannot_be_spawned_is_refused_with_the_reason),
		CLAIM(a_refused_process_closes_the_ends_it_was_given),
		CLAIM(an_id_in_use_is_not_spawned_again),
		CLAIM(exits_wait_for_room_and_none_is_lost),
		CLAIM(refusals_wait_for_room_and_none_is_lost),
		CLAIM(far_memory_is_reached_through_the_grant_only),
		CLAIM(a_read_only_grant_cannot_be_written),
		CLAIM(case_92_grants_outside_far_memory_are_ignored),
		CLAIM(a_revoked_set_is_not_there_any_more),
		CLAIM(log_messages_come_whole),
		CLAIM(a_log_without_room_is_dropped_and_counted),
		CLAIM(a_process_may_have_sixteen_ends),
		CLAIM(each_of_a_crowd_gets_one_message),
		CLAIM(end_of_file_reaches_every_one_of_a_crowd),
		CLAIM(a_killed_waiter_leaves_the_others_waiting_in_order),
		CLAIM(messages_that_make_no_sense_are_counted_and_ignored),
		CLAIM(an_image_is_loaded_once_and_can_be_forgotten),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
