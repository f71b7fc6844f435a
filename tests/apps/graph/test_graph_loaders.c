/*
 * Every file X of the data folder that has an X.expected is a test: loading X gives exactly that
 * outcome. Names say what they claim; ".compact." in a name stands for --compact-ids. Run with the
 * folder's path as argument.
 */
#include <glob.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/apps/graph/outcome.h"

enum {
	CASES_MAX = 200,
	CASES_EXPECTED_AT_LEAST = 60
};

static char *read_all(const char *path)
{
	char *text = calloc(1, 4096);
	FILE *file = fopen(path, "r");

	assert_non_null(file);
	assert_non_null(text);
	assert_true(fread(text, 1, 4095, file) < 4095);
	fclose(file);
	return text;
}

static void outcome_is_the_expected_one(void **state)
{
	const char *path = *state;
	char name[256], *expected, *outcome;

	snprintf(name, sizeof name, "%s.expected", path);
	expected = read_all(name);

	outcome = outcome_of(path, strstr(path, ".compact.") != NULL);

	assert_string_equal(outcome, expected);
	free(outcome);
	free(expected);
}

int main(int argc, char **argv)
{
	static struct CMUnitTest tests[CASES_MAX];
	size_t count = 0;
	glob_t found;
	int failed;

	if (argc != 2 || chdir(argv[1]) != 0 || glob("*.expected", 0, NULL, &found) != 0)
		return 2;
	for (; count < found.gl_pathc && count < CASES_MAX; count++) {
		char *path = found.gl_pathv[count];

		path[strlen(path) - strlen(".expected")] = 0;
		tests[count] =
			(struct CMUnitTest){path, outcome_is_the_expected_one, NULL, NULL, path};
	}
	if (count < CASES_EXPECTED_AT_LEAST)
		return 2;
	failed = _cmocka_run_group_tests("graph loaders", tests, count, NULL, NULL);
	globfree(&found);
	return failed;
}
