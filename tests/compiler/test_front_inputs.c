/* test_front_inputs.c - files that are hardly C, and what is printed, letter by letter. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "front_run.h"

#define HEAD "#include <nearside/kernel.h>\n"

/* Compiles `source`, which must be refused with exactly `expected`; %s in it is the file. */
static void assert_refused(const char *source, size_t nbytes, const char *expected)
{
	char *path = run_file("input.c", source, nbytes);
	struct run run;
	run_nprocc(&run, path, NULL);
	assert_output(&run, path, expected);
	assert_int_equal(run.status, 1);
	free(run.output);
	free(path);
}

static void assert_path_refused(const char *path, const char *expected)
{
	struct run run;
	run_nprocc(&run, path, NULL);
	assert_output(&run, path, expected);
	assert_int_equal(run.status, 1);
	free(run.output);
}

/* Compiles `source`, which must be refused, and returns what was said. */
static char *refuse(const char *source, size_t nbytes)
{
	char *path = run_file("input.c", source, nbytes);
	struct run run;
	run_nprocc(&run, path, NULL);
	assert_int_equal(run.status, 1);
	free(path);
	return run.output;
}

/* ---- what is no file ------------------------------------------------------------------------ */

static void missing_file_is_named(void **state)
{
	(void)state;
	assert_path_refused("/no/such/file.c", "%s: error: No such file or directory\n");
}

static void folder_is_no_source(void **state)
{
	(void)state;
	char *path = run_file("folder.c", "", 0);
	assert_int_equal(remove(path), 0);
	assert_int_equal(mkdir(path, 0700), 0);
	assert_path_refused(
		path, "%s: error: not a regular file\nnote: nprocc reads C source files\n");
	free(path);
}

static void fifo_is_no_source(void **state)
{
	(void)state;
	char *path = run_file("fifo.c", "", 0);
	assert_int_equal(remove(path), 0);
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_path_refused(
		path, "%s: error: not a regular file\nnote: nprocc reads C source files\n");
	free(path);
}

static void link_to_itself_cannot_be_read(void **state)
{
	(void)state;
	char *path = run_file("loop.c", "", 0);
	assert_int_equal(remove(path), 0);
	assert_int_equal(symlink("loop.c", path), 0);
	assert_path_refused(path, "%s: error: Too many levels of symbolic links\n");
	free(path);
}

static void unreadable_file_is_named(void **state)
{
	(void)state;
	if (geteuid() == 0) {
		print_message("skipped: to this user everything is readable\n");
		skip();
	}
	char *path = run_file("secret.c", "", 0);
	assert_int_equal(chmod(path, 0), 0);
	assert_path_refused(path, "%s: error: Permission denied\n");
	free(path);
}

/* ---- what is no C --------------------------------------------------------------------------- */

static void empty_file_holds_no_kernel(void **state)
{
	(void)state;
	char *output = refuse("", 0);
	assert_non_null(strstr(output, "input.c: error: no kernel in here\n"));
	free(output);
}

static void zero_bytes_are_no_source(void **state)
{
	(void)state;
	assert_refused("int x;\0int y;", 13, "%s: error: not C source: it holds zero bytes\n");
}

static bool is_free_of_controls(const char *text)
{
	for (; *text; text++) {
		unsigned char c = (unsigned char)*text;
		if ((c < 0x20 && c != '\n' && c != '\t') || c == 0x7f)
			return false;
	}
	return true;
}

static void garbage_is_refused_in_printable_text(void **state)
{
	(void)state;
	char garbage[4096];
	uint32_t random = 2463534242u;
	for (size_t i = 0; i < sizeof garbage; i++) {
		random ^= random << 13;
		random ^= random >> 17;
		random ^= random << 5;
		garbage[i] = (char)(random % 255 + 1);
	}
	char *output = refuse(garbage, sizeof garbage);
	assert_non_null(strstr(output, ": error: "));
	assert_true(is_free_of_controls(output));
	free(output);
}

static void unfinished_source_is_refused(void **state)
{
	(void)state;
	static const char *const sources[] = {"/*", "#if 1\n", "int f(void) {", "\"", "'",
		"#define", "#include", "NPROC_KERNEL", "int64_t",
		"__attribute__((annotate(\"nearside.kernel\"))) long f() {"};
	for (size_t i = 0; i < sizeof sources / sizeof *sources; i++)
		free(refuse(sources[i], strlen(sources[i])));
}

static void missing_header_stops_the_reading(void **state)
{
	(void)state;
	static const char source[] = "#include \"nowhere.h\"\nint x = ;\n";
	assert_refused(source, sizeof source - 1,
		"%s:1:10: error: 'nowhere.h' file not found\n"
		"#include \"nowhere.h\"\n"
		"         ^\n");
}

/* ---- source lines and carets ---------------------------------------------------------------- */

static void caret_stands_under_the_place(void **state)
{
	(void)state;
	static const char source[] = HEAD "NPROC_KERNEL int64_t k(int *p) { return *p; }\n";
	assert_refused(source, sizeof source - 1,
		"%s:2:29: error: parameter 'p' is a private pointer: the host's memory is not the device's\n"
		"NPROC_KERNEL int64_t k(int *p) { return *p; }\n"
		"                            ^\n"
		"note: allocate with nmem_alloc() on the host and declare it `far int *`\n");
}

static void caret_follows_tabs(void **state)
{
	(void)state;
	static const char source[] =
		HEAD "NPROC_KERNEL int64_t k(void)\n{\n\tint a;\tasm(\"nop\");\n\treturn 0;\n}\n";
	assert_refused(source, sizeof source - 1,
		"%s:4:9: error: inline assembly: the same kernel runs on several instruction sets\n"
		"\tint a;\tasm(\"nop\");\n"
		"\t      \t^\n"
		"note: write it in C; clang's builtins become single instructions where there are some\n");
}

static void caret_follows_other_alphabets(void **state)
{
	(void)state;
	static const char source[] = HEAD "NPROC_KERNEL int64_t k(void) { /* Gr\xc3\xb6\xc3\x9f"
					  "e \xe2\x82\xac */ asm(\"nop\"); return 0; }\n";
	assert_refused(source, sizeof source - 1,
		"%s:2:50: error: inline assembly: the same kernel runs on several instruction sets\n"
		"NPROC_KERNEL int64_t k(void) { /* Gr\xc3\xb6\xc3\x9f"
		"e \xe2\x82\xac */ asm(\"nop\"); return 0; }\n"
		"                                             ^\n"
		"note: write it in C; clang's builtins become single instructions where there are some\n");
}

static void byte_order_mark_has_no_width(void **state)
{
	(void)state;
	static const char source[] = "\xef\xbb\xbf"
				     "int x = y;\n";
	assert_refused(source, sizeof source - 1,
		"%s:1:12: error: use of undeclared identifier 'y'\n"
		"int x = y;\n"
		"        ^\n");
}

static void carriage_returns_are_not_printed(void **state)
{
	(void)state;
	static const char source[] =
		"#include <nearside/kernel.h>\r\n\r\nNPROC_KERNEL int64_t k(void)\r\n{\r\n"
		"\tasm(\"nop\");\r\n\treturn 0;\r\n}\r\n";
	assert_refused(source, sizeof source - 1,
		"%s:5:2: error: inline assembly: the same kernel runs on several instruction sets\n"
		"\tasm(\"nop\");\n"
		"\t^\n"
		"note: write it in C; clang's builtins become single instructions where there are some\n");
}

static void last_line_needs_no_end(void **state)
{
	(void)state;
	static const char source[] =
		HEAD "NPROC_KERNEL int64_t k(void) { asm(\"nop\"); return 0; }";
	assert_refused(source, sizeof source - 1,
		"%s:2:32: error: inline assembly: the same kernel runs on several instruction sets\n"
		"NPROC_KERNEL int64_t k(void) { asm(\"nop\"); return 0; }\n"
		"                               ^\n"
		"note: write it in C; clang's builtins become single instructions where there are some\n");
}

static void macro_is_shown_where_it_is_used(void **state)
{
	(void)state;
	static const char source[] =
		HEAD "#define STOP(x) do { (void)(x); asm(\"hlt\"); } while (0)\n"
		     "NPROC_KERNEL int64_t k(int n) { STOP(n); return 0; }\n";
	assert_refused(source, sizeof source - 1,
		"%s:3:33: error: inline assembly: the same kernel runs on several instruction sets\n"
		"NPROC_KERNEL int64_t k(int n) { STOP(n); return 0; }\n"
		"                                ^\n"
		"note: write it in C; clang's builtins become single instructions where there are some\n");
}

/* A line of 200,000 characters with the error in its middle: 120 of them are shown. */
static void long_line_is_shown_around_the_caret(void **state)
{
	(void)state;
	enum {
		SPACES = 100000
	};
	size_t capacity = 2 * SPACES + 256;
	char *source = calloc(1, capacity);
	int length = snprintf(source, capacity,
		HEAD "NPROC_KERNEL int64_t k(void) {%*sasm(\"nop\");%*sreturn 0; }\n", SPACES, "",
		SPACES, "");
	char expected[1024];
	snprintf(expected, sizeof expected,
		"%%s:2:%d: error: inline assembly: the same kernel runs on several instruction sets\n"
		"...%80sasm(\"nop\");%29s...\n"
		"   %80s^\n"
		"note: write it in C; clang's builtins become single instructions where there are some\n",
		SPACES + 31, "", "", "");
	assert_refused(source, (size_t)length, expected);
	free(source);
}

static void control_characters_are_not_printed(void **state)
{
	(void)state;
	static const char source[] =
		HEAD "NPROC_KERNEL int64_t k(void) { /* \x1b[2J\xff */ asm(\"nop\"); return 0; }\n";
	assert_refused(source, sizeof source - 1,
		"%s:2:44: error: inline assembly: the same kernel runs on several instruction sets\n"
		"NPROC_KERNEL int64_t k(void) { /* ?[2J? */ asm(\"nop\"); return 0; }\n"
		"                                           ^\n"
		"note: write it in C; clang's builtins become single instructions where there are some\n");
}

/* An expression of 10,000 operators: no step may go down into it by calling itself. */
static void deep_source_is_read(void **state)
{
	(void)state;
	char *source = NULL;
	size_t nbytes = 0;
	FILE *memory = open_memstream(&source, &nbytes);
	assert_non_null(memory);
	fputs(HEAD "NPROC_KERNEL int64_t k(int64_t a) { return a", memory);
	for (int i = 0; i < 10000; i++)
		fputs(" + a", memory);
	fputs("; }\n", memory);
	fclose(memory);
	char *path = run_file("input.c", source, nbytes);
	struct run run;
	run_nprocc(&run, path, NULL);
	assert_string_equal(run.output, "");
	assert_int_equal(run.status, 0);
	free(run.output);
	free(path);
	free(source);
}

/* ---- options -------------------------------------------------------------------------------- */

static void option_defines_what_is_read(void **state)
{
	(void)state;
	static const char source[] = HEAD
		"NPROC_KERNEL int64_t k(void)\n{\n#ifdef BAD\n\tasm(\"nop\");\n#endif\n\treturn 0;\n}\n";
	char *path = run_file("input.c", source, sizeof source - 1);
	struct run with, without;
	run_nprocc(&with, path, "-DBAD");
	run_nprocc(&without, path, NULL);
	assert_int_equal(with.status, 1);
	assert_non_null(strstr(with.output, "input.c:5:2: error: inline assembly"));
	assert_string_equal(without.output, "");
	assert_int_equal(without.status, 0);
	free(with.output);
	free(without.output);
	free(path);
}

/* Where the file is must not matter: it is read by a relative name, and so it is named. */
static void relative_names_stay_relative(void **state)
{
	(void)state;
	static const char source[] =
		HEAD "NPROC_KERNEL int64_t k(void) { asm(\"nop\"); return 0; }\n";
	char *path = run_file("input.c", source, sizeof source - 1), *folder = getcwd(NULL, 0);
	assert_int_equal(chdir(run_folder()), 0);
	struct run run;
	run_nprocc(&run, "input.c", NULL);
	assert_int_equal(chdir(folder), 0);
	assert_int_equal(run.status, 1);
	assert_ptr_equal(strstr(run.output, "input.c:2:32: error: "), run.output);
	free(run.output);
	free(folder);
	free(path);
}

static int clean(void **state)
{
	(void)state;
	run_clean();
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(missing_file_is_named),
		cmocka_unit_test(folder_is_no_source),
		cmocka_unit_test(fifo_is_no_source),
		cmocka_unit_test(link_to_itself_cannot_be_read),
		cmocka_unit_test(unreadable_file_is_named),
		cmocka_unit_test(empty_file_holds_no_kernel),
		cmocka_unit_test(zero_bytes_are_no_source),
		cmocka_unit_test(garbage_is_refused_in_printable_text),
		cmocka_unit_test(unfinished_source_is_refused),
		cmocka_unit_test(missing_header_stops_the_reading),
		cmocka_unit_test(caret_stands_under_the_place),
		cmocka_unit_test(caret_follows_tabs),
		cmocka_unit_test(caret_follows_other_alphabets),
		cmocka_unit_test(byte_order_mark_has_no_width),
		cmocka_unit_test(carriage_returns_are_not_printed),
		cmocka_unit_test(last_line_needs_no_end),
		cmocka_unit_test(macro_is_shown_where_it_is_used),
		cmocka_unit_test(long_line_is_shown_around_the_caret),
		cmocka_unit_test(control_characters_are_not_printed),
		cmocka_unit_test(deep_source_is_read),
		cmocka_unit_test(option_defines_what_is_read),
		cmocka_unit_test(relative_names_stay_relative),
	};
	return cmocka_run_group_tests(tests, NULL, clean);
}
