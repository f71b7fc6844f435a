/* The command line: what it means, and what is refused. */
#include "tests/apps/graph/built.h"

#include <fcntl.h>
#include <getopt.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "apps/graph/options.h"

static struct options options;
static enum exit_code exit_code;

/* Reads "--kron 4 --verify"; what is printed is thrown away. */
static bool read_line(const char *line)
{
	static char text[256]; /* what options then point into */
	char *argv[32];
	int argc = 0, out = dup(STDOUT_FILENO), err = dup(STDERR_FILENO),
	    null = open("/dev/null", O_WRONLY);
	bool goes_on;

	snprintf(text, sizeof text, "bfs %s", line);
	for (char *word = strtok(text, " "); word; word = strtok(NULL, " "))
		argv[argc++] = word;
	argv[argc] = NULL;
	optind = 0;
	fflush(stdout);
	dup2(null, STDOUT_FILENO);
	dup2(null, STDERR_FILENO);
	goes_on = options_read(&options, argc, argv, &exit_code);
	fflush(stdout);
	dup2(out, STDOUT_FILENO);
	dup2(err, STDERR_FILENO);
	close(out);
	close(err);
	close(null);
	return goes_on;
}

static void refused(const char *line)
{
	exit_code = EXIT_OK;
	assert_false(read_line(line));
	assert_int_equal(exit_code, EXIT_USAGE);
}

static void defaults_are_those_of_gap(void **state)
{
	(void)state;
	assert_true(read_line("--kron 16"));
	assert_int_equal(options.origin, FROM_GENERATOR);
	assert_int_equal(options.generate.kind, GENERATE_KRON);
	assert_int_equal(options.generate.scale, 16);
	assert_int_equal(options.generate.degree, 16);
	assert_null(options.source);
	assert_int_equal(options.cores, 0);
}

static void options_and_file_may_come_in_any_order(void **state)
{
	(void)state;
	assert_true(read_line(
		"a.el --source 7 --verify -c 4 --json --output out --format gr --compact-ids --reverse"));
	assert_int_equal(options.origin, FROM_FILE);
	assert_string_equal(options.path, "a.el");
	assert_string_equal(options.source, "7");
	assert_string_equal(options.output, "out");
	assert_string_equal(options.format, "gr");
	assert_int_equal(options.cores, 4);
	assert_true(options.verify && options.json && options.compact_ids && options.shape.reverse);
}

static void exactly_one_graph_is_needed(void **state)
{
	(void)state;
	refused("");
	refused("a.el b.el");
	refused("a.el --kron 4");
	refused("--from-apt --uniform 4");
	refused("--kron 4 --kron 5");
}

static void numbers_out_of_range_are_refused(void **state)
{
	(void)state;
	refused("--kron 32");
	refused("--kron -1");
	refused("--kron four");
	refused("--kron 4 --degree 0");
	refused("--kron 4 --cores 0");
	refused("--kron 4 --cores 65");
	refused("--kron 4 --seed 18446744073709551616");
	refused("--kron 4 --top 0");
}

static void unknown_options_and_missing_arguments_are_refused(void **state)
{
	(void)state;
	refused("--kron");
	refused("--kron 4 --nonsense");
	refused("a.el --format metis");
	refused("--kron 4 --format el");
	refused("--from-apt --compact-ids");
	refused("--kron 4 --json --top 3");
}

static void help_ends_well(void **state)
{
	(void)state;
	exit_code = EXIT_USAGE;
	assert_false(read_line("--help"));
	assert_int_equal(exit_code, EXIT_OK);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(defaults_are_those_of_gap),
		cmocka_unit_test(options_and_file_may_come_in_any_order),
		cmocka_unit_test(exactly_one_graph_is_needed),
		cmocka_unit_test(numbers_out_of_range_are_refused),
		cmocka_unit_test(unknown_options_and_missing_arguments_are_refused),
		cmocka_unit_test(help_ends_well),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
