/*
 * test_random.c - kernels that random_kernel.c makes up from seeds: what each does as a process, at
 * several levels of optimisation, must be what it does as a C function. NEARSIDE_RANDOM=FIRST:COUNT
 * chooses other seeds.
 */
#include <dlfcn.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "compare.h"
#include "random_kernel.h"

enum {
	KERNELS_MAX = 64,
	NAME_BYTES = 80
};

static const char levels[] = {'0', '2', '3'};

static uint64_t first_seed = 1, seed_count = 2;

static void process_does_what_the_function_does(void **state)
{
	const struct comparison *comparison = *state;
	for (uint64_t seed = 1; seed <= 4; seed++) {
		compare(comparison, 832, seed, false);
		compare(comparison, 4096 + 64 * seed, seed, true);
	}
}

/* ---- compilation ----------------------------------------------------------------------------- */

/* Runs a shell command in the folder of this test. */
__attribute__((format(printf, 1, 2))) static void shell(const char *format, ...)
{
	char command[4096];
	va_list args;
	va_start(args, format);
	int begin = snprintf(command, sizeof command, "cd %s && ", SCRATCH);
	vsnprintf(command + begin, sizeof command - (size_t)begin, format, args);
	va_end(args);
	if (system(command)) {
		fprintf(stderr, "this failed: %s\n", command);
		exit(1);
	}
}

static void write_kernels(void)
{
	FILE *file = fopen(SCRATCH "/kernels.c", "w");
	if (!file) {
		perror(SCRATCH "/kernels.c");
		exit(1);
	}
	random_kernel_begin(file);
	for (uint64_t i = 0; i < seed_count; i++)
		random_kernel_write(file, first_seed + i);
	for (uint64_t i = 0; i < seed_count; i++) {
		uint64_t seed = first_seed + i;
		fprintf(file,
			"#ifndef NEARSIDE_COMPILING_KERNELS\n"
			"int64_t native_%" PRIu64
			"(uint8_t *memory, uint64_t nbytes, uint64_t seed);\n"
			"int64_t native_%" PRIu64
			"(uint8_t *memory, uint64_t nbytes, uint64_t seed)\n"
			"{\n\treturn random_%" PRIu64 "(memory, nbytes, seed);\n}\n#endif\n",
			seed, seed, seed);
	}
	fclose(file);
}

static void *compile_native(void)
{
	shell(CC " -std=c11 -O1 -w -fPIC -shared -fsigned-char -ffp-contract=off -fwrapv "
		 "-fno-strict-aliasing -I" INCLUDE " kernels.c -o kernels.so");
	void *library = dlopen(SCRATCH "/kernels.so", RTLD_NOW);
	if (!library) {
		fprintf(stderr, "%s\n", dlerror());
		exit(1);
	}
	return library;
}

/* ---- tests ----------------------------------------------------------------------------------- */

static struct CMUnitTest make_test(
	struct fake_image *image, void *library, uint64_t seed, char level, enum nimg_isa isa)
{
	static const char *const isa_names[NIMG_ISA_COUNT] = {"x86-64", "x86-64-v3", "riscv64"};
	struct comparison *comparison = malloc(sizeof *comparison);
	char *name = malloc(NAME_BYTES), *test = malloc(NAME_BYTES);
	snprintf(name, NAME_BYTES, "native_%" PRIu64, seed);
	void *kernel = dlsym(library, name);
	snprintf(name, NAME_BYTES, "random_%" PRIu64, seed);
	snprintf(test, NAME_BYTES, "seed %" PRIu64 " -O%c %s", seed, level, isa_names[isa]);
	*comparison = (struct comparison){.image = image, .name = name};
	memcpy(&comparison->kernel, &kernel, sizeof kernel); /* ISO C has no cast for it */
	return (struct CMUnitTest){
		.name = test,
		.test_func = process_does_what_the_function_does,
		.initial_state = comparison,
	};
}

static size_t add_tests(struct CMUnitTest *tests, void *library, char level)
{
	size_t count = 0;
	shell(NPROCC " -O%c -w -c kernels.c -o O%c.nk", level, level);
	for (int isa = 0; isa < NIMG_ISA_COUNT; isa++) {
		struct fake_image *image;
		char path[4096];
		if (!fake_machine_runs((enum nimg_isa)isa))
			continue;
		snprintf(path, sizeof path, "%s/O%c.nk", SCRATCH, level);
		fake_image_open(&image, path, (enum nimg_isa)isa);
		for (uint64_t i = 0; i < seed_count; i++)
			tests[count++] = make_test(
				image, library, first_seed + i, level, (enum nimg_isa)isa);
	}
	return count;
}

int main(void)
{
	static struct CMUnitTest tests[KERNELS_MAX * sizeof levels * NIMG_ISA_COUNT];
	const char *seeds = getenv("NEARSIDE_RANDOM");
	size_t count = 0;
	if (seeds && (sscanf(seeds, "%" SCNu64 ":%" SCNu64, &first_seed, &seed_count) != 2 ||
			     seed_count > KERNELS_MAX)) {
		fprintf(stderr, "NEARSIDE_RANDOM is FIRST:COUNT, COUNT at most %d\n", KERNELS_MAX);
		return 2;
	}
	if (system("rm -rf " SCRATCH " && mkdir -p " SCRATCH))
		return 1;
	write_kernels();
	void *library = compile_native();
	for (size_t level = 0; level < sizeof levels; level++)
		count += add_tests(tests + count, library, levels[level]);
	return _cmocka_run_group_tests("random kernels", tests, count, NULL, NULL);
}
