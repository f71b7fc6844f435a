/* nproc_kill() ends a process wherever it is. */
#include <sched.h>

#include "tests/conformance/suite.h"

static const char endless[] = "an endless kernel cannot be interrupted";

static void assert_killed(struct nproc *process)
{
	struct nproc_status status = ending_of(process);

	assert_int_equal(status.state, NPROC_KILLED);
}

/* An endless kernel that is known to run, on core 0. */
static struct nproc *spawn_spinner(uint64_t *word)
{
	struct nproc *process;

	must(nproc_spawn(HERE, "spin_in_far_memory", ON_CORE(0), &process, word));
	while (!fresh_word(word))
		sched_yield();
	return process;
}

static void a_process_that_waits_is_killed(void **state)
{
	struct ends pipe = make_pipe();
	struct nproc *process;
	(void)state;
	must(nproc_spawn(HERE, "wait_for_end", ENDS(pipe.read), &process));

	must(nproc_kill(process));

	assert_killed(process);
}

static void a_process_that_was_just_spawned_is_killed(void **state)
{
	struct nproc *process;
	(void)state;

	for (int i = 0; i < 200; i++) {
		must(nproc_spawn(HERE, "yield_for_ever", NULL, &process));
		must(nproc_kill(process));
		assert_killed(process);
	}
}

static void a_process_that_yields_is_killed(void **state)
{
	struct nproc *process;
	struct nproc_status status;
	(void)state;
	must(nproc_spawn(HERE, "yield_for_ever", NULL, &process));
	assert_int_equal(nproc_wait(process, &status, 10 * 1000), -ETIMEDOUT);

	must(nproc_kill(process));

	assert_killed(process);
}

static void an_endless_loop_is_killed(void **state)
{
	struct nproc *process;
	struct nproc_status status;
	(void)state;
	skip_unless(suite.info.can_preempt, endless);
	must(nproc_spawn(HERE, "spin", NULL, &process));
	assert_int_equal(nproc_wait(process, &status, 1000 * 1000), -ETIMEDOUT);

	must(nproc_kill(process));

	assert_killed(process);
}

static void an_endless_loop_over_far_memory_is_killed(void **state)
{
	struct nproc *process;
	void *memory;
	(void)state;
	skip_unless(suite.info.can_preempt, endless);
	must(nmem_alloc(suite.device, 8, &memory));
	process = spawn_spinner(memory);

	must(nproc_kill(process));

	assert_killed(process);
	must(nmem_free(suite.device, memory));
}

/* Its spawn still lies in the FIFO when it is killed, behind a kernel that never suspends. */
static void a_process_that_never_started_is_killed(void **state)
{
	struct nproc *spinner, *process;
	struct nproc_status status;
	void *memory;
	(void)state;
	skip_unless(suite.info.can_preempt, endless);
	must(nmem_alloc(suite.device, 8, &memory));
	spinner = spawn_spinner(memory);
	must(nproc_spawn(HERE, "yield_for_ever", ON_CORE(0), &process));

	must(nproc_kill(process));

	assert_int_equal(nproc_wait(process, &status, 1000 * 1000), -ETIMEDOUT);
	must(nproc_kill(spinner));
	assert_killed(process);
	assert_killed(spinner);
}

static void many_victims_of_one_core(void **state)
{
	enum {
		COUNT = 200
	};
	struct nproc *process[COUNT];
	(void)state;
	for (int i = 0; i < COUNT; i++)
		must(nproc_spawn(HERE, i % 2 ? "yield_for_ever" : "wait_for_end",
			i % 2 ? ON_CORE(0) : ENDS_ON(0, make_pipe().read), &process[i]));

	for (int i = 0; i < COUNT; i++)
		must(nproc_kill(process[(i * 7) % COUNT]));

	for (int i = 0; i < COUNT; i++)
		assert_killed(process[i]);
}

/* Some end by themselves while they wait for their turn to be killed. */
static void victims_that_end_by_themselves(void **state)
{
	enum {
		COUNT = 100
	};
	struct nproc *process[COUNT];
	struct nproc_status status;
	(void)state;
	for (uint32_t i = 0; i < COUNT; i++)
		must(nproc_spawn(HERE, "yield_times", ON_CORE(0), &process[i], i % 10));

	for (int i = 0; i < COUNT; i++)
		must(nproc_kill(process[i]));

	for (int i = 0; i < COUNT; i++) {
		status = ending_of(process[i]);
		assert_true(status.state == NPROC_KILLED || status.state == NPROC_EXITED);
	}
}

static void killing_twice_and_after_the_end_is_no_error(void **state)
{
	struct ends pipe = make_pipe();
	struct nproc *process;
	(void)state;
	must(nproc_spawn(HERE, "wait_for_end", ENDS(pipe.read), &process));

	must(nproc_kill(process));
	must(nproc_kill(process));
	must(nproc_wait(process, NULL, NPROC_FOREVER));
	must(nproc_kill(process));

	assert_killed(process);
}

/* Case 82: a killed peer is an end of file or -EPIPE, never a hang. */
static void case_82_pipes_of_a_killed_process_end(void **state)
{
	struct ends in = make_pipe(), out = make_pipe();
	struct nproc *process;
	int64_t result;
	char byte;
	(void)state;
	must(nproc_spawn(HERE, "echo", ENDS(in.read, out.write), &process, 10));
	must(npipe_write(in.write, "x", 1));
	assert_int_equal(must(npipe_read(out.read, &byte, 1)), 1);

	must(nproc_kill(process));

	assert_int_equal(must(npipe_read(out.read, &byte, 1)), 0);
	while ((result = npipe_write(in.write, "x", 1)) == 1)
		;
	assert_int_equal(result, -EPIPE);
	assert_killed(process);
}

static void case_82_a_process_whose_reader_is_killed_gets_epipe(void **state)
{
	struct ends pipe = make_pipe(), in = make_pipe();
	struct nproc *writer, *reader;
	(void)state;
	must(nproc_spawn(HERE, "wait_for_end", ENDS(in.read, pipe.read), &reader));
	must(nproc_spawn(HERE, "write_until_error", ENDS(pipe.write), &writer));

	must(nproc_kill(reader));

	assert_int_equal(exit_code_of(writer), -EPIPE);
	assert_killed(reader);
}

/* What was written before the writer was killed is read first. */
static void a_killed_writer_loses_nothing_that_it_wrote(void **state)
{
	struct ends in = make_pipe(), out = make_pipe();
	struct nproc *process;
	char bytes[16];
	(void)state;
	must(nproc_spawn(HERE, "echo", ENDS(in.read, out.write), &process, 10));
	must(npipe_write(in.write, "12345", 5));
	assert_int_equal(must(npipe_read(out.read, bytes, 1)), 1);

	must(nproc_kill(process));
	assert_killed(process);

	assert_int_equal(must(npipe_read_full(out.read, bytes, sizeof bytes)), 4);
	assert_memory_equal(bytes, "2345", 4);
}

static void the_core_goes_on_after_a_kill(void **state)
{
	struct nproc *spinner, *process;
	(void)state;
	skip_unless(suite.info.can_preempt, endless);

	for (int i = 0; i < 20; i++) {
		must(nproc_spawn(HERE, "spin", ON_CORE(0), &spinner));
		must(nproc_spawn(HERE, "exit_with", ON_CORE(0), &process, i));
		must(nproc_kill(spinner));
		assert_int_equal(exit_code_of(process), i);
		assert_killed(spinner);
	}
}

int run_kills(void)
{
	const struct CMUnitTest tests[] = {
		CLAIM(a_process_that_waits_is_killed),
		CLAIM(a_process_that_was_just_spawned_is_killed),
		CLAIM(a_process_that_yields_is_killed),
		CLAIM(an_endless_loop_is_killed),
		CLAIM(an_endless_loop_over_far_memory_is_killed),
		CLAIM(a_process_that_never_started_is_killed),
		CLAIM(many_victims_of_one_core),
		CLAIM(victims_that_end_by_themselves),
		CLAIM(killing_twice_and_after_the_end_is_no_error),
		CLAIM(case_82_pipes_of_a_killed_process_end),
		CLAIM(case_82_a_process_whose_reader_is_killed_gets_epipe),
		CLAIM(a_killed_writer_loses_nothing_that_it_wrote),
		CLAIM(the_core_goes_on_after_a_kill),
	};

	return cmocka_run_group_tests_name("kills", tests, NULL, NULL);
}
