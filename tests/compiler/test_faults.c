/*
 * test_faults.c - each marked line of faults/ is a test at each level of optimisation. A mark says what a kernel,
 * named like its file, does when its third argument is that number:
 *
 *     // fault 7: BOUNDS      ends with that fault, which names this line
 *     // fault 7: NONE        no fault
 *     // killed 7             goes on until it is killed
 */
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "fake_device.h"

static const char levels[] = {'0', '1', '2', '3', 's'};

struct mark {
	char kernel[64];
	char level;
	enum nimg_isa isa;
	struct fake_image *image;
	unsigned line;
	unsigned number;
	char kind[32]; /* "KILLED" for one that is killed */
};

static const char *const kinds[NK_FAULT_COUNT] = {[NK_FAULT_NONE] = "NONE",
#define NAME(name, text) [NK_FAULT_##name] = #name,
	NK_FAULTS(NAME)
#undef NAME
};

/* ---- a mark ------------------------------------------------------------------------------------- */

enum {
	NBYTES = 2048 + 64
};

static void grant(struct fake_process *process, const struct mark *mark, uint64_t va)
{
	struct world *world = process->world;
	bool is_const = !strcmp(mark->kernel, "read_only");
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
	const struct mark *mark = *state;
	static struct world world;
	world_open(&world, NBYTES, 1);
	struct fake_process process = {.world = &world, .killed = !strcmp(mark->kind, "KILLED")};
	uint64_t va = 0x7000000000;
	grant(&process, mark, va);
	fake_run(mark->image, mark->kernel, &process, (const uint64_t[]){va, NBYTES, mark->number});
	if (process.killed) {
		assert_int_equal(process.ending, FAKE_KILLED);
	} else if (!strcmp(mark->kind, "NONE")) {
		assert_int_equal(process.ending, FAKE_EXITED);
	} else {
		assert_int_equal(process.ending, FAKE_FAULTED);
		assert_string_equal(kinds[process.fault], mark->kind);
		assert_int_equal(fake_image_site(mark->image, process.site)->line, mark->line);
	}
	world_close(&world);
}

/* ---- all marks ---------------------------------------------------------------------------------- */

static struct CMUnitTest *tests;
static size_t test_count;

static void add_test(const struct mark *mark)
{
	static const char *const isa_names[NIMG_ISA_COUNT] = {"x86-64", "x86-64-v3", "riscv64"};
	struct mark *kept = malloc(sizeof *kept);
	char *name = malloc(160);
	*kept = *mark;
	snprintf(name, 160, "%s.c:%u %s -O%c %s", mark->kernel, mark->line, mark->kind, mark->level,
		isa_names[mark->isa]);
	tests = realloc(tests, (test_count + 1) * sizeof *tests);
	tests[test_count++] = (struct CMUnitTest){
		.name = name,
		.test_func = line_does_what_its_mark_says,
		.initial_state = kept,
	};
}

static bool read_mark(struct mark *mark, const char *line)
{
	const char *at = strstr(line, "// ");
	strcpy(mark->kind, "KILLED");
	return at && (sscanf(at, "// fault %u: %31s", &mark->number, mark->kind) == 2 ||
			     sscanf(at, "// killed %u", &mark->number) == 1);
}

static void add_file(struct mark mark, const char *path)
{
	char line[500];
	FILE *file = fopen(path, "r");
	assert_non_null(file);
	while (fgets(line, sizeof line, file)) {
		mark.line++;
		if (read_mark(&mark, line))
			add_test(&mark);
	}
	fclose(file);
}

static void add_folder(const struct mark *mark)
{
	struct dirent **entries;
	int count = scandir(FAULTS, &entries, NULL, alphasort);
	assert_true(count > 0);
	for (int i = 0; i < count; i++) {
		struct mark in_file = *mark;
		char path[4096];
		const char *dot = strrchr(entries[i]->d_name, '.');
		if (dot && !strcmp(dot, ".c")) {
			snprintf(path, sizeof path, "%s/%s", FAULTS, entries[i]->d_name);
			snprintf(in_file.kernel, sizeof in_file.kernel, "%.*s",
				(int)(dot - entries[i]->d_name), entries[i]->d_name);
			add_file(in_file, path);
		}
		free(entries[i]);
	}
	free(entries);
}

int main(void)
{
	for (size_t level = 0; level < sizeof levels; level++) {
		char path[4096];
		snprintf(path, sizeof path, "%s/faults-O%c.nk", IMAGES, levels[level]);
		for (int isa = 0; isa < NIMG_ISA_COUNT; isa++) {
			struct mark mark = {.level = levels[level], .isa = (enum nimg_isa)isa};
			if (!fake_machine_runs(mark.isa))
				continue;
			fake_image_open(&mark.image, path, mark.isa);
			add_folder(&mark);
		}
	}
	return _cmocka_run_group_tests("faults", tests, test_count, NULL, NULL);
}
