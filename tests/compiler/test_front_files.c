/*
 * test_front_files.c - each file of refused/ and front_accepted/ is a test of its own.
 *
 * A file of refused/ tells what nprocc must say about it, in order and completely, in comments:
 *
 *     // expect: 7:12: error: recursion: f -> g -> f
 *     // expect: note: write a loop...
 *
 * The file's own name is left out, the folder of other names too; source lines and carets are not
 * compared here (test_front_inputs.c does that). A file of front_accepted/ comes close to a
 * refusal, and must compile in silence.
 */
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "front_run.h"

static const char mark[] = "// expect: ";

static bool begins(const char *text, const char *with)
{
	return !strncmp(text, with, strlen(with));
}

/* The lines of a source file that say what is expected, without their mark. */
static char *read_expected(const char *path)
{
	FILE *file = fopen(path, "r");
	assert_non_null(file);
	char *line = NULL, *text = NULL;
	size_t capacity = 0, nbytes = 0;
	FILE *memory = open_memstream(&text, &nbytes);
	assert_non_null(memory);
	while (getline(&line, &capacity, file) > 0) {
		line[strcspn(line, "\r\n")] = '\0';
		const char *at = strstr(line, mark);
		if (at)
			fprintf(memory, "%s\n", at + strlen(mark));
	}
	free(line);
	fclose(file);
	fclose(memory);
	return text;
}

static bool is_message(const char *line)
{
	return begins(line, "note: ") || strstr(line, ": error: ") || strstr(line, ": warning: ") ||
	       strstr(line, ": note: ");
}

/* A message without the folder that the test is in, and without the name of the file itself. */
static const char *shorten(const char *line, const char *path)
{
	size_t folder_length = (size_t)(strrchr(path, '/') + 1 - path);
	if (begins(line, path) && line[strlen(path)] == ':')
		return line + strlen(path) + 1 + (line[strlen(path) + 1] == ' ');
	return !strncmp(line, path, folder_length) ? line + folder_length : line;
}

/* What nprocc said, without source lines and carets. */
static char *messages_of(const char *output, const char *path)
{
	char *copy = strdup(output), *text = NULL;
	size_t nbytes = 0;
	FILE *memory = open_memstream(&text, &nbytes);
	assert_non_null(memory);
	for (char *rest = copy, *line; (line = strsep(&rest, "\n"));) {
		if (is_message(line))
			fprintf(memory, "%s\n", shorten(line, path));
	}
	fclose(memory);
	free(copy);
	return text;
}

static void file_is_refused_as_it_says(void **state)
{
	const char *path = *state;
	struct run run;
	char *expected = read_expected(path);
	run_nprocc(&run, path, NULL);
	char *messages = messages_of(run.output, path);
	assert_string_equal(messages, expected);
	assert_int_not_equal(*expected, '\0');
	assert_int_equal(run.status, 1);
	free(messages);
	free(expected);
	free(run.output);
}

static void file_is_accepted_in_silence(void **state)
{
	struct run run;
	run_nprocc(&run, *state, NULL);
	assert_string_equal(run.output, "");
	assert_int_equal(run.status, 0);
	free(run.output);
}

static int is_source(const struct dirent *entry)
{
	size_t length = strlen(entry->d_name);
	return length > 2 && !strcmp(entry->d_name + length - 2, ".c");
}

/* Adds a test for each source file of a folder. */
static size_t add_tests(
	struct CMUnitTest *tests, size_t count, const char *folder, CMUnitTestFunction test)
{
	struct dirent **entries;
	int found = scandir(folder, &entries, is_source, alphasort);
	if (found < 0) {
		perror(folder);
		exit(1);
	}
	for (int i = 0; i < found; i++) {
		char *path = NULL;
		if (asprintf(&path, "%s/%s", folder, entries[i]->d_name) < 0)
			exit(1);
		tests[count++] =
			(struct CMUnitTest){strrchr(path, '/') + 1, test, NULL, NULL, path};
		free(entries[i]);
	}
	free(entries);
	return count;
}

static int clean(void **state)
{
	(void)state;
	run_clean();
	return 0;
}

enum {
	TESTS_MAX = 512
};

int main(void)
{
	static struct CMUnitTest tests[TESTS_MAX];
	size_t count = add_tests(tests, 0, TEST_FOLDER "/refused", file_is_refused_as_it_says);
	count = add_tests(tests, count, TEST_FOLDER "/front_accepted", file_is_accepted_in_silence);
	int failed = _cmocka_run_group_tests("front_files", tests, count, NULL, clean);
	for (size_t i = 0; i < count; i++)
		free(tests[i].initial_state);
	return failed;
}
