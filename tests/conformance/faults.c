/* A kernel's mistake ends its process alone, and says where it was made. */
#include "tests/conformance/suite.h"

static void division_by_zero_faults(void **state)
{
	struct nproc *process;
	(void)state;

	must(nproc_spawn(HERE, "divide", NULL, &process, 7, 2));
	assert_int_equal(exit_code_of(process), 3);
	must(nproc_spawn(HERE, "divide", NULL, &process, 7, 0));
	assert_fault(process, "in divide: division by zero");
}

static void division_overflow_faults(void **state)
{
	struct nproc *process;
	(void)state;

	must(nproc_spawn(HERE, "divide", NULL, &process, INT64_MIN, -1));

	assert_fault(process, "in divide: division overflow");
}

static void assertion_faults_with_its_condition_and_function(void **state)
{
	struct nproc *process;
	struct nproc_status status;
	(void)state;
	must(nproc_spawn(HERE, "assert_not_13", NULL, &process, 12));
	assert_int_equal(exit_code_of(process), 12);

	must(nproc_spawn(HERE, "assert_not_13", NULL, &process, 13));
	must(nproc_wait(process, &status, NPROC_FOREVER));

	assert_int_equal(status.state, NPROC_FAULTED);
	assert_string_equal(status.fault, "assertion failed");
	assert_string_equal(status.function, "checked");
	assert_string_equal(status.text, "value != 13");
	assert_non_null(strstr(status.file, "kernels.c"));
	assert_true(status.line > 0 && status.column > 0);
	nproc_close(process);
}

static void private_array_bound_faults(void **state)
{
	struct nproc *process;
	(void)state;

	must(nproc_spawn(HERE, "index_array", NULL, &process, 7));
	assert_int_equal(exit_code_of(process), 49);
	must(nproc_spawn(HERE, "index_array", NULL, &process, 8));
	assert_fault(process, "in index_array: access outside a private object");
}

static void unreachable_faults(void **state)
{
	struct nproc *process;
	(void)state;

	must(nproc_spawn(HERE, "reach_unreachable", NULL, &process, 5));
	assert_int_equal(exit_code_of(process), 11);
	must(nproc_spawn(HERE, "reach_unreachable", NULL, &process, 6));
	assert_fault(process, "reached code that was declared unreachable");
}

static void far_read_outside_the_grant_faults_with_the_address(void **state)
{
	struct nproc *process;
	struct nproc_status status;
	void *memory;
	(void)state;
	must(nmem_alloc(suite.device, 100, &memory));

	must(nproc_spawn(HERE, "read_at", NULL, &process, memory, 100));
	must(nproc_wait(process, &status, NPROC_FOREVER));

	assert_int_equal(status.state, NPROC_FAULTED);
	assert_int_equal(status.address, (uintptr_t)memory + 100);
	assert_fault(process,
		"in read_at: read outside the far memory granted to the process (address 0x");
}

static void far_write_outside_the_grant_faults_with_the_address(void **state)
{
	struct nproc *process;
	struct nproc_status status;
	void *memory;
	(void)state;
	must(nmem_alloc(suite.device, 100, &memory));

	must(nproc_spawn(HERE, "write_at", NULL, &process, memory, -1, 1));
	must(nproc_wait(process, &status, NPROC_FOREVER));

	assert_int_equal(status.address, (uintptr_t)memory - 1);
	assert_fault(process, "in write_at: write outside the far memory granted to the process");
}

static void writing_to_what_is_const_faults(void **state)
{
	struct nproc *process;
	void *memory;
	(void)state;
	must(nmem_alloc(suite.device, 100, &memory));

	must(nproc_spawn(HERE, "write_to_const", NULL, &process, memory));

	assert_fault(process, "in write_to_const: write to far memory granted read-only");
	assert_int_equal(*(const unsigned char *)memory, 0);
}

static void reading_null_faults(void **state)
{
	struct nproc *process;
	(void)state;

	must(nproc_spawn(HERE, "read_at", NULL, &process, NULL, 0));

	assert_fault(process,
		"in read_at: read outside the far memory granted to the process: a null pointer");
}

static void a_pointer_from_a_pipe_grants_nothing(void **state)
{
	struct ends pipe = make_pipe();
	struct nproc *process;
	void *granted, *secret;
	(void)state;
	must(nmem_alloc(suite.device, 64, &granted));
	must(nmem_alloc(suite.device, 64, &secret));

	must(nproc_spawn(HERE, "read_from_pointer_in_pipe", ENDS(pipe.read), &process, granted));
	must(npipe_write(pipe.write, &secret, sizeof secret));

	assert_fault(process, "in read_from_pointer_in_pipe: read outside");
}

static void a_pointer_from_a_pipe_into_the_grant_is_good(void **state)
{
	struct ends pipe = make_pipe();
	struct nproc *process;
	uint8_t *inside;
	void *granted;
	(void)state;
	must(nmem_alloc(suite.device, 64, &granted));
	inside = (uint8_t *)granted + 63;
	*inside = 99;
	hand_over(granted, 64);

	must(nproc_spawn(HERE, "read_from_pointer_in_pipe", ENDS(pipe.read), &process, granted));
	must(npipe_write(pipe.write, &inside, sizeof inside));

	assert_int_equal(exit_code_of(process), 99);
}

static void ends_of_a_process_that_faults_are_closed(void **state)
{
	struct ends in = make_pipe(), out = make_pipe();
	struct nproc *process;
	int64_t result;
	char byte;
	(void)state;
	must(nproc_spawn(HERE, "divide", ENDS(in.read, out.write), &process, 1, 0));

	assert_int_equal(must(npipe_read(out.read, &byte, 1)), 0);
	while ((result = npipe_write(in.write, "x", 1)) == 1)
		;
	assert_int_equal(result, -EPIPE);
	assert_fault(process, "division by zero");
}

/* Case 94: bounds trap with an address, and all others go on. */
static void case_94_other_processes_go_on(void **state)
{
	struct ends in = make_pipe(), out = make_pipe();
	struct nproc *server, *process;
	uint64_t word = 0;
	(void)state;
	must(nproc_spawn(HERE, "add_one", ENDS_ON(0, in.read, out.write), &server));

	for (int i = 0; i < 50; i++) {
		must(nproc_spawn(HERE, "divide", ON_CORE(0), &process, 1, 0));
		must(npipe_write(in.write, &word, sizeof word));
		assert_int_equal(must(npipe_read_full(out.read, &word, sizeof word)), 8);
		assert_fault(process, "division by zero");
	}

	assert_int_equal(word, 50);
	npipe_close(in.write);
	assert_int_equal(exit_code_of(server), 0);
}

int run_faults(void)
{
	const struct CMUnitTest tests[] = {
		CLAIM(division_by_zero_faults),
		CLAIM(division_overflow_faults),
		CLAIM(assertion_faults_with_its_condition_and_function),
		CLAIM(private_array_bound_faults),
		CLAIM(unreachable_faults),
		CLAIM(far_read_outside_the_grant_faults_with_the_address),
		CLAIM(far_write_outside_the_grant_faults_with_the_address),
		CLAIM(writing_to_what_is_const_faults),
		CLAIM(reading_null_faults),
		CLAIM(a_pointer_from_a_pipe_grants_nothing),
		CLAIM(a_pointer_from_a_pipe_into_the_grant_is_good),
		CLAIM(ends_of_a_process_that_faults_are_closed),
		CLAIM(case_94_other_processes_go_on),
	};

	return cmocka_run_group_tests_name("faults", tests, NULL, NULL);
}
