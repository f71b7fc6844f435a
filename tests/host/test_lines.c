/* Lines of instructions, out of this program's own table (compiled with -gdwarf-5). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "host/lines.h"

extern const char __ehdr_start[] __attribute__((visibility("hidden"))); /* where it is loaded */

static struct {
	unsigned char *bytes;
	size_t nbytes;
} program;

static int read_program(void **state)
{
	FILE *file = fopen("/proc/self/exe", "rb");

	(void)state;
	if (!file || fseek(file, 0, SEEK_END))
		return -1;
	program.nbytes = (size_t)ftell(file);
	program.bytes = malloc(program.nbytes);
	rewind(file);
	if (!program.bytes || fread(program.bytes, 1, program.nbytes, file) != program.nbytes)
		return -1;
	fclose(file);
	return 0;
}

static int free_program(void **state)
{
	(void)state;
	free(program.bytes);
	return 0;
}

static uint64_t address_of(void (*function)(void **state))
{
	return (uint64_t)((const char *)(uintptr_t)function - __ehdr_start);
}

static bool ends_with(const char *text, const char *end)
{
	return strlen(text) >= strlen(end) && !strcmp(text + strlen(text) - strlen(end), end);
}

static void a_function_begins_at_its_line(void **state);
static const unsigned its_line = __LINE__ + 1;
static void a_function_begins_at_its_line(void **state)
{
	struct nhost_line line;

	(void)state;
	assert_true(nhost_line_find(
		program.bytes, program.nbytes, address_of(a_function_begins_at_its_line), &line));
	assert_true(ends_with(line.file, "test_lines.c"));
	assert_true(line.line >= its_line && line.line <= its_line + 1); /* or its brace's */
}

static void an_address_of_no_code_has_no_line(void **state)
{
	struct nhost_line line;

	(void)state;
	assert_false(nhost_line_find(program.bytes, program.nbytes, 0, &line));
	assert_false(nhost_line_find(program.bytes, program.nbytes, UINT64_MAX, &line));
}

static void an_object_without_a_table_has_no_lines(void **state)
{
	struct nhost_line line;

	(void)state;
	assert_false(nhost_line_find(program.bytes, 0, 1, &line));
	assert_false(nhost_line_find("not an object", 13, 1, &line));
}

/* Whatever is found is inside the file: sanitizers look on. */
static void tables_cut_or_changed_anywhere_are_survived(void **state)
{
	uint64_t address = address_of(a_function_begins_at_its_line);
	uint32_t random = 1;
	struct nhost_line line;

	(void)state;
	for (int i = 0; i < 300; i++) {
		size_t nbytes, at;
		unsigned char *copy;

		random = random * 1664525 + 1013904223;
		nbytes = i % 2 ? program.nbytes : random % program.nbytes;
		copy = malloc(nbytes + 1);
		assert_non_null(copy);
		memcpy(copy, program.bytes, nbytes);
		for (int j = 0; j < 2000 && nbytes; j++) {
			random = random * 1664525 + 1013904223;
			at = random % nbytes;
			copy[at] = (unsigned char)(random >> 24);
		}
		if (nbytes > 64)
			memcpy(copy, program.bytes, 64);
		if (nhost_line_find(copy, nbytes, address, &line))
			assert_in_range(
				(uintptr_t)line.file, (uintptr_t)copy, (uintptr_t)copy + nbytes);
		free(copy);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_function_begins_at_its_line),
		cmocka_unit_test(an_address_of_no_code_has_no_line),
		cmocka_unit_test(an_object_without_a_table_has_no_lines),
		cmocka_unit_test(tables_cut_or_changed_anywhere_are_survived),
	};

	return cmocka_run_group_tests(tests, read_program, free_program);
}
