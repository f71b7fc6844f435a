/* nproc_explain_blocked(): who waits for whom, also while the device runs. */
#include <pthread.h>

#include "tests/conformance/suite.h"

/* The text, which the caller frees. */
static char *explanation(int64_t timeout_ns)
{
	size_t nbytes;
	char *text;
	FILE *out = open_memstream(&text, &nbytes);

	assert_non_null(out);
	must(nproc_explain_blocked(suite.device, out, timeout_ns));
	fclose(out);
	return text;
}

static void assert_in(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("'%s' is not in:\n%s", part, text);
}

static void assert_not_in(const char *text, const char *part)
{
	if (strstr(text, part))
		fail_msg("'%s' is in:\n%s", part, text);
}

/* Until the device has come to rest: all `count` processes wait. */
static char *explanation_when_waiting(unsigned count)
{
	char head[64];
	char *text = explanation(NPROC_FOREVER);

	snprintf(head, sizeof head, "%u process%s, of which %u wait%s\n", count,
		count == 1 ? "" : "es", count, count == 1 ? "s" : "");
	while (!strstr(text, head)) {
		free(text);
		text = explanation(NPROC_FOREVER);
	}
	return text;
}

static void an_idle_device_has_nothing_to_explain(void **state)
{
	char *text = explanation(NPROC_FOREVER);
	(void)state;

	assert_in(text, ": 0 processes, of which 0 wait\n");
	assert_int_equal(strcspn(text, "\n") + 1, strlen(text));
	free(text);
}

static void a_waiting_reader_is_shown_with_its_place_and_writer(void **state)
{
	struct ends pipe = make_pipe();
	struct nproc *process;
	char *text;
	(void)state;
	must(nproc_spawn(HERE, "wait_for_end", ENDS(pipe.read), &process));

	text = explanation_when_waiting(1);

	assert_in(text, "process 1 (wait_for_end) on core 0 waits to read end 0, pipe 1 at ");
	assert_in(text, "kernels.c:");
	assert_in(text, " in wait_for_end; written by the host\n");
	assert_not_in(text, "never go on");
	free(text);
	npipe_close(pipe.write);
	assert_int_equal(exit_code_of(process), 0);
}

static void a_waiting_writer_is_shown_with_its_reader(void **state)
{
	struct ends full = make_pipe(), other = make_pipe();
	struct nproc *writer, *reader;
	char *text;
	(void)state;
	must(nproc_spawn(HERE, "wait_for_end", ENDS(other.read, full.read), &reader));
	must(nproc_spawn(HERE, "write_until_error", ENDS(full.write), &writer));

	text = explanation_when_waiting(2);

	assert_in(text, "process 2 (write_until_error) on core ");
	assert_in(text, " waits to write end 0, pipe 1 at ");
	assert_in(text, "; read by process 1 (wait_for_end)\n");
	free(text);
	npipe_close(other.write);
	assert_int_equal(exit_code_of(reader), 0);
	assert_int_equal(exit_code_of(writer), -EPIPE);
}

static void processes_that_wait_for_each_other_are_named(void **state)
{
	struct ends one = make_pipe(), other = make_pipe(), alone = make_pipe();
	struct nproc *process[3];
	char *text;
	(void)state;
	must(nproc_spawn(HERE, "echo", ENDS(one.read, other.write), &process[0], 8));
	must(nproc_spawn(HERE, "echo", ENDS(other.read, one.write), &process[1], 8));
	must(nproc_spawn(HERE, "wait_for_end", ENDS(alone.read), &process[2]));

	text = explanation_when_waiting(3);

	assert_in(text, "; written by process 2 (echo)\n");
	assert_in(text, "; written by process 1 (echo)\n");
	assert_in(text,
		"can never go on, whatever the host does: process 1 (echo), process 2 (echo)\n");
	free(text);
}

/* A report of a process with more ends than a line holds. */
static void all_ends_of_a_process_are_known(void **state)
{
	struct npipe *ends[NPROC_ENDS_MAX];
	struct nproc_attr attr = {NPROC_ANY_CORE, NPROC_ENDS_MAX, ends, 0, 0};
	struct ends pipe[NPROC_ENDS_MAX];
	struct nproc *holder, *reader;
	char *text;
	(void)state;
	for (int i = 0; i < NPROC_ENDS_MAX; i++) {
		pipe[i] = make_pipe();
		ends[i] = i ? pipe[i].write : pipe[i].read;
	}
	must(nproc_spawn(HERE, "wait_for_end", &attr, &holder));
	must(nproc_spawn(HERE, "wait_for_end", ENDS(pipe[NPROC_ENDS_MAX - 1].read), &reader));

	text = explanation_when_waiting(2);

	assert_in(text, "waits to read end 0, pipe 16 at ");
	assert_in(text, "; written by process 1 (wait_for_end)\n");
	free(text);
	npipe_close(pipe[0].write);
	assert_int_equal(exit_code_of(holder), 0);
	assert_int_equal(exit_code_of(reader), 0);
}

/* A parent, a child that reads what the host writes, and one that reads a pipe of the parent. */
static void processes_that_a_process_started_are_shown(void **state)
{
	struct ends in = make_pipe(), out = make_pipe();
	struct nproc *process;
	char *text;
	(void)state;
	must(nproc_spawn(HERE, "relay", ENDS(in.read, out.write), &process));

	text = explanation_when_waiting(3);

	assert_in(text, "process 1 (relay) on core 0 waits for a process that it started at ");
	assert_in(text, " of core 0 (started by process 1, relay) waits to read end 0, pipe 1 at ");
	assert_in(text, " of core 0 at ");
	assert_in(text, "; written by the host\n");
	assert_in(text, "; written by process 131073 of core 0 (started by process 1, relay)\n");
	free(text);
	npipe_close(in.write);
	assert_int_equal(exit_code_of(process), 0);
}

static void a_process_and_the_children_it_waits_for_may_be_stuck_together(void **state)
{
	struct ends pipe = make_pipe();
	struct nproc *stuck, *other;
	char *text;
	(void)state;
	must(nproc_spawn(HERE, "wait_for_readers", ON_CORE(0), &stuck, false));

	text = explanation_when_waiting(3);

	assert_in(text, "can never go on, whatever the host does: process 1 (wait_for_readers), "
			"process 131073 of core 0 (started by process 1, wait_for_readers), "
			"process 131074 of core 0 (started by process 1, wait_for_readers)\n");
	free(text);

	must(nproc_spawn(HERE, "wait_for_readers", ENDS_ON(0, pipe.read), &other, true));
	text = explanation_when_waiting(7);
	assert_in(text, "never go on, whatever the host does: process 1 (wait_for_readers), ");
	assert_not_in(text, "never go on, whatever the host does: process 2");
	assert_not_in(text, "(wait_for_readers), process 2");
	free(text);
	npipe_close(pipe.write);
	assert_int_equal(exit_code_of(other), 2);
}

static void who_waits_for_a_child_on_another_core_is_not_called_stuck(void **state)
{
	struct ends pipe = make_pipe();
	struct nproc *process;
	char *text;
	(void)state;
	skip_unless(suite.info.core_count > 1, "the device has one core");
	must(nproc_spawn(
		HERE, "wait_for_writer_abroad", ENDS_ON(0, pipe.read, pipe.write), &process, 1));

	text = explanation_when_waiting(2);

	assert_in(text, "process 1 (wait_for_writer_abroad) on core 0 waits for a process that ");
	assert_not_in(text, "never go on");
	free(text);
}

/* Many more than a FIFO holds answers for, and than are shown. */
static void all_of_many_processes_are_counted(void **state)
{
	enum {
		COUNT = 1100
	};
	struct nproc *process;
	char *text;
	(void)state;
	for (int i = 0; i < COUNT; i++) {
		must(nproc_spawn(HERE, "wait_for_end", ENDS(make_pipe().read), &process));
		nproc_close(process);
	}

	text = explanation_when_waiting(COUNT);

	assert_in(text, "\nprocess 1000 (wait_for_end) on core ");
	assert_not_in(text, "\nprocess 1001 (wait_for_end)");
	assert_in(text, "\nand 100 processes more\n");
	free(text);
}

static void a_core_that_does_not_answer_is_named(void **state)
{
	struct nproc *process;
	char *text;
	(void)state;
	skip_unless(suite.info.can_preempt, "endless kernels cannot be killed");
	must(nproc_spawn(HERE, "spin", ON_CORE(0), &process));

	text = explanation(20 * 1000 * 1000);
	while (!strstr(text, "core 0 did not answer: it runs process 1 (spin)")) {
		free(text);
		text = explanation(20 * 1000 * 1000);
	}

	free(text);
	must(nproc_kill(process));
	assert_int_equal(ending_of(process).state, NPROC_KILLED);
}

static void *read_for_ever(void *end)
{
	char byte;

	return (void *)(intptr_t)npipe_read(end, &byte, 1);
}

static void *wait_for_process(void *process)
{
	return (void *)(intptr_t)nproc_wait(process, NULL, NPROC_FOREVER);
}

static void threads_of_the_host_are_shown(void **state)
{
	struct ends pipe = make_pipe(), other = make_pipe();
	pthread_t reader, waiter;
	struct nproc *process;
	void *result;
	char *text;
	(void)state;
	skip_unless(!is_simulation(), "both ends are one thread");
	must(nproc_spawn(HERE, "echo", ENDS(other.read, pipe.write), &process, 1));
	assert_int_equal(pthread_create(&reader, NULL, read_for_ever, pipe.read), 0);
	assert_int_equal(pthread_create(&waiter, NULL, wait_for_process, process), 0);

	text = explanation_when_waiting(1);
	while (!strstr(text, "1 thread of the host waits to read pipe 1; written by process 1 "
			     "(echo)\n") ||
		!strstr(text, "1 thread of the host waits for process 1 (echo)\n")) {
		free(text);
		text = explanation(NPROC_FOREVER);
	}

	free(text);
	npipe_close(other.write);
	assert_int_equal(pthread_join(reader, &result), 0);
	assert_null(result);
	assert_int_equal(pthread_join(waiter, &result), 0);
	assert_null(result);
}

/* Whatever goes on, asking changes nothing. */
static void asking_does_not_disturb(void **state)
{
	struct ends in = make_pipe(), out = make_pipe();
	struct nproc *process[2];
	uint64_t word = 0;
	(void)state;
	must(nproc_spawn(HERE, "source", ENDS(in.write), &process[0], 300 * 1000, 100));
	must(nproc_spawn(HERE, "sink", ENDS(in.read), &process[1], 100));
	in = make_pipe();
	must(nproc_spawn(HERE, "add_one", ENDS(in.read, out.write), &(struct nproc *){NULL}));

	for (int i = 0; i < 100; i++) {
		must(npipe_write(in.write, &word, sizeof word));
		free(explanation(NPROC_FOREVER));
		must(npipe_read_full(out.read, &word, sizeof word));
	}

	assert_int_equal(word, 100);
	assert_int_equal(exit_code_of(process[0]), 0);
	assert_int_equal(exit_code_of(process[1]), 300 * 1000);
}

static void a_deadlock_of_a_simulation_is_explained(void **state)
{
	struct ends one = make_pipe(), other = make_pipe();
	struct nproc *process[2];
	(void)state;
	skip_unless(is_simulation(), "a deadlock cannot be told from a long wait");
	must(nproc_spawn(HERE, "echo", ENDS(one.read, other.write), &process[0], 8));
	must(nproc_spawn(HERE, "echo", ENDS(other.read, one.write), &process[1], 8));

	assert_int_equal(nproc_wait(process[0], NULL, NPROC_FOREVER), -EDEADLK);

	assert_detail("nothing can happen any more");
	assert_detail("process 1 (echo) on core 0 waits to read end 0, pipe 1");
}

int run_blocked(void)
{
	const struct CMUnitTest tests[] = {
		CLAIM(an_idle_device_has_nothing_to_explain),
		CLAIM(a_waiting_reader_is_shown_with_its_place_and_writer),
		CLAIM(a_waiting_writer_is_shown_with_its_reader),
		CLAIM(processes_that_wait_for_each_other_are_named),
		CLAIM(all_ends_of_a_process_are_known),
		CLAIM(processes_that_a_process_started_are_shown),
		CLAIM(a_process_and_the_children_it_waits_for_may_be_stuck_together),
		CLAIM(who_waits_for_a_child_on_another_core_is_not_called_stuck),
		CLAIM(all_of_many_processes_are_counted),
		CLAIM(a_core_that_does_not_answer_is_named),
		CLAIM(threads_of_the_host_are_shown),
		CLAIM(asking_does_not_disturb),
		CLAIM(a_deadlock_of_a_simulation_is_explained),
	};

	return cmocka_run_group_tests_name("blocked", tests, NULL, NULL);
}
