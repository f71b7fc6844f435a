/* report.c - what each kernel costs: --report for people, --report=json for programs. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "compiler/nprocc.h"

uint32_t report_largest(const uint32_t *figures)
{
	uint32_t most = 0;
	for (int isa = 0; isa < NIMG_ISA_COUNT; isa++)
		most = figures[isa] > most ? figures[isa] : most;
	return most;
}

static void print_table(const struct program *program)
{
	printf("%-24s %7s %7s %7s %6s %6s %6s %8s %8s %8s\n", "kernel", "frame", "scratch", "stack",
		"waits", "yields", "far", "x86-64", "v3", "riscv64");
	for (size_t i = 0; i < program->kernel_count; i++) {
		const struct kernel *kernel = program->kernels[i];
		printf("%-24s %7u %7u %7u %6u %6u %6u %8u %8u %8u\n", kernel->name,
			report_largest(kernel->frame_bytes), kernel->scratch_bytes,
			report_largest(kernel->stack_bytes), kernel->suspends, kernel->yields,
			kernel->far_accesses, kernel->code_bytes[NIMG_X86_64],
			kernel->code_bytes[NIMG_X86_64_V3], kernel->code_bytes[NIMG_RISCV64]);
	}
	printf("bytes; waits: places where the process can wait, of them yields: NPROC_YIELD_AFTER(); "
	       "far: places that access far memory\n");
}

static void print_json(const struct program *program)
{
	printf("[");
	for (size_t i = 0; i < program->kernel_count; i++) {
		const struct kernel *kernel = program->kernels[i];
		printf("%s\n  {\"kernel\": \"%s\", \"frame_bytes\": %u, \"scratch_bytes\": %u, \"stack_bytes\": %u, \"suspends\": %u, "
		       "\"yields\": %u, \"far_accesses\": %u, \"code_bytes\": {\"x86_64\": %u, \"x86_64_v3\": %u, "
		       "\"riscv64\": %u}}",
			i ? "," : "", kernel->name, report_largest(kernel->frame_bytes),
			kernel->scratch_bytes, report_largest(kernel->stack_bytes),
			kernel->suspends, kernel->yields, kernel->far_accesses,
			kernel->code_bytes[NIMG_X86_64], kernel->code_bytes[NIMG_X86_64_V3],
			kernel->code_bytes[NIMG_RISCV64]);
	}
	printf("\n]\n");
}

bool report_flush(void)
{
	if (!ferror(stdout) && !fflush(stdout))
		return true;
	fprintf(stderr, "nprocc: cannot write to standard output: %s\n", strerror(errno));
	return false;
}

void report_print(const struct program *program, bool json)
{
	if (json)
		print_json(program);
	else
		print_table(program);
}
