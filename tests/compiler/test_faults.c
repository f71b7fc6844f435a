/* test_faults.c - each marked line of faults/ (marks.h) is a test at each level of optimisation. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "fake_device.h"
#include "marks.h"

static const char levels[] = {'0', '1', '2', '3', 's'};

struct run {
	const struct mark *mark;
	struct fake_image *image;
};

enum {
	NBYTES = 2048 + 64
};

/* What the kernel's first parameter grants. */
static void grant(struct fake_process *process, const struct run *run, uint64_t va)
{
	struct world *world = process->world;
	bool is_const = fake_image_param(run->image, run->mark->kernel, 0)->is_const;
	process->segment_count = 1;
	process->segments[0] = (struct nk_segment){
		.base = va,
		.len = world->nbytes,
		.writable = is_const ? 0 : world->nbytes,
		.delta = (uint64_t)(uintptr_t)world->memory - va,
	};
}

static void line_does_what_its_mark_says(void **state)
{
	const struct run *run = *state;
	const struct mark *mark = run->mark;
	static struct world world;
	world_open(&world, NBYTES, 1);
	struct fake_process process = {.world = &world, .killed = !strcmp(mark->kind, "KILLED")};
	uint64_t va = 0x7000000000;
	grant(&process, run, va);
	fake_run(run->image, mark->kernel, &process, (const uint64_t[]){va, NBYTES, mark->number});
	if (process.killed) {
		assert_int_equal(process.ending, FAKE_KILLED);
	} else if (!strcmp(mark->kind, "NONE")) {
		assert_int_equal(process.ending, FAKE_EXITED);
	} else {
		assert_int_equal(process.ending, FAKE_FAULTED);
		assert_string_equal(marks_kind((unsigned)process.fault), mark->kind);
		assert_int_equal(fake_image_site(run->image, process.site)->line, mark->line);
	}
	world_close(&world);
}

static struct CMUnitTest make_test(
	const struct mark *mark, struct fake_image *image, char level, enum nimg_isa isa)
{
	static const char *const isa_names[NIMG_ISA_COUNT] = {"x86-64", "x86-64-v3", "riscv64"};
	struct run *run = malloc(sizeof *run);
	char *name = malloc(160);
	*run = (struct run){mark, image};
	snprintf(name, 160, "%s.c:%u %s -O%c %s", mark->kernel, mark->line, mark->kind, level,
		isa_names[isa]);
	return (struct CMUnitTest){
		.name = name,
		.test_func = line_does_what_its_mark_says,
		.initial_state = run,
	};
}

int main(void)
{
	const struct mark *marks;
	size_t mark_count = marks_read(FAULTS, &marks), count = 0;
	struct CMUnitTest *tests =
		calloc(mark_count * sizeof levels * NIMG_ISA_COUNT, sizeof *tests);
	for (size_t level = 0; level < sizeof levels; level++) {
		for (int isa = 0; isa < NIMG_ISA_COUNT; isa++) {
			struct fake_image *image;
			char path[4096];
			if (!fake_machine_runs((enum nimg_isa)isa))
				continue;
			snprintf(path, sizeof path, "%s/faults-O%c.nk", IMAGES, levels[level]);
			fake_image_open(&image, path, (enum nimg_isa)isa);
			for (size_t i = 0; i < mark_count; i++)
				tests[count++] = make_test(
					&marks[i], image, levels[level], (enum nimg_isa)isa);
		}
	}
	int failed = count ? _cmocka_run_group_tests("faults", tests, count, NULL, NULL) : 1;
	free(tests);
	return failed;
}
