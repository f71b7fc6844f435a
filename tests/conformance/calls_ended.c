/* Calls that do not come to their answer: ends close, processes end, time is over. */
#include <pthread.h>

#include "tests/conformance/call_pipes.h"

static const int64_t a_moment = 2 * 1000 * 1000; /* ns */

/* ---- ends that close ------------------------------------------------------------------------- */

static void a_process_reads_the_end_when_the_last_caller_closes(void **state)
{
	struct call call = make_call();
	struct nproc *process;
	struct npipe *copy;
	(void)state;
	must(npipe_dup(call.asks, &copy));
	must(nproc_spawn(HERE, "answer", ENDS(call.answers), &process));

	assert_answered(call.asks, 1);
	npipe_close(call.asks);
	assert_answered(copy, 2);
	npipe_close(copy);
	assert_int_equal(exit_code_of(process), 2);
}

static void an_answer_that_comes_before_the_end_is_delivered(void **state)
{
	struct call call = make_call();
	struct nproc *process;
	(void)state;
	must(nproc_spawn(HERE, "answer_some", ENDS(call.answers), &process, 3, LEAVE_AT_ONCE));

	for (uint64_t word = 0; word < 3; word++)
		assert_answered(call.asks, word);
	assert_int_equal(call_word(call.asks), -EPIPE);
	assert_int_equal(call_word(call.asks), -EPIPE);
	assert_int_equal(exit_code_of(process), 1);
}

static void a_process_that_ends_before_its_answer_gives_epipe(void **state)
{
	static const enum leave ways[] = {LEAVE_BY_RETURN, LEAVE_BY_CLOSE, LEAVE_BY_FAULT};
	(void)state;
	for (unsigned i = 0; i < sizeof ways / sizeof ways[0]; i++) {
		struct call call = make_call();
		struct nproc *process;

		must(nproc_spawn(HERE, "answer_some", ENDS(call.answers), &process, 2, ways[i]));
		assert_answered(call.asks, 1);
		assert_answered(call.asks, 2);
		assert_int_equal(call_word(call.asks), -EPIPE);
		npipe_close(call.asks);
		assert_int_equal(ending_of(process).state,
			ways[i] == LEAVE_BY_FAULT ? NPROC_FAULTED : NPROC_EXITED);
	}
}

static void an_end_that_is_closed_at_the_host_gives_epipe(void **state)
{
	struct call call = make_call();
	(void)state;
	npipe_close(call.answers);
	assert_int_equal(call_word(call.asks), -EPIPE);
}

static void a_kill_during_a_call_gives_epipe(void **state)
{
	struct told told = begin_told();
	(void)state;
	must(nproc_kill(told.process));
	assert_int_equal(ending_of(told.process).state, NPROC_KILLED);
	must(npipe_set_timeout(told.call.asks, NPROC_FOREVER));
	assert_int_equal(call_word(told.call.asks), -EPIPE);
}

static void *kill_when_seen(void *argument)
{
	struct told *told = argument;

	must(npipe_read(told->seen.read, &(char){0}, 1));
	must(nproc_kill(told->process));
	return NULL;
}

static void a_kill_by_another_thread_ends_a_call_that_waits(void **state)
{
	struct told told = {make_call(), make_pipe(), make_pipe(), NULL};
	pthread_t thread;
	(void)state;
	skip_unless(!is_simulation(), "several threads wait");
	must(nproc_spawn(HERE, "answer_when_told",
		ENDS(told.call.answers, told.go.read, told.seen.write), &told.process));
	assert_int_equal(pthread_create(&thread, NULL, kill_when_seen, &told), 0);

	assert_int_equal(call_word(told.call.asks), -EPIPE);
	assert_int_equal(pthread_join(thread, NULL), 0);
	assert_int_equal(ending_of(told.process).state, NPROC_KILLED);
}

/* ---- time ------------------------------------------------------------------------------------ */

static void a_late_answer_is_no_answer_to_the_next_call(void **state)
{
	struct told told = begin_told();
	(void)state;
	assert_int_equal(call_word(told.call.asks), -ETIMEDOUT); /* the first is still out */
	must(npipe_write(told.go.write, "go", 2));
	must(npipe_set_timeout(told.call.asks, NPROC_FOREVER));

	assert_answered(told.call.asks, 77);
	must(npipe_write(told.go.write, "go", 2));
	assert_answered(told.call.asks, 78);
	assert_answered(told.call.asks, 79);
	npipe_close(told.call.asks);
	assert_int_equal(exit_code_of(told.process), 4);
}

static void a_late_answer_to_nobody_gives_epipe_and_then_the_end(void **state)
{
	struct told told = begin_told();
	(void)state;
	npipe_close(told.call.asks);
	must(npipe_write(told.go.write, "go", 2));
	/* The CLOSE came before the byte: both use one FIFO. */
	assert_int_equal(exit_code_of(told.process), 100);
}

static void a_call_without_a_process_waits_for_one(void **state)
{
	struct call call = make_call();
	struct nproc *process;
	(void)state;
	must(npipe_set_timeout(call.asks, a_moment));
	assert_int_equal(call_word(call.asks), -ETIMEDOUT);
	must(npipe_set_timeout(call.asks, NPROC_FOREVER));
	must(nproc_spawn(HERE, "answer", ENDS(call.answers), &process));

	assert_answered(call.asks, 3);
	npipe_close(call.asks);
	assert_int_equal(exit_code_of(process), 1);
}

int run_calls_ended(void)
{
	const struct CMUnitTest tests[] = {
		CLAIM(a_process_reads_the_end_when_the_last_caller_closes),
		CLAIM(an_answer_that_comes_before_the_end_is_delivered),
		CLAIM(a_process_that_ends_before_its_answer_gives_epipe),
		CLAIM(an_end_that_is_closed_at_the_host_gives_epipe),
		CLAIM(a_kill_during_a_call_gives_epipe),
		CLAIM(a_kill_by_another_thread_ends_a_call_that_waits),
		CLAIM(a_late_answer_is_no_answer_to_the_next_call),
		CLAIM(a_late_answer_to_nobody_gives_epipe_and_then_the_end),
		CLAIM(a_call_without_a_process_waits_for_one),
	};

	return cmocka_run_group_tests_name("calls_ended", tests, NULL, NULL);
}
