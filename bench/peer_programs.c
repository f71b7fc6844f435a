/*
 * peer_programs.c - peers that are programs of their own (programs/), because they bring a runtime
 * of their own.
 */
#include <stdio.h>

#include "bench/command.h"
#include "bench/methods.h"

struct program {
	const char *name;
	const char *packages;
	const char *mode; /* what to measure; NULL: it can do one thing, and takes a count alone */
};

static void run(const struct program *program, const struct bench_side *side, uint64_t count,
	struct bench_command_result *result)
{
	char path[512], number[32], nbytes[32];
	const char *arguments[5] = {bench_beside(program->name, path, sizeof(path))};
	unsigned used = 1;

	snprintf(number, sizeof(number), "%lu", (unsigned long)count);
	snprintf(nbytes, sizeof(nbytes), "%lu", (unsigned long)side->row->nbytes);
	if (program->mode)
		arguments[used++] = program->mode;
	arguments[used++] = number;
	if (program->mode)
		arguments[used++] = nbytes;
	bench_command(arguments, result);
}

static const char *try_program(struct bench_side *side, const struct program *program)
{
	struct bench_command_result result;

	run(program, side, 1, &result);
	if (result.exit_code == 0)
		return NULL;
	if (result.exit_code == 127)
		snprintf(side->reason, sizeof(side->reason),
			"built without it: install %s and configure", program->packages);
	else
		snprintf(side->reason, sizeof(side->reason), "%.120s", result.output);
	return side->reason;
}

static void measure_program(struct bench_side *side, const struct program *program)
{
	struct bench_command_result result;

	run(program, side, side->count, &result);
	if (sscanf(result.output, "%lf %lf %lf", &side->value, &side->p99, &side->cpu_ns) != 3)
		bench_die("%s said: %s", program->name, result.output);
}

/* Defines open_NAME() and measure_NAME(). */
#define PROGRAM(name, ...)                                      \
	static const struct program name = {__VA_ARGS__};       \
	static const char *open_##name(struct bench_side *side) \
	{                                                       \
		return try_program(side, &name);                \
	}                                                       \
	static void measure_##name(struct bench_side *side)     \
	{                                                       \
		measure_program(side, &name);                   \
	}

PROGRAM(openmp, "bench/openmp", "libomp-19-dev, clang-tools-19", NULL)
PROGRAM(pocl, "bench/pocl", "ocl-icd-opencl-dev, pocl-opencl-icd", NULL)
PROGRAM(ucx_round_trip, "bench/ucx", "libucx-dev", "round-trip")
PROGRAM(ucx_one_way, "bench/ucx", "libucx-dev", "one-way")

const struct bench_method bench_openmp = {
	"OpenMP target, host", 5000, open_openmp, measure_openmp, NULL};
const struct bench_method bench_pocl = {"PoCL kernel", 2000, open_pocl, measure_pocl, NULL};
const struct bench_method bench_ucx_round_trip = {
	"UCX shared memory", 20000, open_ucx_round_trip, measure_ucx_round_trip, NULL};
const struct bench_method bench_ucx_one_way = {
	"UCX shared memory", 100000, open_ucx_one_way, measure_ucx_one_way, NULL};
