/* Calls: a request and its answer in one line. */
#include <pthread.h>

#include "tests/conformance/call_pipes.h"

enum {
	MANY = 300,
	THREADS = 4,
	LINES_ON_THEIR_WAY = 64 /* at most: a FIFO of them (docs/protocol.md) */
};

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
	unsigned heard = 0, heard_by_calls;
	(void)state;
	must(nproc_set_log(suite.device, count_log, &heard));
	must(nproc_spawn(HERE, "answer_and_log", ENDS(call.answers), &process));

	for (uint64_t word = 0; word < 100; word++)
		assert_answered(call.asks, word);
	heard_by_calls = heard;
	npipe_close(call.asks);
	assert_int_equal(exit_code_of(process), 100);
	/* Of what was logged before the last answer, no more is unheard than lies in a FIFO. */
	must(nproc_stats(suite.device, &stats));
	assert_true(heard_by_calls + stats.log_dropped + LINES_ON_THEIR_WAY >= 99);
	assert_int_equal(heard + stats.log_dropped, 100);
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
		CLAIM(sizes_that_do_not_fit_lose_nothing_else),
		CLAIM(what_is_out_of_turn_gives_einval_and_changes_nothing),
		CLAIM(ends_of_calls_do_what_they_are_for_only),
		CLAIM(poll_says_when_a_call_may_be_made_and_when_nobody_answers),
		CLAIM(lines_serve_one_pipe_after_another),
	};

	return cmocka_run_group_tests_name("calls", tests, NULL, NULL);
}
