/*
 * test_accepted.c - each kernel of accepted/ at each level of optimisation: what it does as a process must be what
 * it does as a C function.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "fake_device.h"
#include "native.h"

static const char levels[] = {'0', '1', '2', '3', 's'};
static const char *const isa_names[NIMG_ISA_COUNT] = {"x86-64", "x86-64-v3", "riscv64"};

/* Far memory of these sizes, and seeds: both change what a kernel does. */
static const size_t sizes[] = {2368, 40960};
static const uint64_t seeds[] = {1, 2, 3, 70};

struct level {
	struct fake_image *image;
	const struct native *native;
};

static void run_compiled(const struct level *level, struct world *world, uint64_t va, uint64_t seed,
	struct fake_process *process)
{
	process->world = world;
	process->segments[0] = (struct nk_segment){
		.base = va,
		.len = world->nbytes,
		.writable = world->nbytes,
		.delta = (uint64_t)(uintptr_t)world->memory - va,
	};
	process->segment_count = 1;
	const uint64_t words[] = {va, world->nbytes, seed};
	fake_run(level->image, level->native->name, process, words);
}

static void compare(const struct level *level, size_t nbytes, uint64_t seed, bool blocks)
{
	static struct world native, device;
	world_open(&native, nbytes, seed);
	world_open(&device, nbytes, seed);
	device.blocks = blocks;
	struct fake_process process = {0};
	/* Pointers that are stored must be equal, and the device must not use them as they are. */
	uint64_t va = (uint64_t)(uintptr_t)native.memory;
	world_hide(&native, true);
	run_compiled(level, &device, va, seed, &process);
	world_hide(&native, false);
	int64_t code = native_run(level->native->kernel, &native, seed);
	if (process.ending == FAKE_FAULTED)
		fail_msg("fault %d at line %u", (int)process.fault,
			fake_image_site(level->image, process.site)->line);
	assert_int_equal(process.ending, FAKE_EXITED);
	assert_int_equal(process.code, code);
	world_assert_equal(&device, &native);
	world_close(&native);
	world_close(&device);
}

static void process_does_what_the_function_does(void **state)
{
	const struct level *level = *state;
	for (size_t size = 0; size < sizeof sizes / sizeof *sizes; size++) {
		for (size_t seed = 0; seed < sizeof seeds / sizeof *seeds; seed++) {
			compare(level, sizes[size], seeds[seed], false);
			compare(level, sizes[size], seeds[seed], true);
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
		struct level *state = malloc(sizeof *state);
		char *name = malloc(100);
		*state = (struct level){image, native};
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
