/*
 * peer_programs.c - peers that are programs of their own (programs/), because they bring a runtime
 * of their own.
 */
#include <stdio.h>

#include "bench/command.h"
#include "bench/methods.h"

static void run(const char *name, uint64_t count, struct bench_command_result *result)
{
	char path[512], number[32];

	snprintf(number, sizeof(number), "%lu", (unsigned long)count);
	bench_command(
		(const char *[]){bench_beside(name, path, sizeof(path)), number, NULL}, result);
}

static const char *try_program(struct bench_side *side, const char *name, const char *packages)
{
	struct bench_command_result result;

	run(name, 1, &result);
	if (result.exit_code == 0)
		return NULL;
	if (result.exit_code == 127)
		snprintf(side->reason, sizeof(side->reason),
			"built without it: install %s and configure", packages);
	else
		snprintf(side->reason, sizeof(side->reason), "%.120s", result.output);
	return side->reason;
}

static void measure_program(struct bench_side *side, const char *name)
{
	struct bench_command_result result;

	run(name, side->count, &result);
	if (sscanf(result.output, "%lf %lf %lf", &side->value, &side->p99, &side->cpu_ns) != 3)
		bench_die("%s said: %s", name, result.output);
}

static const char *open_openmp(struct bench_side *side)
{
	return try_program(side, "bench/openmp", "libomp-19-dev, clang-tools-19");
}

static void measure_openmp(struct bench_side *side)
{
	measure_program(side, "bench/openmp");
}

static const char *open_pocl(struct bench_side *side)
{
	return try_program(side, "bench/pocl", "ocl-icd-opencl-dev, pocl-opencl-icd");
}

static void measure_pocl(struct bench_side *side)
{
	measure_program(side, "bench/pocl");
}

const struct bench_method bench_openmp = {
	"OpenMP target, host", 5000, open_openmp, measure_openmp, NULL};
const struct bench_method bench_pocl = {"PoCL kernel", 2000, open_pocl, measure_pocl, NULL};
