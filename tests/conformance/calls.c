/* Calls: a request and its answer in one line. */
#include <pthread.h>

#include "tests/conformance/suite.h"

enum {
	MANY = 300,
	THREADS = 4
};

static const int64_t a_moment = 2 * 1000 * 1000; /* ns */

static const struct npipe_attr of_calls = {.flags = NPIPE_CALL};

struct call {
	struct npipe *asks, *answers;
};

static struct call make_call(void)
{
	struct npipe *end[2];

	skip_unless(suite.info.is_coherent, "calls need coherent memory");
	must(npipe_create_with(suite.device, end, &of_calls));
	return (struct call){end[1], end[0]};
}

/* With a process that answers. */
static struct npipe *make_answered(int core, struct nproc **process)
{
	struct call call = make_call();

	must(nproc_spawn(HERE, "answer", ENDS_ON(core, call.answers), process));
	npipe_close(call.answers);
	return call.asks;
}

static void assert_answered(struct npipe *asks, uint64_t word)
{
	uint64_t answer = 0;

	assert_int_equal(must(npipe_call(asks, &word, sizeof word, &answer, sizeof answer)), 8);
	assert_int_equal(answer, ~word);
}

static int64_t call_word(struct npipe *asks)
{
	uint64_t word = 1;

	return npipe_call(asks, &word, sizeof word, &word, sizeof word);
}

/* ---- answers --------------------------------------------------------------------------------- */

static void each_request_gets_its_answer_at_every_length(void **state)
{
	uint8_t request[CALL_BYTES], answer[CALL_BYTES];
	struct nproc *process;
	struct npipe *asks = make_answered(0, &process);
	(void)state;

	for (unsigned i = 0; i < MANY; i++) {
		size_t nbytes = i % CALL_BYTES + 1;

		for (size_t j = 0; j < nbytes; j++)
			request[j] = stream_byte(i + j);
		assert_int_equal(
			must(npipe_call(asks, request, nbytes, answer, sizeof answer)), nbytes);
		for (size_t j = 0; j < nbytes; j++)
			assert_int_equal(answer[j], (uint8_t)~request[j]);
	}
	npipe_close(asks);
	assert_int_equal(exit_code_of(process), MANY);
}

static void a_core_answers_eight_pipes_of_calls_and_their_lines_come_back(void **state)
{
	struct npipe *asks[NPIPE_CALLS_PER_CORE];
	struct nproc *process[NPIPE_CALLS_PER_CORE], *other;
	struct call call = make_call();
	(void)state;
	for (int i = 0; i < NPIPE_CALLS_PER_CORE; i++)
		asks[i] = make_answered(0, &process[i]);

	assert_int_equal(nproc_spawn(HERE, "answer", ENDS_ON(0, call.answers), &other), -EMFILE);
	assert_detail("8 pipes");
	for (uint64_t word = 0; word < 20; word++)
		for (int i = 0; i < NPIPE_CALLS_PER_CORE; i++)
			assert_answered(asks[i], word + (uint64_t)i);
	npipe_close(asks[0]);
	must(nproc_spawn(HERE, "answer", ENDS_ON(0, call.answers), &other));
	assert_answered(call.asks, 5);

	npipe_close(call.asks);
	assert_int_equal(exit_code_of(other), 1);
	for (int i = 0; i < NPIPE_CALLS_PER_CORE; i++) {
		if (i)
			npipe_close(asks[i]);
		assert_int_equal(exit_code_of(process[i]), 20);
	}
}

static void processes_on_every_core_answer_at_once(void **state)
{
	int cores = (int)suite.info.core_count;
	struct npipe *asks[4];
	struct nproc *process[4];
	(void)state;
	for (int i = 0; i < 4; i++)
		asks[i] = make_answered(i % cores, &process[i]);

	for (uint64_t word = 0; word < 50; word++)
		for (int i = 0; i < 4; i++)
			assert_answered(asks[i], word);
	for (int i = 0; i < 4; i++) {
		npipe_close(asks[i]);
		assert_int_equal(exit_code_of(process[i]), 50);
	}
}

static void a_child_takes_over_a_request_that_is_not_answered(void **state)
{
	struct call call = make_call();
	struct nproc *process;
	(void)state;
	must(nproc_spawn(HERE, "answer_by_child", ENDS(call.answers), &process));

	for (uint64_t word = 0; word < 3; word++)
		assert_answered(call.asks, word);
	npipe_close(call.asks);
	assert_int_equal(exit_code_of(process), 2);
}

struct caller {
	pthread_t thread;
	struct npipe *asks;
	uint64_t first;
	unsigned wrong;
};

static void *call_again_and_again(void *argument)
{
	struct caller *caller = argument;

	for (uint64_t i = 0; i < MANY; i++) {
		uint64_t word = caller->first + i, answer = 0;

		caller->wrong +=
			npipe_call(caller->asks, &word, 8, &answer, 8) != 8 || answer != ~word;
	}
	return NULL;
}

static void threads_that_call_at_one_pipe_get_their_own_answers(void **state)
{
	struct caller caller[THREADS] = {{0}};
	struct nproc *process;
	struct npipe *asks = make_answered(0, &process);
	(void)state;
	skip_unless(!is_simulation(), "several threads call");
	for (unsigned i = 0; i < THREADS; i++) {
		caller[i].first = i * 1000000;
		caller[i].asks = asks;
		if (i % 2)
			must(npipe_dup(asks, &caller[i].asks));
		assert_int_equal(
			pthread_create(&caller[i].thread, NULL, call_again_and_again, &caller[i]),
			0);
	}

	for (unsigned i = 0; i < THREADS; i++) {
		assert_int_equal(pthread_join(caller[i].thread, NULL), 0);
		assert_int_equal(caller[i].wrong, 0);
		if (i % 2)
			npipe_close(caller[i].asks);
	}
	npipe_close(asks);
	assert_int_equal(exit_code_of(process), THREADS * MANY);
}

static void count_log(void *count, const struct nproc *process, const char *text)
{
	(void)process;
	(void)text;
	++*(unsigned *)count;
}

static void who_only_calls_hears_what_processes_log(void **state)
{
	struct call call = make_call();
	struct nproc_stats stats;
	struct nproc *process;
	unsigned heard = 0;
	(void)state;
	must(nproc_set_log(suite.device, count_log, &heard));
	must(nproc_spawn(HERE, "answer_and_log", ENDS(call.answers), &process));

	for (uint64_t word = 0; word < 100; word++)
		assert_answered(call.asks, word);
	/* A core drops what the host does not take in time, and counts it. */
	must(nproc_stats(suite.device, &stats));
	assert_true(heard >= 32 && heard + stats.log_dropped >= 90);
	npipe_close(call.asks);
	assert_int_equal(exit_code_of(process), 100);
}

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

/* The request was read; its answer is being thought about. */
struct told {
	struct call call;
	struct ends go, seen;
	struct nproc *process;
};

static struct told begin_told(void)
{
	struct told told = {make_call(), make_pipe(), make_pipe(), NULL};

	must(nproc_spawn(HERE, "answer_when_told",
		ENDS(told.call.answers, told.go.read, told.seen.write), &told.process));
	must(npipe_set_timeout(told.call.asks, a_moment));
	assert_int_equal(call_word(told.call.asks), -ETIMEDOUT);
	assert_int_equal(must(npipe_read(told.seen.read, &(char){0}, 1)), 1);
	return told;
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

/* ---- mistakes -------------------------------------------------------------------------------- */

static void sizes_that_do_not_fit_lose_nothing_else(void **state)
{
	uint8_t bytes[CALL_BYTES + 1] = {0};
	struct call call = make_call();
	struct nproc *process;
	(void)state;
	must(nproc_spawn(HERE, "answer_at_length", ENDS(call.answers), &process));

	assert_int_equal(npipe_call(call.asks, bytes, 0, bytes, 8), -EINVAL);
	assert_detail("1 to 56");
	assert_int_equal(npipe_call(call.asks, bytes, CALL_BYTES + 1, bytes, 8), -EMSGSIZE);
	assert_detail("56 bytes");
	bytes[0] = 9;
	assert_int_equal(npipe_call(call.asks, bytes, 1, bytes, 8), -EMSGSIZE);
	assert_detail("larger than the buffer");
	bytes[0] = 8;
	assert_int_equal(must(npipe_call(call.asks, bytes, 1, bytes, 8)), 8);
	npipe_close(call.asks);
	assert_int_equal(exit_code_of(process), 0);
}

static void what_is_out_of_turn_gives_einval_and_changes_nothing(void **state)
{
	struct call call = make_call();
	struct nproc *process;
	(void)state;
	must(nproc_spawn(HERE, "answer_out_of_turn", ENDS(call.answers), &process));

	assert_int_equal(call_word(call.asks), 8);
	assert_int_equal(exit_code_of(process), 0);
}

static void ends_of_calls_do_what_they_are_for_only(void **state)
{
	static const struct npipe_attr both = {.flags = NPIPE_CALL | NPIPE_PACKET};
	static const struct npipe_attr capacity = {.flags = NPIPE_CALL, .capacity = 1};
	struct call call = make_call();
	struct ends pipe = make_pipe();
	struct npipe_relay *relay;
	struct nproc *process;
	struct npipe *copy, *end[2];
	char byte = 0;
	(void)state;

	assert_int_equal(npipe_create_with(suite.device, end, &both), -EINVAL);
	assert_int_equal(npipe_create_with(suite.device, end, &capacity), -EINVAL);
	assert_int_equal(npipe_read(call.answers, &byte, 1), -EBADF);
	assert_int_equal(npipe_read(call.asks, &byte, 1), -EBADF);
	assert_int_equal(npipe_write(call.answers, &byte, 1), -EBADF);
	assert_int_equal(npipe_write(call.asks, &byte, 1), -EBADF);
	assert_int_equal(npipe_call(call.answers, &byte, 1, &byte, 1), -EBADF);
	assert_int_equal(npipe_call(pipe.write, &byte, 1, &byte, 1), -EBADF);
	assert_int_equal(npipe_call(NULL, &byte, 1, &byte, 1), -EBADF);
	assert_int_equal(npipe_dup(call.answers, &copy), -EINVAL);
	assert_null(copy);
	assert_int_equal(npipe_relay(pipe.read, call.asks, 0, &relay), -EINVAL);
	assert_int_equal(nproc_spawn(HERE, "answer", ENDS(call.asks), &process), -EOPNOTSUPP);
	must(nproc_spawn(HERE, "answer", ENDS(call.answers), &process));
	assert_int_equal(npipe_write(call.asks, &byte, 1), -EBADF);
	must(npipe_set_timeout(call.asks, 0));
	assert_int_equal(npipe_call(call.asks, &byte, 1, &byte, 1), -EINVAL);
	assert_detail("timeout");
}

/* ---- waiting at many ends -------------------------------------------------------------------- */

static void poll_says_when_a_call_may_be_made_and_when_nobody_answers(void **state)
{
	struct told told = begin_told();
	struct npoll entry = {.end = told.call.asks, .events = NPOLL_WRITE};
	(void)state;

	assert_int_equal(npipe_poll(&entry, 1, 0), -EAGAIN);
	must(npipe_write(told.go.write, "go", 2));
	assert_int_equal(must(npipe_poll(&entry, 1, NPROC_FOREVER)), 1);
	assert_int_equal(entry.revents, NPOLL_WRITE);
	assert_answered(told.call.asks, 4);
	must(nproc_kill(told.process));
	do
		must(npipe_poll(&entry, 1, NPROC_FOREVER));
	while (!(entry.revents & NPOLL_HANGUP));
	nproc_close(told.process);
}

/* ---- many ------------------------------------------------------------------------------------ */

/* Each line is used again, also behind a request that was never answered. */
static void lines_serve_one_pipe_after_another(void **state)
{
	(void)state;
	for (unsigned i = 0; i < MANY; i++) {
		struct nproc *process;
		struct call call = make_call();
		enum leave leave = i % 2 ? LEAVE_BY_RETURN : LEAVE_AT_ONCE;

		must(nproc_spawn(
			HERE, "answer_some", ENDS_ON(0, call.answers), &process, i % 3, leave));
		npipe_close(call.answers);
		for (uint64_t word = 0; word < i % 3; word++)
			assert_answered(call.asks, word);
		if (i % 4)
			assert_int_equal(call_word(call.asks), -EPIPE);
		npipe_close(call.asks);
		exit_code_of(process);
	}
}

int run_calls(void)
{
	const struct CMUnitTest tests[] = {
		CLAIM(each_request_gets_its_answer_at_every_length),
		CLAIM(a_core_answers_eight_pipes_of_calls_and_their_lines_come_back),
		CLAIM(processes_on_every_core_answer_at_once),
		CLAIM(a_child_takes_over_a_request_that_is_not_answered),
		CLAIM(threads_that_call_at_one_pipe_get_their_own_answers),
		CLAIM(who_only_calls_hears_what_processes_log),
		CLAIM(a_process_reads_the_end_when_the_last_caller_closes),
		CLAIM(an_answer_that_comes_before_the_end_is_delivered),
		CLAIM(a_process_that_ends_before_its_answer_gives_epipe),
		CLAIM(an_end_that_is_closed_at_the_host_gives_epipe),
		CLAIM(a_kill_during_a_call_gives_epipe),
		CLAIM(a_kill_by_another_thread_ends_a_call_that_waits),
		CLAIM(a_late_answer_is_no_answer_to_the_next_call),
		CLAIM(a_late_answer_to_nobody_gives_epipe_and_then_the_end),
		CLAIM(a_call_without_a_process_waits_for_one),
		CLAIM(sizes_that_do_not_fit_lose_nothing_else),
		CLAIM(what_is_out_of_turn_gives_einval_and_changes_nothing),
		CLAIM(ends_of_calls_do_what_they_are_for_only),
		CLAIM(poll_says_when_a_call_may_be_made_and_when_nobody_answers),
		CLAIM(lines_serve_one_pipe_after_another),
	};

	return cmocka_run_group_tests_name("calls", tests, NULL, NULL);
}
