/*
 * test_format.c - the firmware's printf against the C library's.
 */
#include <float.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "device/format.h"

static uint64_t bits_of(double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof(bits));
	return bits;
}

static void expect(const char *wanted, const char *format, const uint64_t *args, uint64_t count)
{
	char text[2000];
	unsigned length = ndev_format(text, sizeof(text) - 1, format, args, count);

	text[length] = 0;
	assert_string_equal(text, wanted);
}

#pragma GCC diagnostic ignored "-Wformat-nonliteral"
#pragma GCC diagnostic ignored "-Wformat-security"

static void expect_like_libc(const char *format, double value)
{
	char wanted[2000];
	uint64_t word = bits_of(value);

	snprintf(wanted, sizeof(wanted), format, value);
	expect(wanted, format, &word, 1);
}

static void integers_print_as_in_c(void **state)
{
	static const char *const formats[] = {"%d", "%i", "%u", "%x", "%X", "%#x", "%#X", "%5d",
		"%-5d|", "%05d", "%+d", "% d", "%.3d", "%8.3d", "%-8.3d|", "%08.3d", "%hd", "%hhd",
		"%hu", "%hhx", "%.0d", "%c"};
	static const int values[] = {0, 1, -1, 7, -7, 65, 127, 128, 255, 256, 32767, 32768, 65535,
		123456, -123456, INT32_MAX, INT32_MIN};

	(void)state;
	for (unsigned f = 0; f < sizeof(formats) / sizeof(formats[0]); f++) {
		for (unsigned v = 0; v < sizeof(values) / sizeof(values[0]); v++) {
			uint64_t word = (uint64_t)(int64_t)values[v];
			char wanted[100];

			if (!strcmp(formats[f], "%c") && !values[v])
				continue;
			snprintf(wanted, sizeof(wanted), formats[f], values[v]);
			if (!strcmp(formats[f], "%c") && !(values[v] & 0xff))
				continue;
			expect(wanted, formats[f], &word, 1);
		}
	}
}

static void long_integers_print_as_in_c(void **state)
{
	static const char *const formats[] = {
		"%ld", "%lu", "%lx", "%lld", "%llX", "%jd", "%20ld", "%-20ld|"};
	static const int64_t values[] = {0, 1, -1, INT64_MAX, INT64_MIN, 1ll << 40};

	(void)state;
	for (unsigned f = 0; f < sizeof(formats) / sizeof(formats[0]); f++) {
		for (unsigned v = 0; v < sizeof(values) / sizeof(values[0]); v++) {
			uint64_t word = (uint64_t)values[v];
			char wanted[100];

			snprintf(wanted, sizeof(wanted), formats[f], values[v]);
			expect(wanted, formats[f], &word, 1);
		}
	}
}

static void strings_pointers_and_stars_print_as_in_c(void **state)
{
	uint64_t args[4] = {(uintptr_t)"text", 0, 0, 0};

	(void)state;
	expect("text", "%s", args, 1);
	expect("      text", "%10s", args, 1);
	expect("text      |", "%-10s|", args, 1);
	expect("te", "%.2s", args, 1);
	args[0] = 0;
	expect("(null)", "%s", args, 1);
	args[0] = 0xabc;
	expect("0xabc", "%p", args, 1);
	expect("100%", "100%%", args, 0);
	args[0] = 6;
	args[1] = 42;
	expect("    42", "%*d", args, 2);
	args[0] = (uint64_t)-6;
	expect("42    |", "%*d|", args, 2);
	args[0] = 3;
	expect("042", "%.*d", args, 2);
}

static void missing_arguments_print_as_zero(void **state)
{
	(void)state;
	expect("0 (null)", "%d %s", NULL, 0);
}

static void text_is_cut_at_its_capacity(void **state)
{
	char text[8];
	uint64_t args[1] = {123456789};

	(void)state;
	assert_int_equal(ndev_format(text, sizeof(text), "n=%d", args, 1), 8);
	assert_memory_equal(text, "n=123456", 8);
}

static const char *const double_formats[] = {"%f", "%e", "%g", "%.0f", "%.1f", "%.3f", "%.17g",
	"%.0e", "%.3e", "%.20e", "%10.2f", "%-12.3g|", "%+f", "% e", "%#.0f", "%012.4f", "%F", "%E",
	"%G", "%.40f", "%.0g", "%.1g", "%.15g"};

static void expect_all_formats(double value)
{
	for (unsigned f = 0; f < sizeof(double_formats) / sizeof(double_formats[0]); f++) {
		expect_like_libc(double_formats[f], value);
		expect_like_libc(double_formats[f], -value);
	}
}

static void chosen_doubles_print_as_in_c(void **state)
{
	static const double values[] = {0, 1, 0.1, 0.5, 1.5, 2.5, 0.05, 0.25, 9.5, 9.9995, 99.995,
		999999.5, 1e5, 1e6, 123456, 1234567, 1e-4, 9.9999e-5, 1e-5, 1e22, 1e23, 5e-324,
		DBL_MIN, DBL_MAX, DBL_EPSILON, 3.14159, 2.0 / 3, 1e100, 1e-100, 0.000123456789,
		4503599627370496.5, 9007199254740993.0};

	(void)state;
	for (unsigned i = 0; i < sizeof(values) / sizeof(values[0]); i++)
		expect_all_formats(values[i]);
	expect_all_formats(DBL_MAX * 10);
}

/* Not compared with the C library: glibc 2.36 drops the zeros of 999999.5, which C11 keeps. */
static void the_alternate_general_form_keeps_its_zeros(void **state)
{
	static const struct {
		double value;
		const char *text;
	} cases[] = {{1, "1.00000"}, {1e6, "1.00000e+06"}, {999999.5, "1.00000e+06"},
		{1e-4, "0.000100000"}, {0, "0.00000"}};

	(void)state;
	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint64_t word = bits_of(cases[i].value);

		expect(cases[i].text, "%#g", &word, 1);
	}
}

static void random_doubles_print_as_in_c(void **state)
{
	uint64_t random = 88172645463325252ull;

	(void)state;
	for (unsigned i = 0; i < 2000; i++) {
		double value;

		random ^= random << 13;
		random ^= random >> 7;
		random ^= random << 17;
		memcpy(&value, &random, sizeof(value));
		if (value == value)
			expect_all_formats(value);
	}
}

static void widths_beyond_any_line_are_cut(void **state)
{
	static const char *const formats[] = {"%*d|", "%*s|", "%-*d|", "%9999999999d|"};
	const uint64_t args[] = {INT32_MAX, 0};
	char text[2000];

	(void)state;
	for (unsigned i = 0; i < sizeof(formats) / sizeof(formats[0]); i++)
		assert_int_equal(
			ndev_format(text, sizeof(text), formats[i], args, 2), NDEV_WIDTH_MAX + 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(integers_print_as_in_c),
		cmocka_unit_test(long_integers_print_as_in_c),
		cmocka_unit_test(strings_pointers_and_stars_print_as_in_c),
		cmocka_unit_test(missing_arguments_print_as_zero),
		cmocka_unit_test(text_is_cut_at_its_capacity),
		cmocka_unit_test(widths_beyond_any_line_are_cut),
		cmocka_unit_test(chosen_doubles_print_as_in_c),
		cmocka_unit_test(the_alternate_general_form_keeps_its_zeros),
		cmocka_unit_test(random_doubles_print_as_in_c),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
