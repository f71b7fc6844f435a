/*
 * test_front_document.c - docs/kernel-language.md says what the compiler does: its tables are
 * compared with it.
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

#include "device/abi/kernel.h"

#define DOCUMENT DOCUMENT_FOLDER "/kernel-language.md"

static char *read_whole(const char *path)
{
	FILE *file = fopen(path, "r");
	assert_non_null(file);
	char *text = NULL;
	size_t nbytes = 0;
	FILE *memory = open_memstream(&text, &nbytes);
	assert_non_null(memory);
	for (int c; (c = fgetc(file)) != EOF;)
		fputc(c, memory);
	fclose(file);
	fclose(memory);
	return text;
}

static bool is_source(const char *name)
{
	size_t length = strlen(name);
	return length > 2 && !strcmp(name + length - 2, ".c");
}

/* All that the files of refused/ expect, one after the other. */
static char *read_expectations(void)
{
	char *text = NULL;
	size_t nbytes = 0;
	FILE *memory = open_memstream(&text, &nbytes);
	DIR *folder = opendir(TEST_FOLDER "/refused");
	assert_non_null(memory);
	assert_non_null(folder);
	for (struct dirent *entry; (entry = readdir(folder));) {
		char path[512];
		snprintf(path, sizeof path, TEST_FOLDER "/refused/%s", entry->d_name);
		if (!is_source(entry->d_name))
			continue;
		char *source = read_whole(path), *expected = strstr(source, "// expect: ");
		fputs(expected ? expected : "", memory);
		free(source);
	}
	closedir(folder);
	fclose(memory);
	return text;
}

/*
 * The second column of a table's row, without its backticks; NULL when this line is none with code
 * there.
 */
static char *message_of(char *line)
{
	char *column = *line == '|' ? strchr(line + 1, '|') : NULL;
	char *begin = column ? strchr(column, '`') : NULL,
	     *end = begin ? strchr(begin + 1, '`') : NULL;
	if (!end || begin != column + 2)
		return NULL;
	*end = '\0';
	return begin + 1;
}

static void every_refusal_is_tested_in_its_words(void **state)
{
	(void)state;
	char *document = read_whole(DOCUMENT), *expectations = read_expectations();
	char *rest = strstr(document, "## What is refused");
	unsigned count = 0, missing = 0;
	assert_non_null(rest);
	for (char *line; (line = strsep(&rest, "\n"));) {
		char *message = message_of(line);
		if (!message)
			continue;
		count++;
		if (!strstr(expectations, message)) {
			print_error("no file of refused/ expects: %s\n", message);
			missing++;
		}
	}
	assert_int_equal(missing, 0);
	assert_true(count > 40);
	free(expectations);
	free(document);
}

static void limits_are_the_constants(void **state)
{
	(void)state;
	static const struct {
		const char *name;
		int value;
	} limits[] = {
		{"NK_FRAME_MAX", NK_FRAME_MAX},
		{"NK_STACK_MAX", NK_STACK_MAX},
		{"NK_PARAMS_MAX", NK_PARAMS_MAX},
		{"NK_STRUCT_PARAM_MAX", NK_STRUCT_PARAM_MAX},
		{"NK_ENDS_MAX", NK_ENDS_MAX},
		{"NK_CODE_MAX", NK_CODE_MAX},
		{"NK_NAME_MAX", NK_NAME_MAX},
		{"NK_LOG_ARGS_MAX", NK_LOG_ARGS_MAX},
	};
	char *document = read_whole(DOCUMENT);
	for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
		char row[64];
		snprintf(row, sizeof row, "| `%s` | %d |", limits[i].name, limits[i].value);
		if (!strstr(document, row))
			fail_msg("no such row: %s", row);
	}
	free(document);
}

#define FAULT_NAME(name, text) #name,

static void every_fault_is_named(void **state)
{
	(void)state;
	static const char *const faults[] = {NK_FAULTS(FAULT_NAME)};
	char *document = read_whole(DOCUMENT);
	for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
		char quoted[64];
		snprintf(quoted, sizeof quoted, "`%s`", faults[i]);
		if (!strstr(document, quoted))
			fail_msg("not named: %s", quoted);
	}
	free(document);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_refusal_is_tested_in_its_words),
		cmocka_unit_test(limits_are_the_constants),
		cmocka_unit_test(every_fault_is_named),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
