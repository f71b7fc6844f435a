/* Waiting for one of several, and for what may never come. */
#include "tests/conformance/suite.h"

enum {
	COUNT = 8
};

static void spawn_all(struct nproc **process, struct ends *pipe)
{
	for (int i = 0; i < COUNT; i++) {
		pipe[i] = make_pipe();
		must(nproc_spawn(HERE, "wait_for_end", ENDS(pipe[i].read), &process[i]));
	}
}

static void wait_any_says_which_one_has_ended(void **state)
{
	static const size_t order[COUNT] = {3, 7, 0, 1, 6, 2, 5, 4};
	struct nproc *process[COUNT];
	struct ends pipe[COUNT];
	struct nproc_status status;
	size_t index;
	(void)state;
	spawn_all(process, pipe);

	for (int i = 0; i < COUNT; i++) {
		npipe_close(pipe[order[i]].write);
		must(nproc_wait_any(process, COUNT, &index, &status, NPROC_FOREVER));
		assert_int_equal(index, order[i]);
		assert_int_equal(status.state, NPROC_EXITED);
		nproc_close(process[index]);
		process[index] = NULL;
	}
	assert_int_equal(nproc_wait_any(process, COUNT, &index, &status, NPROC_FOREVER), -ECHILD);
	assert_int_equal(nproc_wait_any(process, 0, &index, &status, NPROC_FOREVER), -ECHILD);
}

static void wait_any_without_time_gives_eagain(void **state)
{
	struct nproc *process[COUNT];
	struct ends pipe[COUNT];
	struct nproc_status status;
	size_t index;
	(void)state;
	spawn_all(process, pipe);

	assert_int_equal(nproc_wait_any(process, COUNT, &index, &status, 0), -EAGAIN);
	assert_int_equal(nproc_wait_any(process, COUNT, &index, &status, 1000 * 1000), -ETIMEDOUT);
}

static void wait_any_returns_at_once_when_one_has_ended(void **state)
{
	struct nproc *process[2];
	struct nproc_status status;
	size_t index;
	(void)state;
	must(nproc_spawn(HERE, "wait_for_end", ENDS(make_pipe().read), &process[0]));
	must(nproc_spawn(HERE, "exit_with", NULL, &process[1], 4));
	must(nproc_wait(process[1], NULL, NPROC_FOREVER));

	must(nproc_wait_any(process, 2, &index, &status, 0));

	assert_int_equal(index, 1);
	assert_int_equal(status.exit_code, 4);
}

/* In a simulation nobody else exists who could still do something. */
static void a_wait_for_nothing_is_found_out_in_a_simulation(void **state)
{
	struct ends pipe = make_pipe();
	struct nproc *process;
	char byte;
	(void)state;
	skip_unless(is_simulation(), "a deadlock cannot be told from a long wait");
	must(nproc_spawn(HERE, "wait_for_end", ENDS(pipe.read), &process));

	assert_int_equal(nproc_wait(process, NULL, NPROC_FOREVER), -EDEADLK);
	assert_detail("nothing can happen any more");
	assert_int_equal(npipe_read(make_pipe().read, &byte, 1), -EDEADLK);
	npipe_close(pipe.write);
	assert_int_equal(exit_code_of(process), 0);
}

int run_waiting(void)
{
	const struct CMUnitTest tests[] = {
		CLAIM(wait_any_says_which_one_has_ended),
		CLAIM(wait_any_without_time_gives_eagain),
		CLAIM(wait_any_returns_at_once_when_one_has_ended),
		CLAIM(a_wait_for_nothing_is_found_out_in_a_simulation),
	};

	return cmocka_run_group_tests_name("waiting", tests, NULL, NULL);
}
