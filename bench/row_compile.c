/*
 * row_compile.c - nprocc, which compiles a file of kernels for three instruction sets, against
 * clang, which compiles it for one. The file is sample_kernels.c, 200 lines.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "bench/command.h"
#include "bench/methods.h"

struct compilation {
	char compiler[512], source[512];
	char result[64];
};

static const char *open_files(struct bench_side *side)
{
	struct compilation *compilation = calloc(1, sizeof(*compilation));
	int file;

	snprintf(compilation->result, sizeof(compilation->result), "%s",
		"/tmp/nearside-bench-XXXXXX");
	file = mkstemp(compilation->result);
	if (file < 0)
		bench_die("cannot make a file in /tmp");
	close(file);
	bench_beside("nprocc", compilation->compiler, sizeof(compilation->compiler));
	bench_beside("bench/sample_kernels.c", compilation->source, sizeof(compilation->source));
	side->state = compilation;
	return NULL;
}

static void close_files(struct bench_side *side)
{
	struct compilation *compilation = side->state;

	unlink(compilation->result);
	free(compilation);
}

static void compile(struct bench_side *side, const char *const *arguments)
{
	struct bench_command_result result;

	bench_command(arguments, &result);
	if (result.exit_code)
		bench_die("%s failed: %s", arguments[0], result.output);
	side->value = result.ns;
	side->cpu_ns = result.cpu_ns;
}

static void measure_nprocc(struct bench_side *side)
{
	const struct compilation *files = side->state;

	compile(side,
		(const char *[]){files->compiler, "-c", files->source, "-o", files->result, NULL});
}

/* The macro makes kernels of the file real functions, with far memory as an address space. */
static void measure_clang(struct bench_side *side)
{
	const struct compilation *files = side->state;

	compile(side,
		(const char *[]){"clang-19", "-std=c11", "-O2", "-DNEARSIDE_COMPILING_KERNELS",
			"-I" BENCH_HEADERS, "-c", files->source, "-o", files->result, NULL});
}

const struct bench_method bench_near_compile = {
	"nprocc, three targets", 1, open_files, measure_nprocc, close_files};
const struct bench_method bench_clang = {
	"clang-19 -O2, one", 1, open_files, measure_clang, close_files};
