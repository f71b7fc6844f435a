#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/bench.h"

static const struct {
	const char *name;
	void (*run)(struct bench_session *session);
} benches[] = {
	{"round-trip", bench_round_trip},
	{"spawn", bench_spawn_exit},
	{"switch", bench_switch},
	{"far", bench_far_check},
};

enum {
	BENCHES = sizeof(benches) / sizeof(benches[0])
};

static void print_help(void)
{
	printf("usage: nearside-bench [--json] [--repeats=N] [NAME...]\n"
	       "Measures Nearside beside its physical limits and beside what one would take instead.\n"
	       "  --json        an array of objects\n"
	       "  --repeats=N   5..%d, default 7; the median counts\n"
	       "names:",
		BENCH_REPEATS_MAX);
	for (unsigned i = 0; i < BENCHES; i++)
		printf(" %s", benches[i].name);
	printf("\n");
}

static bool is_wanted(const char *name, char **wanted)
{
	if (!*wanted)
		return true;
	for (; *wanted; wanted++)
		if (!strcmp(*wanted, name))
			return true;
	return false;
}

static bool is_known(const char *name)
{
	for (unsigned i = 0; i < BENCHES; i++)
		if (!strcmp(name, benches[i].name))
			return true;
	return false;
}

/* 0, or the exit code. */
static int parse(char ***argv, bool *json, unsigned *repeats)
{
	char **arg = *argv + 1;

	for (; *arg && (*arg)[0] == '-'; arg++) {
		if (!strcmp(*arg, "--json")) {
			*json = true;
		} else if (!strncmp(*arg, "--repeats=", 10)) {
			*repeats = (unsigned)strtoul(*arg + 10, NULL, 10);
		} else {
			fprintf(stderr, "nearside-bench: unknown option %s; see --help\n", *arg);
			return 2;
		}
	}
	if (*repeats < 5 || *repeats > BENCH_REPEATS_MAX) {
		fprintf(stderr, "nearside-bench: --repeats is 5..%d\n", BENCH_REPEATS_MAX);
		return 2;
	}
	*argv = arg;
	for (; *arg; arg++) {
		if (!is_known(*arg)) {
			fprintf(stderr, "nearside-bench: no measurement %s; see --help\n", *arg);
			return 2;
		}
	}
	return 0;
}

int main(int argc, char **argv)
{
	struct bench_session session;
	unsigned repeats = 7;
	bool json = false;
	int error;

	if (argc > 1 && !strcmp(argv[1], "--help")) {
		print_help();
		return 0;
	}
	error = parse(&argv, &json, &repeats);
	if (error)
		return error;
	if (sysconf(_SC_NPROCESSORS_ONLN) < 2) {
		fprintf(stderr,
			"nearside-bench: two processors are needed to measure between them\n");
		return 1;
	}
	bench_session_open(&session, repeats);
	bench_report_begin(json);
	for (unsigned i = 0; i < BENCHES; i++)
		if (is_wanted(benches[i].name, argv))
			benches[i].run(&session);
	bench_report_end();
	bench_session_close(&session);
	return 0;
}
