/*
 * test_core.c - the life of processes in the firmware, with kernels written by hand.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tests/device/fixture.h"

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

/*
 * More exits than the up FIFO holds, while the host takes none: all wait in their records, none is
 * lost.
 */
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

/* A process of this kernel that reads pipe 1. */
static void spawn_one_of_crowd(struct machine *machine, uint32_t id, unsigned kernel)
{
	const uint32_t end = 1;
	const uint64_t words[4] = {0};
	struct machine_spawn reader = {.self = nreg_self(id, 1),
		.image = MACHINE_IMAGE,
		.kernel = kernel,
		.ends = &end,
		.end_count = 1,
		.words = words,
		.word_count = 4};

	while (nchan_place_room(&machine->host, 1) < 4)
		machine_settle(machine);
	machine_spawn(machine, &reader);
}

static void create_pipe_for(struct machine *machine, unsigned readers)
{
	machine_create_pipe(machine, 1);
	for (unsigned i = 1; i < readers; i++)
		nchan_dup(nchan_find(&machine->host, 1), false);
}

/*
 * All read pipe 1: the first brings its home to the core, the others come with it in one spawn
 * each.
 */
static void spawn_crowd(struct machine *machine)
{
	create_pipe_for(machine, CROWD);
	for (uint32_t i = 1; i <= CROWD; i++)
		spawn_one_of_crowd(machine, i, ONCE);
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

static void who_is_woken_and_leaves_lets_the_next_one_know(void **state)
{
	struct machine *machine = *state;

	create_pipe_for(machine, 2);
	spawn_one_of_crowd(machine, 1, LEAVE);
	spawn_one_of_crowd(machine, 2, ONCE);
	machine_settle(machine);
	nchan_drop_writer(&machine->host, nchan_find(&machine->host, 1));
	machine_settle(machine);
	expect_exit(machine, nreg_self(1, 1), NMSG_EXITED, 5);
	expect_exit(machine, nreg_self(2, 1), NMSG_EXITED, 0);
}

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
		CLAIM(exits_wait_for_room_and_none_is_lost),
		CLAIM(log_messages_come_whole),
		CLAIM(a_log_without_room_is_dropped_and_counted),
		CLAIM(a_process_may_have_sixteen_ends),
		CLAIM(each_of_a_crowd_gets_one_message),
		CLAIM(end_of_file_reaches_every_one_of_a_crowd),
		CLAIM(a_killed_waiter_leaves_the_others_waiting_in_order),
		CLAIM(who_is_woken_and_leaves_lets_the_next_one_know),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
