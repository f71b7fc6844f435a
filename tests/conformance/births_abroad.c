/* Processes start processes on other cores. With one core, that core is the other one, too. */
#include "tests/conformance/suite.h"

static int last_core(void)
{
	return (int)suite.info.core_count - 1;
}

static int64_t run_on_core_0(const char *kernel, int32_t core)
{
	struct nproc *process;

	must(nproc_spawn(HERE, kernel, ON_CORE(0), &process, core));
	return exit_code_of(process);
}

static void *make_memory(size_t nbytes)
{
	void *memory;

	must(nmem_alloc(suite.device, nbytes, &memory));
	return memory;
}

static void a_child_on_any_core_has_what_it_was_granted(void **state)
{
	uint8_t *bytes = make_memory(100);
	struct nproc *process;
	(void)state;

	memset(bytes, 7, 100);
	publish(bytes, 100);
	for (int core = NPROC_SAME_CORE; core <= last_core(); core++) {
		must(nproc_spawn(HERE, "sum_on", ON_CORE(0), &process, bytes, 100, core));
		assert_int_equal(exit_code_of(process), 700);
		must(nproc_spawn(HERE, "sum_on", ON_CORE(0), &process, bytes, 101, core));
		assert_int_equal(exit_code_of(process), -2000 - NPROC_FAULTED);
	}
	must(nmem_free(suite.device, bytes));
}

static void a_fault_on_any_core_is_the_childs(void **state)
{
	(void)state;

	for (int core = NPROC_SAME_CORE; core <= last_core(); core++)
		assert_int_equal(run_on_core_0("fault_on", core), -2000 - NPROC_FAULTED);
}

static void trees_of_processes_grow_over_all_cores(void **state)
{
	uint64_t *word = make_memory(64);
	struct nproc_stats stats;
	struct nproc *process;
	(void)state;

	must(nproc_spawn(HERE, "add_everywhere", ON_CORE(0), &process, word, suite.info.core_count,
		16, false));
	assert_int_equal(exit_code_of(process), 0);
	/* 16 children of 8 of 4 of 2 of 1 */
	assert_int_equal(fresh_word(word), 16 * (1 + 8 * (1 + 4 * (1 + 2 * (1 + 1)))));
	must(nproc_stats(suite.device, &stats));
	assert_int_equal(stats.births, *word);
	assert_int_equal(stats.spawns, 1);
	must(nmem_free(suite.device, word));
}

static void children_on_all_cores_write_to_the_host(void **state)
{
	const uint32_t records = 300, cores = suite.info.core_count;
	struct ends pipe = make_pipe();
	struct nproc *process;
	uint8_t record[RECORD_BYTES];
	uint64_t total = 0, count = 0;
	(void)state;

	must(nproc_spawn(
		HERE, "write_from_everywhere", ENDS_ON(0, pipe.write), &process, cores, records));
	while (must(npipe_read_full(pipe.read, record, sizeof record)) == sizeof record) {
		for (unsigned i = 1; i < sizeof record; i++)
			assert_int_equal(record[i], record[0]);
		total += record[0];
		count++;
	}
	assert_int_equal(count, records * cores);
	assert_int_equal(total, records * (cores * (cores + 1) / 2));
	assert_int_equal(exit_code_of(process), 0);
	npipe_close(pipe.read);
	npipe_close(pipe.write);
}

static void children_on_all_cores_write_to_their_parent(void **state)
{
	const uint32_t records = 300, cores = suite.info.core_count;
	(void)state;

	for (int core = 0; core <= last_core(); core++) {
		struct ends pipe = make_pipe();
		struct nproc *process;

		must(nproc_spawn(HERE, "gather_from_everywhere",
			ENDS_ON(core, pipe.read, pipe.write), &process, cores, records));
		npipe_close(pipe.read);
		npipe_close(pipe.write);
		assert_int_equal(exit_code_of(process), records * (cores * (cores + 1) / 2));
	}
}

/*
 * The reader is on one core, the parent on another, and the reader moves there while children are
 * given ends.
 */
static void children_on_all_cores_write_to_a_third(void **state)
{
	const uint32_t records = 200, cores = suite.info.core_count;
	(void)state;

	for (int round = 0; round < 20; round++) {
		struct ends pipe = make_pipe();
		struct nproc *reader, *process;
		struct npipe *write;

		must(npipe_dup(pipe.write, &write));
		must(nproc_spawn(HERE, "write_from_everywhere", ENDS_ON(0, pipe.write), &process,
			cores, records));
		must(npipe_write(write, "x", 1));
		must(nproc_spawn(HERE, "count_bytes", ENDS_ON(last_core(), pipe.read), &reader));
		must(npipe_write(write, "y", 1));
		npipe_close(write);
		npipe_close(pipe.read);
		npipe_close(pipe.write);
		assert_int_equal(exit_code_of(process), 0);
		assert_int_equal(exit_code_of(reader), 2 + records * cores * RECORD_BYTES);
	}
}

static void a_child_on_any_core_is_killed(void **state)
{
	(void)state;

	for (int core = NPROC_ANY_CORE; core <= last_core(); core++)
		for (int i = 0; i < 20; i++)
			assert_int_equal(run_on_core_0("kill_abroad", core), 1);
}

/* It holds the image itself; the process that asked for it holds nothing for it. */
static void a_child_on_another_core_goes_on_when_its_parent_ends(void **state)
{
	struct nproc_attr attr = NPROC_ATTR_INIT;
	struct nproc *process;
	(void)state;

	attr.core = 0;
	attr.group = 9;
	must(nproc_spawn(HERE, "leave_abroad", &attr, &process, NPROC_ANY_CORE));
	assert_int_equal(exit_code_of(process), 0);
	assert_int_equal(nproc_image_close(suite.image), -EBUSY);
	assert_int_equal(nproc_wait_group(suite.device, 9, 0), -EAGAIN);
	must(nproc_kill_group(suite.device, 9));
	must(nproc_wait_group(suite.device, 9, NPROC_FOREVER));
	must(nproc_image_close(suite.image));
}

static void nothing_that_is_born_abroad_while_its_group_is_killed_escapes(void **state)
{
	struct nproc_attr attr = NPROC_ATTR_INIT;
	struct nproc_stats stats;
	struct nproc *process;
	(void)state;

	attr.group = 2;
	for (int round = 0; round < 30; round++) {
		must(nproc_spawn(
			HERE, "breed_everywhere", &attr, &process, 2, suite.info.core_count));
		for (int i = 0; i < round * 5 % 17; i++)
			must(nproc_stats(suite.device, &stats));
		must(nproc_kill_group(suite.device, 2));
		must(nproc_wait_group(suite.device, 2, NPROC_FOREVER));
		assert_int_equal(ending_of(process).state, NPROC_KILLED);
	}
	must(nproc_image_close(suite.image)); /* no process of it lives */
}

int run_births_abroad(void)
{
	const struct CMUnitTest tests[] = {
		CLAIM(a_child_on_any_core_has_what_it_was_granted),
		CLAIM(a_fault_on_any_core_is_the_childs),
		CLAIM(trees_of_processes_grow_over_all_cores),
		CLAIM(children_on_all_cores_write_to_the_host),
		CLAIM(children_on_all_cores_write_to_their_parent),
		CLAIM(children_on_all_cores_write_to_a_third),
		CLAIM(a_child_on_any_core_is_killed),
		CLAIM(a_child_on_another_core_goes_on_when_its_parent_ends),
		CLAIM(nothing_that_is_born_abroad_while_its_group_is_killed_escapes),
	};

	return cmocka_run_group_tests_name("births_abroad", tests, NULL, NULL);
}
