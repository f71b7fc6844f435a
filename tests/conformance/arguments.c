/* What nproc_spawn() takes as arguments, and what it refuses. */
#include "tests/conformance/suite.h"

static void exit_code_is_the_kernels_result(void **state)
{
	static const int64_t codes[] = {0, 1, -1, 12345, INT64_MIN, INT64_MAX};
	struct nproc *process;
	(void)state;

	for (size_t i = 0; i < sizeof codes / sizeof codes[0]; i++) {
		must(nproc_spawn(HERE, "exit_with", NULL, &process, codes[i]));
		assert_int_equal(exit_code_of(process), codes[i]);
	}
}

static void read_integers(struct npipe *end, int64_t *seen)
{
	assert_int_equal(must(npipe_read_full(end, seen, 9 * sizeof *seen)), 9 * sizeof *seen);
}

static void integers_arrive_at_their_extremes(void **state)
{
	struct ends pipe = make_pipe();
	int64_t seen[9];
	struct nproc *process;
	(void)state;

	must(nproc_spawn(HERE, "integers", ENDS(pipe.write), &process, INT8_MIN, UINT8_MAX,
		INT16_MIN, UINT16_MAX, INT32_MIN, UINT32_MAX, INT64_MIN, UINT64_MAX, true));

	read_integers(pipe.read, seen);
	assert_int_equal(seen[0], INT8_MIN);
	assert_int_equal(seen[1], UINT8_MAX);
	assert_int_equal(seen[2], INT16_MIN);
	assert_int_equal(seen[3], UINT16_MAX);
	assert_int_equal(seen[4], INT32_MIN);
	assert_int_equal(seen[5], UINT32_MAX);
	assert_int_equal(seen[6], INT64_MIN);
	assert_int_equal((uint64_t)seen[7], UINT64_MAX);
	assert_int_equal(seen[8], 1);
	assert_int_equal(exit_code_of(process), 0);
}

/* One argument of kernel integers is `value`, the others are 0. */
static int spawn_with(unsigned index, struct nproc_arg value)
{
	struct ends pipe = make_pipe();
	struct nproc_arg args[9];
	struct nproc *process;
	int result;

	for (unsigned i = 0; i < 9; i++)
		args[i] = i == index ? value : nproc_arg_signed(0);
	result = nproc_spawnv(HERE, "integers", ENDS(pipe.write), &process, 9, args);
	assert_true((process != NULL) == (result == 0));
	npipe_close(pipe.read);
	npipe_close(pipe.write);
	if (!result)
		nproc_close(process);
	return result;
}

static void integers_convert_when_the_value_fits(void **state)
{
	(void)state;
	assert_int_equal(spawn_with(0, nproc_arg_unsigned(127)), 0);
	assert_int_equal(spawn_with(1, nproc_arg_signed(255)), 0);
	assert_int_equal(spawn_with(4, nproc_arg_unsigned(INT32_MAX)), 0);
	assert_int_equal(spawn_with(7, nproc_arg_signed(INT64_MAX)), 0);
	assert_int_equal(spawn_with(8, nproc_arg_signed(1)), 0);
}

static void integers_that_do_not_fit_give_erange(void **state)
{
	(void)state;
	assert_int_equal(spawn_with(0, nproc_arg_signed(128)), -ERANGE);
	assert_detail("argument 1, 128, does not fit int8_t i8");
	assert_int_equal(spawn_with(0, nproc_arg_signed(-129)), -ERANGE);
	assert_int_equal(spawn_with(1, nproc_arg_signed(-1)), -ERANGE);
	assert_int_equal(spawn_with(1, nproc_arg_signed(256)), -ERANGE);
	assert_int_equal(spawn_with(2, nproc_arg_unsigned(32768)), -ERANGE);
	assert_int_equal(spawn_with(3, nproc_arg_unsigned(65536)), -ERANGE);
	assert_int_equal(spawn_with(4, nproc_arg_signed((int64_t)INT32_MIN - 1)), -ERANGE);
	assert_int_equal(spawn_with(5, nproc_arg_unsigned((uint64_t)UINT32_MAX + 1)), -ERANGE);
	assert_int_equal(spawn_with(6, nproc_arg_unsigned(UINT64_MAX)), -ERANGE);
	assert_int_equal(spawn_with(7, nproc_arg_signed(-1)), -ERANGE);
	assert_int_equal(spawn_with(8, nproc_arg_signed(2)), -ERANGE);
	assert_int_equal(spawn_with(8, nproc_arg_signed(-1)), -ERANGE);
}

static void floats_and_doubles_convert_to_each_other(void **state)
{
	struct ends pipe = make_pipe();
	double seen[4];
	struct nproc *process[2];
	(void)state;

	must(nproc_spawn(HERE, "floats", ENDS(pipe.write), &process[0], 0.25f, -1e300));
	assert_int_equal(must(npipe_read_full(pipe.read, seen, 16)), 16);
	pipe = make_pipe();
	must(nproc_spawn(HERE, "floats", ENDS(pipe.write), &process[1], 0.1, 0.5f));
	assert_int_equal(must(npipe_read_full(pipe.read, seen + 2, 16)), 16);

	assert_true(seen[0] == 0.25 && seen[1] == -1e300);
	assert_true(seen[2] == (double)(float)0.1 && seen[3] == 0.5);
	assert_int_equal(exit_code_of(process[0]) | exit_code_of(process[1]), 0);
}

static void structs_arrive_by_value(void **state)
{
	struct one one = {7};
	struct three three = {{1, 2, 3}};
	struct twelve twelve = {{0x11111111, 0x22222222, 0x33333333}};
	struct most most;
	unsigned char seen[sizeof one + sizeof three + sizeof twelve + sizeof most];
	struct ends pipe = make_pipe();
	struct nproc *process;
	(void)state;
	for (unsigned i = 0; i < sizeof most; i++)
		most.bytes[i] = (uint8_t)(200 + i);

	must(nproc_spawn(HERE, "structs", ENDS(pipe.write), &process, NPROC_STRUCT(one),
		NPROC_STRUCT(three), NPROC_STRUCT(twelve), NPROC_STRUCT(most)));

	assert_int_equal(must(npipe_read_full(pipe.read, seen, sizeof seen)), sizeof seen);
	assert_memory_equal(seen, &one, 1);
	assert_memory_equal(seen + 1, &three, 3);
	assert_memory_equal(seen + 4, &twelve, 12);
	assert_memory_equal(seen + 16, &most, 32);
	assert_int_equal(exit_code_of(process), 0);
}

static void sixteen_parameters_arrive_in_order(void **state)
{
	struct most most = {{0}};
	struct nproc *process;
	(void)state;
	most.bytes[31] = 1;

	must(nproc_spawn(HERE, "sixteen", NULL, &process, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
		1, NPROC_STRUCT(most)));

	assert_int_equal(exit_code_of(process), 136);
}

static void wrong_number_of_arguments_gives_einval_and_the_signature(void **state)
{
	struct nproc *process = (struct nproc *)state;

	assert_int_equal(nproc_spawn(HERE, "sum", NULL, &process, NULL), -EINVAL);
	assert_null(process);
	assert_detail("1 arguments were given, but the kernel is sum(");
	assert_detail("uint64_t nbytes)");
	assert_int_equal(nproc_spawn(HERE, "spin", NULL, &process, 1), -EINVAL);
	assert_detail("spin(void)");
}

static void wrong_kinds_of_arguments_give_einval(void **state)
{
	struct nproc *process;
	struct three three = {{0}};
	(void)state;

	assert_int_equal(nproc_spawn(HERE, "exit_with", NULL, &process, 1.0), -EINVAL);
	assert_detail("argument 1 is a double, but the kernel is exit_with(int64_t code)");
	assert_int_equal(nproc_spawn(HERE, "exit_with", NULL, &process, "text"), -EINVAL);
	assert_int_equal(
		nproc_spawn(HERE, "exit_with", NULL, &process, NPROC_STRUCT(three)), -EINVAL);
	assert_int_equal(nproc_spawn(HERE, "floats", NULL, &process, 1, 1.0), -EINVAL);
	assert_int_equal(nproc_spawn(HERE, "is_null", NULL, &process, 0), -EINVAL);
	assert_int_equal(
		nproc_spawn(HERE, "is_null", NULL, &process, NPROC_STRUCT(three)), -EINVAL);
}

static void struct_of_another_size_gives_einval(void **state)
{
	struct three three = {{0}};
	struct nproc *process;
	(void)state;

	assert_int_equal(nproc_spawn(HERE, "structs", NULL, &process, NPROC_STRUCT(three),
				 NPROC_STRUCT(three), NPROC_STRUCT(three), NPROC_STRUCT(three)),
		-EINVAL);
	assert_detail("argument 1 is a struct of 3 bytes, struct one one has 1");
}

static void unknown_kernel_gives_enoent_and_names_those_that_are_there(void **state)
{
	struct nproc *process;
	(void)state;

	assert_int_equal(nproc_spawn(HERE, "no_such", NULL, &process), -ENOENT);
	assert_null(process);
	assert_detail("no kernel 'no_such'");
	assert_detail("exit_with, exit_in_helper");
	assert_int_equal(nproc_spawn(HERE, NULL, NULL, &process), -EINVAL);
	assert_detail("name is NULL");
}

static void every_core_runs_processes(void **state)
{
	struct nproc *process;
	(void)state;

	for (unsigned core = 0; core < suite.info.core_count; core++) {
		must(nproc_spawn(HERE, "exit_with", ON_CORE((int)core), &process, core));
		assert_int_equal(exit_code_of(process), core);
	}
}

static void core_out_of_range_gives_einval(void **state)
{
	struct nproc *process;
	(void)state;

	assert_int_equal(
		nproc_spawn(HERE, "exit_with", ON_CORE((int)suite.info.core_count), &process, 0),
		-EINVAL);
	assert_detail("the device has cores 0 to");
	assert_int_equal(nproc_spawn(HERE, "exit_with", ON_CORE(-2), &process, 0), -EINVAL);
}

static void sixteen_ends_can_be_passed(void **state)
{
	struct npipe *writes[16], *reads[16];
	struct nproc_attr attr = {NPROC_ANY_CORE, 16, writes, 0, 0};
	struct nproc *process;
	uint32_t number;
	(void)state;
	for (unsigned i = 0; i < 16; i++) {
		struct ends pipe = make_pipe();

		reads[i] = pipe.read;
		writes[i] = pipe.write;
	}

	must(nproc_spawn(HERE, "number_ends", &attr, &process, 16));

	for (unsigned i = 0; i < 16; i++) {
		assert_int_equal(must(npipe_read_full(reads[i], &number, 4)), 4);
		assert_int_equal(number, i);
		assert_int_equal(must(npipe_read(reads[i], &number, 4)), 0);
	}
	assert_int_equal(exit_code_of(process), 0);
}

static void more_than_sixteen_ends_give_einval(void **state)
{
	struct npipe *ends[17];
	struct nproc_attr attr = {NPROC_ANY_CORE, 17, ends, 0, 0};
	struct nproc *process;
	(void)state;
	for (unsigned i = 0; i < 17; i++)
		ends[i] = make_pipe().write;

	assert_int_equal(nproc_spawn(HERE, "number_ends", &attr, &process, 17), -EINVAL);

	assert_detail("at most 16");
	assert_int_equal(must(npipe_write(ends[0], "x", 1)), 1); /* none was given away */
}

int run_arguments(void)
{
	const struct CMUnitTest tests[] = {
		CLAIM(exit_code_is_the_kernels_result),
		CLAIM(integers_arrive_at_their_extremes),
		CLAIM(integers_convert_when_the_value_fits),
		CLAIM(integers_that_do_not_fit_give_erange),
		CLAIM(floats_and_doubles_convert_to_each_other),
		CLAIM(structs_arrive_by_value),
		CLAIM(sixteen_parameters_arrive_in_order),
		CLAIM(wrong_number_of_arguments_gives_einval_and_the_signature),
		CLAIM(wrong_kinds_of_arguments_give_einval),
		CLAIM(struct_of_another_size_gives_einval),
		CLAIM(unknown_kernel_gives_enoent_and_names_those_that_are_there),
		CLAIM(every_core_runs_processes),
		CLAIM(core_out_of_range_gives_einval),
		CLAIM(sixteen_ends_can_be_passed),
		CLAIM(more_than_sixteen_ends_give_einval),
	};

	return cmocka_run_group_tests_name("arguments", tests, NULL, NULL);
}
