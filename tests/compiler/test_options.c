/* test_options.c - the command line. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "compiler/options.h"

#define PARSE(...) parse((const char *const[]){"nprocc", __VA_ARGS__, NULL})

static struct options options;
static int status;

static bool parse(const char *const *argv)
{
	int argc = 0;
	while (argv[argc])
		argc++;
	status = -1;
	return options_parse(&options, argc, argv, &status);
}

static bool holds(const char *const *list, size_t count, const char *item)
{
	for (size_t i = 0; i < count; i++) {
		if (!strcmp(list[i], item))
			return true;
	}
	return false;
}

static void defaults_are_a_program_at_level_2(void **state)
{
	(void)state;
	assert_true(PARSE("app.c"));
	assert_false(options.compile_only);
	assert_int_equal(options.optimise, '2');
	assert_string_equal(options.output, "a.out");
	assert_int_equal(options.input_count, 1);
}

static void image_is_named_after_its_first_source(void **state)
{
	(void)state;
	assert_true(PARSE("-c", "some/where/keys.c", "more.c"));
	assert_true(options.compile_only);
	assert_string_equal(options.output, "keys.nk");
}

static void values_may_be_glued_or_apart(void **state)
{
	(void)state;
	assert_true(PARSE("-c", "-oout.nk", "-DA=1", "-D", "B", "-Idir", "k.c"));
	assert_string_equal(options.output, "out.nk");
	assert_true(holds(options.clang_args, options.clang_arg_count, "A=1"));
	assert_true(holds(options.clang_args, options.clang_arg_count, "B"));
	assert_true(holds(options.clang_args, options.clang_arg_count, "dir"));
}

static void levels_are_those_of_cc(void **state)
{
	(void)state;
	static const char levels[] = "0123s";
	for (const char *level = levels; *level; level++) {
		char word[] = {'-', 'O', *level, '\0'};
		assert_true(PARSE(word, "app.c"));
		assert_int_equal(options.optimise, *level);
	}
	assert_false(PARSE("-O9", "app.c"));
	assert_int_equal(status, NPROCC_FAILED);
}

/* case 119 */
static void options_for_host_code_do_not_reach_kernels(void **state)
{
	(void)state;
	assert_true(PARSE("-finstrument-functions", "-Wall", "-march=native", "-pthread", "app.c"));
	assert_true(holds(options.host_args, options.host_arg_count, "-finstrument-functions"));
	assert_false(holds(options.clang_args, options.clang_arg_count, "-finstrument-functions"));
	assert_false(holds(options.clang_args, options.clang_arg_count, "-march=native"));
}

static void libraries_go_to_the_linker(void **state)
{
	(void)state;
	assert_true(PARSE("app.c", "part.o", "-lm", "-L", "dir", "-Wl,--as-needed"));
	assert_true(holds(options.link_args, options.link_arg_count, "-lm"));
	assert_true(holds(options.link_args, options.link_arg_count, "-Ldir"));
	assert_true(holds(options.link_args, options.link_arg_count, "-Wl,--as-needed"));
	assert_int_equal(options.input_count, 2);
}

static void wrong_usage_is_exit_code_2(void **state)
{
	(void)state;
	static const char *const wrong[][4] = {{"nprocc"}, {"nprocc", "--nonsense", "a.c"},
		{"nprocc", "a.f90"}, {"nprocc", "-c", "a.o"}, {"nprocc", "a.c", "-o"},
		{"nprocc", "--dump=nothing", "a.c"}, {"nprocc", "a.c", "-D"}};
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		const char *argv[5] = {0};
		memcpy(argv, wrong[i], sizeof wrong[i]);
		assert_false(parse(argv));
		assert_int_equal(status, NPROCC_FAILED);
	}
}

static void output_never_overwrites_an_input(void **state)
{
	(void)state;
	assert_false(PARSE("-c", __FILE__, "-o", __FILE__));
	assert_int_equal(status, NPROCC_FAILED);
}

static void help_and_version_are_exit_code_0(void **state)
{
	(void)state;
	assert_false(PARSE("--help"));
	assert_int_equal(status, NPROCC_OK);
	assert_false(PARSE("-h"));
	assert_int_equal(status, NPROCC_OK);
	assert_false(PARSE("--version"));
	assert_int_equal(status, NPROCC_OK);
}

static void only_an_image_by_itself_goes_to_standard_output(void **state)
{
	(void)state;
	assert_true(PARSE("-c", "a.c", "-o", "-"));
	assert_true(options_writes_to_standard_output(&options));
	assert_true(PARSE("-c", "a.c", "-o", "./-"));
	assert_false(options_writes_to_standard_output(&options));
	assert_false(PARSE("a.c", "-o", "-"));
	assert_int_equal(status, NPROCC_FAILED);
	assert_false(PARSE("-c", "--report", "a.c", "-o-"));
	assert_int_equal(status, NPROCC_FAILED);
	assert_false(PARSE("-c", "a.c", "-o-", "-MF", "rule"));
	assert_int_equal(status, NPROCC_FAILED);
}

static void report_comes_as_table_or_json(void **state)
{
	(void)state;
	assert_true(PARSE("--report", "a.c"));
	assert_true(options.report && !options.report_json);
	assert_true(PARSE("--report=json", "a.c"));
	assert_true(options.report && options.report_json);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(defaults_are_a_program_at_level_2),
		cmocka_unit_test(image_is_named_after_its_first_source),
		cmocka_unit_test(values_may_be_glued_or_apart),
		cmocka_unit_test(levels_are_those_of_cc),
		cmocka_unit_test(options_for_host_code_do_not_reach_kernels),
		cmocka_unit_test(libraries_go_to_the_linker),
		cmocka_unit_test(wrong_usage_is_exit_code_2),
		cmocka_unit_test(output_never_overwrites_an_input),
		cmocka_unit_test(help_and_version_are_exit_code_0),
		cmocka_unit_test(only_an_image_by_itself_goes_to_standard_output),
		cmocka_unit_test(report_comes_as_table_or_json),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
