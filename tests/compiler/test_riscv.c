/*
 * test_riscv.c - the riscv64 code of accepted/ and faults/, which QEMU's machine runs as
 * riscv/main.c: what accepted kernels leave behind must be what the functions leave, and faults
 * must be those that are marked.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <cmocka.h>

#include "device/abi/kernel.h"
#include "fake_ops.h"
#include "marks.h"
#include "native.h"
#include "riscv/runs.h"

static char *lines[20000]; /* what the machine printed */
static size_t line_count;

static void run_machine(void)
{
	FILE *pipe = popen(
		"timeout 120 qemu-system-riscv64 -M virt -smp 1 -m 64M -bios none -nographic -no-reboot "
		"-monitor none -serial stdio -kernel " FIRMWARE " </dev/null",
		"r");
	char line[500];
	if (!pipe)
		return;
	while (fgets(line, sizeof line, pipe) && line_count < sizeof lines / sizeof *lines) {
		line[strcspn(line, "\r\n")] = '\0';
		lines[line_count++] = strdup(line);
	}
	pclose(pipe);
}

static void machine_runs_to_its_end(void **state)
{
	(void)state;
	assert_true(line_count > 0);
	assert_string_equal(lines[line_count - 1], "done");
}

/* ---- accepted -------------------------------------------------------------------------------- */

/* The line that a kernel has to make, whatever the level. */
static void expect_line(
	const struct native *native, uint64_t seed, char level, char *line, size_t nbytes)
{
	static struct world world;
	memset(&world, 0, sizeof world);
	world.memory = mmap((void *)RUN_BASE, 8192, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
	assert_ptr_equal(world.memory, (void *)RUN_BASE);
	world.nbytes = RUN_NBYTES;
	world_fill(&world, seed);
	int64_t code = native_run(native->kernel, &world, seed);
	snprintf(line, nbytes, "accepted %s %c %llu %d %lld %lld ", native->name, level,
		(unsigned long long)seed, FAKE_EXITED, (long long)code,
		(long long)world_hash(&world));
	munmap(world.memory, 8192);
}

static void assert_printed(const char *line)
{
	const char *space = line;
	for (int i = 0; i < 4; i++)
		space = strchr(space, ' ') + 1;
	size_t length = (size_t)(space - line);
	for (size_t i = 0; i < line_count; i++) {
		if (!strcmp(lines[i], line))
			return;
		if (!strncmp(lines[i], line, length))
			fail_msg("expected '%s', got '%s'", line, lines[i]);
	}
	fail_msg("no line for '%s'", line);
}

static void accepted_kernels_do_what_functions_do(void **state)
{
	(void)state;
	for (const struct native *native = native_kernels; native->name; native++) {
		for (const char *level = "0123s"; *level; level++) {
			for (uint64_t seed = 1; seed <= RUN_SEEDS; seed++) {
				char line[500];
				expect_line(native, seed, *level, line, sizeof line);
				assert_printed(line);
			}
		}
	}
}

/* ---- faults ---------------------------------------------------------------------------------- */

static int kind_of(const char *name)
{
	for (int kind = 0; kind < NK_FAULT_COUNT; kind++) {
		if (!strcmp(marks_kind((unsigned)kind), name))
			return kind;
	}
	fail_msg("no fault %s", name);
	return -1;
}

static void check_mark(const struct mark *mark, char level)
{
	char line[500];
	int ending = FAKE_FAULTED, kind = 0;
	if (!strcmp(mark->kind, "KILLED"))
		ending = FAKE_KILLED;
	else if (!strcmp(mark->kind, "NONE"))
		ending = FAKE_EXITED;
	else
		kind = kind_of(mark->kind);
	snprintf(line, sizeof line, "faults %s %c %u %d %d %u ", mark->kernel, level, mark->number,
		ending, kind, ending == FAKE_FAULTED ? mark->line : 0);
	assert_printed(line);
}

static void marked_lines_do_what_their_marks_say(void **state)
{
	(void)state;
	const struct mark *marks;
	size_t count = marks_read(FAULTS, &marks);
	assert_true(count > 0);
	for (const char *level = "0123s"; *level; level++) {
		for (size_t i = 0; i < count; i++)
			check_mark(&marks[i], *level);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(machine_runs_to_its_end),
		cmocka_unit_test(accepted_kernels_do_what_functions_do),
		cmocka_unit_test(marked_lines_do_what_their_marks_say),
	};
	if (system("command -v qemu-system-riscv64 >/dev/null")) {
		puts("skipped: qemu-system-riscv64 is not installed (package qemu-system-riscv)");
		return 77;
	}
	run_machine();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
