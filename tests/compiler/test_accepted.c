/*
 * test_accepted.c - each kernel of accepted/ at each level of optimisation: what it does as a
 * process must be what it does as a C function.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "compare.h"

static const char levels[] = {'0', '1', '2', '3', 's'};
static const char *const isa_names[NIMG_ISA_COUNT] = {"x86-64", "x86-64-v3", "riscv64"};

/* Far memory of these sizes, and seeds: both change what a kernel does. */
static const size_t sizes[] = {2368, 40960};
static const uint64_t seeds[] = {1, 2, 3, 70};

static void process_does_what_the_function_does(void **state)
{
	const struct comparison *comparison = *state;
	for (size_t size = 0; size < sizeof sizes / sizeof *sizes; size++) {
		for (size_t seed = 0; seed < sizeof seeds / sizeof *seeds; seed++) {
			compare(comparison, sizes[size], seeds[seed], false);
			compare(comparison, sizes[size], seeds[seed], true);
		}
	}
}

static struct fake_image *open_image(char level, enum nimg_isa isa)
{
	char path[4096];
	snprintf(path, sizeof path, "%s/accepted-O%c.nk", IMAGES, level);
	struct fake_image *image;
	fake_image_open(&image, path, isa);
	return image;
}

/* One test per kernel of an image. */
static size_t add_tests(struct CMUnitTest *tests, char level, enum nimg_isa isa)
{
	struct fake_image *image = open_image(level, isa);
	size_t count = 0;
	for (const struct native *native = native_kernels; native->name; native++) {
		struct comparison *state = malloc(sizeof *state);
		char *name = malloc(100);
		*state = (struct comparison){image, native->name, native->kernel};
		snprintf(name, 100, "%s -O%c %s", native->name, level, isa_names[isa]);
		tests[count++] = (struct CMUnitTest){
			.name = name,
			.test_func = process_does_what_the_function_does,
			.initial_state = state,
		};
	}
	return count;
}

int main(void)
{
	enum {
		TESTS_MAX = 1000
	};
	static struct CMUnitTest tests[TESTS_MAX];
	size_t count = 0;
	for (size_t level = 0; level < sizeof levels; level++) {
		for (int isa = 0; isa < NIMG_ISA_COUNT; isa++) {
			if (fake_machine_runs((enum nimg_isa)isa))
				count +=
					add_tests(tests + count, levels[level], (enum nimg_isa)isa);
		}
	}
	return _cmocka_run_group_tests("accepted", tests, count, NULL, NULL);
}
