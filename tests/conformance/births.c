/*
 * Processes start processes: what a child is given, how it ends, and what becomes of families and
 * groups.
 */
#include <sched.h>

#include "tests/conformance/suite.h"

static int64_t run(const char *kernel, const struct nproc_attr *attr)
{
	struct nproc *process;

	must(nproc_spawn(HERE, kernel, attr, &process));
	return exit_code_of(process);
}

static uint64_t births(void)
{
	struct nproc_stats stats;

	must(nproc_stats(suite.device, &stats));
	return stats.births;
}

static uint8_t *make_bytes(size_t nbytes)
{
	void *bytes;

	must(nmem_alloc(suite.device, nbytes, &bytes));
	for (size_t i = 0; i < nbytes; i++)
		((uint8_t *)bytes)[i] = (uint8_t)i;
	hand_over(bytes, nbytes);
	return bytes;
}

/* ---- starting and waiting -------------------------------------------------------------------- */

static void a_tree_of_processes_sums_an_array(void **state)
{
	uint8_t *bytes = make_bytes(1000);
	struct nproc *process;
	int64_t expected = 0;
	(void)state;

	for (int i = 0; i < 1000; i++)
		expected += (uint8_t)i;
	must(nproc_spawn(HERE, "sum_by_halves", NULL, &process, bytes, 1000));

	assert_int_equal(exit_code_of(process), expected);
	assert_int_equal(births(), 254);
	must(nmem_free(suite.device, bytes));
}

static void a_child_gets_arguments_of_every_kind(void **state)
{
	(void)state;

	assert_int_equal(run("start_with_arguments", NULL), 1);
}

static void a_process_may_have_sixty_four_children_not_waited_for(void **state)
{
	(void)state;

	assert_int_equal(run("start_many", NULL), -EMFILE * 100000 + 63 * 64 / 2);
}

static void a_child_that_was_waited_for_leaves_nothing(void **state)
{
	struct nproc *process;
	(void)state;

	must(nproc_spawn(HERE, "start_often", NULL, &process, 20000));
	assert_int_equal(exit_code_of(process), 0);
	assert_int_equal(births(), 20000);
}

static void what_cannot_be_started_is_an_errno(void **state)
{
	static const int64_t expected[] = {
		-EFAULT, -EACCES, -EBADF, -EBADF, -EINVAL, -EINVAL, -ECHILD, -ECHILD};
	uint8_t *bytes = make_bytes(64), *other = make_bytes(64);
	struct ends pipe = make_pipe();
	struct nproc *process;
	int64_t seen[8];
	(void)state;

	must(nproc_spawn(HERE, "start_wrongly", ENDS(pipe.write), &process, bytes, other,
		suite.info.core_count));
	must(npipe_read_full(pipe.read, seen, sizeof seen));
	assert_int_equal(exit_code_of(process), 0);
	for (int i = 0; i < 8; i++)
		assert_int_equal(seen[i], expected[i]);
	assert_int_equal(births(), 0);
	npipe_close(pipe.read);
	npipe_close(pipe.write);
}

static void a_child_may_do_no_more_than_its_parameters_say(void **state)
{
	uint8_t *a = make_bytes(64), *b = make_bytes(64);
	struct nproc *process;
	(void)state;

	must(nproc_spawn(HERE, "write_where_read_only", NULL, &process, a));
	assert_int_equal(exit_code_of(process), -2000 - NPROC_FAULTED);
	assert_int_equal(a[0], 0);
	must(nproc_spawn(HERE, "grant_one_of_two", NULL, &process, a, b));
	assert_int_equal(exit_code_of(process), -2000 - NPROC_FAULTED);
}

static void a_fault_of_a_child_is_not_its_parents(void **state)
{
	(void)state;

	assert_int_equal(run("fault_in_child", NULL), -2000 - NPROC_FAULTED);
}

static void a_process_kills_its_children(void **state)
{
	uint64_t *word = (uint64_t *)(void *)make_bytes(64);
	struct ends pipe = make_pipe();
	struct nproc *process;
	(void)state;

	must(nproc_spawn(HERE, "kill_children", ENDS(pipe.read), &process, word));
	assert_int_equal(exit_code_of(process), 1);
	npipe_close(pipe.read);
	npipe_close(pipe.write);
}

/* ---- ends ------------------------------------------------------------------------------------ */

static void children_relay_over_a_pipe_that_their_parent_made(void **state)
{
	struct ends request = make_pipe(), answer = make_pipe();
	struct nproc *process;
	uint64_t word = 40;
	(void)state;

	must(nproc_spawn(HERE, "relay", ENDS(request.read, answer.write), &process));
	for (int i = 0; i < 100; i++) {
		must(npipe_write(request.write, &word, sizeof word));
		must(npipe_read_full(answer.read, &word, sizeof word));
	}
	assert_int_equal(word, 240);
	npipe_close(request.write);
	assert_int_equal(exit_code_of(process), 0);
	assert_int_equal(npipe_read(answer.read, &word, sizeof word), 0);
	npipe_close(answer.read);
	npipe_close(request.read);
	npipe_close(answer.write);
}

static void an_end_that_was_given_is_gone_and_a_duplicate_stays(void **state)
{
	struct ends request = make_pipe(), answer = make_pipe();
	struct nproc *process;
	uint64_t word = 1;
	(void)state;

	must(nproc_spawn(HERE, "give_and_keep", ENDS(request.read, answer.write), &process));
	must(npipe_write(request.write, &word, sizeof word));
	must(npipe_read_full(answer.read, &word, sizeof word));
	assert_int_equal(word, 2);
	npipe_close(request.write);
	must(npipe_read_full(answer.read, &word, sizeof word));
	assert_int_equal(word, 77);
	assert_int_equal(exit_code_of(process), 0);
	assert_int_equal(npipe_read(answer.read, &word, sizeof word), 0);
	npipe_close(answer.read);
	npipe_close(request.read);
	npipe_close(answer.write);
}

static void a_process_has_sixteen_ends_at_a_time(void **state)
{
	struct ends in = make_pipe(), out = make_pipe();
	(void)state;

	assert_int_equal(run("use_many_ends", ENDS(in.read, out.write)), 3);
	npipe_close(in.write);
	npipe_close(out.read);
	npipe_close(in.read);
	npipe_close(out.write);
}

static void a_pipe_of_a_kernel_is_like_any_other(void **state)
{
	(void)state;

	assert_int_equal(run("use_own_pipe", NULL), 20000);
}

/* ---- families -------------------------------------------------------------------------------- */

static void a_child_goes_on_with_what_it_was_granted_when_its_parent_ends(void **state)
{
	uint64_t *words = (uint64_t *)(void *)make_bytes(64);
	struct ends request = make_pipe(), answer = make_pipe();
	struct nproc_status status;
	struct nproc *process;
	uint64_t seen = 0;
	(void)state;

	must(nproc_spawn(HERE, "leave_child", ENDS(request.read, answer.write), &process, words));
	must(nproc_wait(process, &status, NPROC_FOREVER));
	assert_int_equal(status.state, NPROC_EXITED);
	assert_true(status.has_family);

	assert_int_equal(nmem_free(suite.device, words), -EBUSY);
	assert_int_equal(nproc_image_close(suite.image), -EBUSY);
	words[0] = 4711;
	publish(words, sizeof *words);
	must(npipe_write(request.write, "?", 1));
	must(npipe_read_full(answer.read, &seen, sizeof seen));
	assert_int_equal(seen, 4711);

	npipe_close(request.write);
	assert_int_equal(npipe_read(answer.read, &seen, sizeof seen), 0);
	do
		must(nproc_status(process, &status));
	while (status.has_family);
	must(nmem_free(suite.device, words));
	must(nproc_image_close(suite.image));
	nproc_close(process);
	npipe_close(answer.read);
	npipe_close(request.read);
	npipe_close(answer.write);
}

static void killing_a_process_leaves_its_children(void **state)
{
	struct ends hold = make_pipe(), tell = make_pipe();
	struct nproc_status status;
	struct nproc *process;
	char byte;
	(void)state;

	must(nproc_spawn(HERE, "descend", ENDS(hold.read, tell.write), &process, 5));
	must(npipe_read(tell.read, &byte, 1));
	must(nproc_kill(process));
	must(nproc_wait(process, &status, NPROC_FOREVER));
	assert_int_equal(status.state, NPROC_KILLED);
	assert_true(status.has_family);

	npipe_close(hold.write);
	assert_int_equal(npipe_read(tell.read, &byte, 1), 0);
	do
		must(nproc_status(process, &status));
	while (status.has_family);
	nproc_close(process);
	npipe_close(tell.read);
	npipe_close(hold.read);
	npipe_close(tell.write);
}

/* ---- groups ---------------------------------------------------------------------------------- */

static const struct nproc_attr *in_group(uint32_t group)
{
	static struct nproc_attr attr;

	attr = (struct nproc_attr)NPROC_ATTR_INIT;
	attr.group = group;
	return &attr;
}

static void a_group_is_ended_with_all_that_it_has_started(void **state)
{
	struct ends hold = make_pipe(), tell = make_pipe();
	struct nproc_attr attr = NPROC_ATTR_INIT;
	struct nproc *process, *other;
	struct npipe *ends[] = {hold.read, tell.write};
	char byte;
	(void)state;

	attr.end_count = 2;
	attr.ends = ends;
	attr.group = 7;
	must(nproc_spawn(HERE, "descend", &attr, &process, 20));
	must(nproc_spawn(HERE, "yield_for_ever", in_group(8), &other));
	must(npipe_read(tell.read, &byte, 1));

	assert_int_equal(nproc_wait_group(suite.device, 7, 0), -EAGAIN);
	assert_detail("no time to wait");
	must(nproc_kill_group(suite.device, 7));
	must(nproc_wait_group(suite.device, 7, NPROC_FOREVER));

	assert_int_equal(ending_of(process).state, NPROC_KILLED);
	assert_int_equal(npipe_read(tell.read, &byte, 1), 0);
	assert_int_equal(nproc_wait(other, NULL, 0), -EAGAIN);
	must(nproc_kill(other));
	assert_int_equal(ending_of(other).state, NPROC_KILLED);
	npipe_close(tell.read);
	npipe_close(hold.write);
	npipe_close(hold.read);
	npipe_close(tell.write);
}

/* All of them are gone when the group is: nothing that was started in between has escaped. */
static void nothing_that_is_born_while_its_group_is_killed_escapes(void **state)
{
	struct nproc_status status;
	struct nproc *process[3];
	(void)state;

	for (int round = 0; round < 40; round++) {
		for (int i = 0; i < 3; i++)
			must(nproc_spawn(HERE, "breed", in_group(1), &process[i], 4 + i));
		/* Some have children by then: in the first round for certain, later by chance. */
		for (int i = 0; i < round * 7 % 23 || !births(); i++)
			must(nproc_status(process[0], &status));
		must(nproc_kill_group(suite.device, 1));
		must(nproc_wait_group(suite.device, 1, NPROC_FOREVER));
		for (int i = 0; i < 3; i++) {
			must(nproc_status(process[i], &status));
			assert_int_equal(status.state, NPROC_KILLED);
			assert_false(status.has_family);
			nproc_close(process[i]);
		}
	}
	must(nproc_image_close(suite.image)); /* no process of it lives */
}

static void children_that_spin_are_ended_with_their_group(void **state)
{
	uint64_t *word = (uint64_t *)(void *)make_bytes(64);
	struct nproc *process;
	(void)state;
	skip_unless(suite.info.can_preempt, "an endless kernel cannot be interrupted");
	__atomic_store_n(word, 0, __ATOMIC_RELAXED);
	publish(word, sizeof *word);

	must(nproc_spawn(HERE, "breed_spinners", in_group(3), &process, word));
	while (!fresh_word(word))
		sched_yield();
	must(nproc_kill_group(suite.device, 3));
	must(nproc_wait_group(suite.device, 3, NPROC_FOREVER));

	assert_int_equal(ending_of(process).state, NPROC_EXITED);
	must(nmem_free(suite.device, word));
}

static void group_0_is_no_group(void **state)
{
	(void)state;

	assert_int_equal(nproc_kill_group(suite.device, 0), -EINVAL);
	assert_int_equal(nproc_wait_group(suite.device, 0, 0), -EINVAL);
	must(nproc_kill_group(suite.device, 12345));
	must(nproc_wait_group(suite.device, 12345, 0));
}

/* ---- what the host hears --------------------------------------------------------------------- */

static void count_message(void *context, const struct nproc *process, const char *text)
{
	unsigned *count = context;

	(void)text;
	assert_non_null(process);
	++*count;
}

static void what_a_child_logs_comes_from_the_process_that_the_host_knows(void **state)
{
	unsigned count = 0;
	(void)state;

	must(nproc_set_log(suite.device, count_message, &count));
	assert_int_equal(run("log_in_child", NULL), 0);
	assert_int_equal(count, 3);
}

static void a_device_is_closed_while_families_live(void **state)
{
	struct nproc *process;
	(void)state;

	must(nproc_spawn(HERE, "breed", NULL, &process, 4));
	while (!births())
		;
}

int run_births(void)
{
	const struct CMUnitTest tests[] = {
		CLAIM(a_tree_of_processes_sums_an_array),
		CLAIM(a_child_gets_arguments_of_every_kind),
		CLAIM(a_process_may_have_sixty_four_children_not_waited_for),
		CLAIM(a_child_that_was_waited_for_leaves_nothing),
		CLAIM(what_cannot_be_started_is_an_errno),
		CLAIM(a_child_may_do_no_more_than_its_parameters_say),
		CLAIM(a_fault_of_a_child_is_not_its_parents),
		CLAIM(a_process_kills_its_children),
		CLAIM(children_relay_over_a_pipe_that_their_parent_made),
		CLAIM(an_end_that_was_given_is_gone_and_a_duplicate_stays),
		CLAIM(a_process_has_sixteen_ends_at_a_time),
		CLAIM(a_pipe_of_a_kernel_is_like_any_other),
		CLAIM(a_child_goes_on_with_what_it_was_granted_when_its_parent_ends),
		CLAIM(killing_a_process_leaves_its_children),
		CLAIM(a_group_is_ended_with_all_that_it_has_started),
		CLAIM(nothing_that_is_born_while_its_group_is_killed_escapes),
		CLAIM(children_that_spin_are_ended_with_their_group),
		CLAIM(group_0_is_no_group),
		CLAIM(what_a_child_logs_comes_from_the_process_that_the_host_knows),
		CLAIM(a_device_is_closed_while_families_live),
	};

	return cmocka_run_group_tests_name("births", tests, NULL, NULL);
}
