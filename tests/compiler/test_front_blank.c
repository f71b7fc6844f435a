/*
 * test_front_blank.c - what becomes of a function's text when no kernel reaches it: lines and
 * columns stay.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "compiler/front_blank_text.h"

/* Blanks the body that begins at the first `{` of `source` and ends at its last `}`. */
static void assert_body_becomes(const char *source, const char *expected)
{
	char *text = strdup(source);
	size_t begin = (size_t)(strchr(text, '{') - text),
	       end = (size_t)(strrchr(text, '}') + 1 - text);
	front_blank_text(text, begin, end, BLANK_BODY);
	assert_string_equal(text, expected);
	free(text);
}

static void assert_piece_becomes(const char *source, enum blank_kind kind, const char *expected)
{
	char *text = strdup(source);
	front_blank_text(text, 0, strlen(text), kind);
	assert_string_equal(text, expected);
	free(text);
}

static void body_becomes_a_declaration(void **state)
{
	(void)state;
	assert_body_becomes("int f(void) { return 1; } int x;", "int f(void) ;             int x;");
}

static void line_ends_and_tabs_stay(void **state)
{
	(void)state;
	assert_body_becomes("f()\n{\n\tg();\r\n}\n", "f()\n;\n\t    \r\n \n");
}

static void old_parameters_keep_a_body(void **state)
{
	(void)state;
	assert_body_becomes("int f(a) int a; { return a; }", "int f(a) int a; {           }");
}

static void definitions_in_a_body_stay(void **state)
{
	(void)state;
	assert_body_becomes("f()\n{\n#define A 1\n# undef B\n g();\n}",
		"f()\n;\n#define A 1\n# undef B\n     \n ");
}

static void long_definitions_stay_whole(void **state)
{
	(void)state;
	assert_body_becomes(
		"f()\n{\n#define A \\\n g()\n h();\n}", "f()\n;\n#define A \\\n g()\n     \n ");
	assert_body_becomes("f()\n{\n#define A /* x\n y */ 1\n h();\n}",
		"f()\n;\n#define A /* x\n y */ 1\n     \n ");
}

static void conditions_in_a_body_stay(void **state)
{
	(void)state;
	assert_body_becomes("f()\n{\n#ifdef A\n g();\n#else\n h();\n#endif\n}",
		"f()\n;\n#ifdef A\n     \n#else\n     \n#endif\n ");
}

static void includes_and_errors_in_a_body_go(void **state)
{
	(void)state;
	assert_body_becomes("f()\n{\n#include \"x\"\n#error e\n#pragma p\n}",
		"f()\n;\n            \n        \n         \n ");
}

static void what_looks_like_a_directive_goes(void **state)
{
	(void)state;
	assert_body_becomes("f()\n{\n/*\n#define A\n*/\n}", "f()\n;\n  \n         \n  \n ");
	assert_body_becomes("f()\n{\n// \\\n#define A\n}", "f()\n;\n    \n         \n ");
	assert_body_becomes("f()\n{\n g(\"\\\n#define A\");\n}", "f()\n;\n     \n            \n ");
	assert_body_becomes("f()\n{\n x #define A\n}", "f()\n;\n            \n ");
}

static void directive_after_a_comment_stays(void **state)
{
	(void)state;
	assert_body_becomes("f()\n{\n/* c */ #define A\n}", "f()\n;\n        #define A\n ");
}

static void quotes_and_braces_in_strings_do_not_matter(void **state)
{
	(void)state;
	assert_body_becomes(
		"f() { g('\"', \"}\\\"{/*\"); h('\\''); }", "f() ;                             ");
}

static void lone_quote_ends_with_its_line(void **state)
{
	(void)state;
	assert_body_becomes("f()\n{\n#if 0\n don't\n#endif\n}", "f()\n;\n#if 0\n      \n#endif\n ");
}

static void text_that_is_no_body_stays(void **state)
{
	(void)state;
	assert_piece_becomes("MACRO(x)", BLANK_BODY, "MACRO(x)");
}

static void body_may_stay_a_definition(void **state)
{
	(void)state;
	assert_piece_becomes("{ return 1; }", BLANK_INSIDE, "{           }");
}

static void everything_goes_but_line_ends(void **state)
{
	(void)state;
	assert_piece_becomes("asm(\"\\n\"\n\t\"nop\")", BLANK_ALL, "        \n\t      ");
}

/* Blanks what stands between the first `=` and the `;`, as the value that begins at `value`. */
static void assert_value_becomes(const char *source, const char *value, const char *expected)
{
	char *text = strdup(source);
	size_t begin = (size_t)(strstr(text, value) - text),
	       end = (size_t)(strrchr(text, ';') - text);
	front_blank_text(text, begin, end, BLANK_INITIALISER);
	assert_string_equal(text, expected);
	free(text);
}

static void value_goes_with_its_sign(void **state)
{
	(void)state;
	assert_value_becomes("int *p = x;", "x", "int *p    ;");
	assert_value_becomes("int *p[2] =\n{\n#define A 1\n a, b};", "{",
		"int *p[2]  \n \n#define A 1\n      ;");
}

static void value_that_gives_the_length_stays(void **state)
{
	(void)state;
	assert_value_becomes("int *p[] = {x};", "{", "int *p[] = {x};");
	assert_value_becomes("int *p[ ] [2] = {x};", "{", "int *p[ ] [2] = {x};");
	assert_value_becomes("int *p[3][2] = {x};", "{", "int *p[3][2]      ;");
}

static void value_without_a_sign_stays(void **state)
{
	(void)state;
	assert_value_becomes("MACRO(x);", "x", "MACRO(x);");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(body_becomes_a_declaration),
		cmocka_unit_test(line_ends_and_tabs_stay),
		cmocka_unit_test(old_parameters_keep_a_body),
		cmocka_unit_test(definitions_in_a_body_stay),
		cmocka_unit_test(long_definitions_stay_whole),
		cmocka_unit_test(conditions_in_a_body_stay),
		cmocka_unit_test(includes_and_errors_in_a_body_go),
		cmocka_unit_test(what_looks_like_a_directive_goes),
		cmocka_unit_test(directive_after_a_comment_stays),
		cmocka_unit_test(quotes_and_braces_in_strings_do_not_matter),
		cmocka_unit_test(lone_quote_ends_with_its_line),
		cmocka_unit_test(text_that_is_no_body_stays),
		cmocka_unit_test(body_may_stay_a_definition),
		cmocka_unit_test(everything_goes_but_line_ends),
		cmocka_unit_test(value_goes_with_its_sign),
		cmocka_unit_test(value_that_gives_the_length_stays),
		cmocka_unit_test(value_without_a_sign_stays),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
