#include <gnu/libc-version.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "bench/command.h"
#include "bench/report.h"

#ifdef BENCH_HAVE_CK
#include <ck_md.h>
#endif
#ifdef BENCH_HAVE_ZMQ
#include <zmq.h>
#endif
#ifdef BENCH_HAVE_NNG
#include <nng/nng.h>
#endif

#ifdef __clang__
#define COMPILER __VERSION__
#else
#define COMPILER "gcc " __VERSION__
#endif

/* The value of the first line "NAME : VALUE" of /proc/cpuinfo. */
static void processor_name(char *value, size_t nbytes)
{
	FILE *file = fopen("/proc/cpuinfo", "r");
	char line[256], *text;

	snprintf(value, nbytes, "unknown");
	while (file && fgets(line, sizeof(line), file)) {
		if (strncmp(line, "model name", 10) || !(text = strchr(line, ':')))
			continue;
		text[strcspn(text, "\n")] = 0;
		snprintf(value, nbytes, "%s", text + 2);
		break;
	}
	if (file)
		fclose(file);
}

static bool is_virtual(void)
{
	FILE *file = fopen("/proc/cpuinfo", "r");
	char line[4096];
	bool found = false;

	while (file && !found && fgets(line, sizeof(line), file))
		found = !strncmp(line, "flags", 5) && strstr(line, " hypervisor");
	if (file)
		fclose(file);
	return found;
}

/* "6.18.44-whoever" is of no use to others past the numbers. */
static void kernel_version(char *value, size_t nbytes)
{
	struct utsname names;

	uname(&names);
	names.release[strspn(names.release, "0123456789.")] = 0;
	snprintf(value, nbytes, "Linux %.32s", names.release);
}

/* What the peer, a program of its own, says about its library. */
static bool ask_program(const char *program, char *value, size_t nbytes)
{
	struct bench_command_result result;
	char path[512];

	bench_command(
		(const char *[]){bench_beside(program, path, sizeof(path)), "--version", NULL},
		&result);
	snprintf(value, nbytes, "%.100s", result.output);
	return result.exit_code == 0;
}

unsigned bench_machine_facts(struct bench_fact facts[BENCH_FACTS])
{
	unsigned count = 0;
	char processor[64];

	processor_name(processor, sizeof(processor));
	facts[count].name = "processor";
	snprintf(facts[count++].value, sizeof(facts->value), "%s, %ld of them%s", processor,
		sysconf(_SC_NPROCESSORS_ONLN), is_virtual() ? ", virtual" : "");
	facts[count].name = "kernel";
	kernel_version(facts[count++].value, sizeof(facts->value));
	facts[count].name = "C library";
	snprintf(facts[count++].value, sizeof(facts->value), "glibc %s", gnu_get_libc_version());
	facts[count].name = "compiler";
	snprintf(facts[count++].value, sizeof(facts->value), "%s", COMPILER);
#ifdef BENCH_HAVE_CK
	facts[count].name = "Concurrency Kit";
	snprintf(facts[count++].value, sizeof(facts->value), "%s", CK_VERSION);
#endif
#ifdef BENCH_HAVE_ZMQ
	facts[count].name = "ZeroMQ";
	snprintf(facts[count++].value, sizeof(facts->value), "%d.%d.%d", ZMQ_VERSION_MAJOR,
		ZMQ_VERSION_MINOR, ZMQ_VERSION_PATCH);
#endif
#ifdef BENCH_HAVE_NNG
	facts[count].name = "nng";
	snprintf(facts[count++].value, sizeof(facts->value), "%s", nng_version());
#endif
	facts[count].name = "OpenMP";
	count += ask_program("bench/openmp", facts[count].value, sizeof(facts->value));
	facts[count].name = "OpenCL";
	count += ask_program("bench/pocl", facts[count].value, sizeof(facts->value));
	return count;
}
