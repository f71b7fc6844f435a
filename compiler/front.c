/*
 * front.c - the front end: from a source file to its kernels' signatures and to source that holds
 * nothing but kernels and what they reach. How to read it, in the order of things:
 *
 *   front_parse.c       libclang: the file as host code
 *   front_reach.c       which functions are kernels, and what they reach (over front_walk.c)
 *   front_blank.c       everything else is blanked in place
 *   front_parse.c       the blanked file again, now as device code: `far` is an address space
 *   front_signature.c   parameters of kernels
 *   front_judge.c       the rules, a family in each front_judge_*.c
 *   front_refuse.c      what they found, reported in the order of the source
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "compiler/front_blank.h"
#include "compiler/front_clang_errors.h"
#include "compiler/front_judge.h"
#include "compiler/front_parse.h"
#include "compiler/front_reach.h"
#include "compiler/front_refuse.h"
#include "compiler/front_signature.h"
#include "compiler/nprocc.h"

static bool refuse_file(const char *path, const char *reason, const char *note)
{
	diag_error(path, 0, 0, reason, note);
	return false;
}

/* libclang says no more than "error" about a file that it cannot read, so look first. */
static bool is_source(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* of a FIFO, too */
	if (fd < 0)
		return refuse_file(path, strerror(errno), NULL);
	struct stat status;
	bool is_file = !fstat(fd, &status) && S_ISREG(status.st_mode);
	close(fd);
	if (!is_file)
		return refuse_file(path, "not a regular file", "nprocc reads C source files");
	void *bytes = NULL;
	size_t nbytes = 0;
	if (!tools_read(path, &bytes, &nbytes))
		return false;
	if (nbytes && memchr(bytes, 0, nbytes))
		return refuse_file(path, "not C source: it holds zero bytes", NULL);
	return true;
}

static void read_kernels(const struct reach *reach, struct unit *unit, struct refusals *refusals)
{
	for (size_t i = 0; i < reach->function_count && reach->functions[i].is_kernel; i++) {
		unit->kernels = pool_grow(unit->kernels, i, sizeof *unit->kernels);
		front_signature(&reach->functions[i], &unit->kernels[i], refusals);
		unit->kernel_count++;
	}
}

/* One file on its way through the front end. */
struct reading {
	CXIndex index;
	struct unit *unit;
	const struct options *options;
	enum front_reading host; /* how well it could be read as host code */
	struct refusals refusals;
};

/* Signatures of the kernels, and all that is wrong with device code. */
static void judge(struct reading *reading, CXTranslationUnit tu, const struct reach *reach)
{
	front_refuse_device_errors(tu, reading->host, &reading->refusals);
	if (front_reading(tu) == FRONT_NOT_READ)
		return;
	read_kernels(reach, reading->unit, &reading->refusals);
	front_judge(tu, reach, &reading->refusals);
}

/*
 * As device code. Where that names what host code did not (#ifdef NEARSIDE_COMPILING_KERNELS), less
 * is blanked and it is read again.
 */
static bool read_as_device(
	struct reading *reading, CXTranslationUnit host, struct reach *host_reach)
{
	for (;;) {
		CXTranslationUnit tu;
		struct reach reach;
		front_blank(host, host_reach, reading->unit);
		if (!front_parse(reading->index, reading->unit, reading->options, &tu))
			return false;
		front_reach(tu, &reach);
		bool complete = !front_reach_extend(host_reach, host, &reach);
		if (complete)
			judge(reading, tu, &reach);
		clang_disposeTranslationUnit(tu);
		if (complete)
			return true;
	}
}

static bool may_hold_kernels(CXTranslationUnit tu, const struct reach *reach)
{
	const char *header = pool_format("%s/nearside/kernel.h", tools_include_folder());
	return reach->function_count || clang_getFile(tu, header);
}

/* As host code: what is the device's part of it? Errors there do not hide those of kernels. */
static bool read_as_host(struct reading *reading, CXTranslationUnit tu)
{
	struct reach reach;
	reading->host = front_reading(tu);
	if (reading->host != FRONT_NOT_READ) {
		front_reach(tu, &reach);
		if (may_hold_kernels(tu, &reach) && !read_as_device(reading, tu, &reach))
			return false;
	}
	front_refuse_host_errors(tu, &reading->refusals);
	if (front_report(&reading->refusals))
		return false;
	if (reading->options->compile_only) /* else the compilation of the host code warns */
		front_report_clang_warnings(tu);
	return true;
}

bool front_read(struct unit *unit, const struct options *options)
{
	if (!is_source(unit->path))
		return false;
	CXTranslationUnit tu;
	CXIndex index = clang_createIndex(0, 0);
	struct reading reading = {.index = index, .unit = unit, .options = options};
	bool ok = front_parse(index, unit, options, &tu);
	if (ok) {
		ok = read_as_host(&reading, tu);
		if (!unit->kernel_count)
			unit->blanked_count = 0;
		clang_disposeTranslationUnit(tu);
	}
	clang_disposeIndex(index);
	return ok;
}
