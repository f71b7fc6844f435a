/*
 * emit_workers.c - machine code for all ISAs at the same time, each in a process of its own.
 *
 * LLVM's contexts belong to one thread and its options to the whole program, so a fork is the
 * simplest copy of what the shared steps have made. A worker hands its results over in the folder
 * of intermediate files. What it prints is held back and printed in the order of the ISAs, up to
 * the first that failed: output is what it would be if one had been compiled after the other.
 *
 * Sites are numbered in one table for all ISAs. So the far step has turns: a worker takes up the
 * sites of the one before it, adds its own, and passes the list on.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "compiler/emit.h"
#include "compiler/options.h"

struct worker {
	pid_t process;
	int status; /* of waitpid() */
	FILE *output, *errors;
};

/* Where a worker's turn comes from, -1: it is the first; and where it goes to. */
static int before = -1, behind = -1;
static size_t shared_sites;

static const char *file_of(enum nimg_isa isa, const char *what)
{
	return pool_format("%s/%s.%s", tools_folder(), emit_isa_names[isa], what);
}

static bool fail(const char *what)
{
	diag_error(NULL, 0, 0, pool_format("cannot make %s: %s", what, strerror(errno)), NULL);
	return false;
}

/* ---- sites: five strings each ---------------------------------------------------------------- */

static bool write_sites(const struct program *program, enum nimg_isa isa)
{
	char *text = NULL;
	size_t nbytes = 0;
	FILE *file = open_memstream(&text, &nbytes);
	if (!file)
		return fail("a list of places");
	for (size_t i = shared_sites; i < program->site_count; i++) {
		const struct site *site = &program->sites[i];
		fprintf(file, "%u%c%u%c%s%c%s%c%s%c", site->line, 0, site->column, 0, site->file, 0,
			site->function, 0, site->text, 0);
	}
	fclose(file);
	bool good = tools_write(file_of(isa, "sites"), text, nbytes);
	free(text);
	return good;
}

static const char *take(const char **at)
{
	const char *text = *at;
	*at += strlen(text) + 1;
	return text;
}

/* Adds what `isa` and the ISAs before it have found to what the shared steps found. */
static bool read_sites(struct program *program, enum nimg_isa isa)
{
	void *bytes = NULL;
	size_t nbytes = 0;
	if (!tools_read(file_of(isa, "sites"), &bytes, &nbytes))
		return false;
	for (const char *at = bytes, *end = at + nbytes; at < end;) {
		struct site site = {0};
		site.line = (unsigned)strtoul(take(&at), NULL, 10);
		site.column = (unsigned)strtoul(take(&at), NULL, 10);
		site.file = take(&at);
		site.function = take(&at);
		site.text = take(&at);
		program->sites =
			pool_grow(program->sites, program->site_count, sizeof *program->sites);
		program->sites[program->site_count++] = site;
	}
	return true;
}

/* ---- figures --------------------------------------------------------------------------------- */

struct figures {
	uint32_t stack_bytes, code_bytes;
};

static bool write_figures(const struct program *program, enum nimg_isa isa)
{
	struct figures *figures = pool_alloc(program->kernel_count * sizeof *figures);
	for (size_t i = 0; i < program->kernel_count; i++) {
		figures[i].stack_bytes = program->kernels[i]->stack_bytes[isa];
		figures[i].code_bytes = program->kernels[i]->code_bytes[isa];
	}
	return tools_write(
		file_of(isa, "figures"), figures, program->kernel_count * sizeof *figures);
}

static bool read_figures(const struct program *program, enum nimg_isa isa)
{
	void *bytes = NULL;
	size_t nbytes = 0;
	if (!tools_read(file_of(isa, "figures"), &bytes, &nbytes))
		return false;
	const struct figures *figures = bytes;
	for (size_t i = 0; i < program->kernel_count; i++) {
		program->kernels[i]->stack_bytes[isa] = figures[i].stack_bytes;
		program->kernels[i]->code_bytes[isa] = figures[i].code_bytes;
	}
	return true;
}

static bool read_results(struct program *program, enum nimg_isa isa)
{
	void *bytes = NULL;
	if (!tools_read(file_of(isa, "so"), &bytes, &program->code[isa].nbytes))
		return false;
	program->code[isa].bytes = bytes;
	return read_figures(program, isa);
}

/* ---- in a worker ----------------------------------------------------------------------------- */

bool emit_take_turn(struct lower *lower, enum nimg_isa isa)
{
	char token;
	ssize_t nbytes;
	if (before < 0)
		return true;
	do
		nbytes = read(before, &token, 1);
	while (nbytes < 0 && errno == EINTR);
	/* Without a token that one failed, and has said why. */
	return nbytes == 1 && read_sites(lower->program, isa - 1);
}

bool emit_pass_turn(struct lower *lower, enum nimg_isa isa)
{
	bool good = write_sites(lower->program, isa);
	/* Where nobody reads, the next worker has ended and its parent knows why. */
	if (good && write(behind, "", 1) != 1)
		behind = -1;
	return good;
}

static _Noreturn void work(struct lower *lower, enum nimg_isa isa, const struct worker *worker)
{
	interrupt_in_child();
	signal(SIGPIPE, SIG_IGN);
	dup2(fileno(worker->output), STDOUT_FILENO);
	dup2(fileno(worker->errors), STDERR_FILENO);
	bool good = emit_isa(lower, isa) && write_figures(lower->program, isa);
	step_end(lower->options);
	fflush(stdout);
	_exit(good && !diag_error_count() ? NPROCC_OK : NPROCC_REFUSED);
}

/* ---- in the compiler ------------------------------------------------------------------------- */

static bool start(struct lower *lower, enum nimg_isa isa, struct worker *worker)
{
	int ends[2];
	worker->output = fopen(file_of(isa, "stdout"), "w+e");
	worker->errors = fopen(file_of(isa, "stderr"), "w+e");
	if (!worker->output || !worker->errors || pipe2(ends, O_CLOEXEC))
		return fail("files for code");
	behind = ends[1];
	worker->process = fork();
	if (worker->process == 0) {
		close(ends[0]); /* so that a worker's end is seen by the next */
		work(lower, isa, worker);
	}
	bool good = worker->process > 0 || fail("a process");
	if (before >= 0)
		close(before);
	before = ends[0];
	close(behind);
	if (good)
		interrupt_forward(worker->process);
	return good;
}

static void wait_for(struct worker *worker)
{
	while (waitpid(worker->process, &worker->status, 0) < 0 && errno == EINTR)
		;
	interrupt_forget(worker->process);
}

static void replay(FILE *from, FILE *to)
{
	char bytes[4096];
	size_t nbytes;
	rewind(from);
	while ((nbytes = fread(bytes, 1, sizeof bytes, from)) > 0)
		fwrite(bytes, 1, nbytes, to);
}

/* Says what the worker said. */
static bool judge(enum nimg_isa isa, const struct worker *worker)
{
	replay(worker->output, stdout);
	replay(worker->errors, stderr);
	if (WIFSIGNALED(worker->status)) {
		diag_error(NULL, 0, 0,
			pool_format("code generation for %s ended by signal %d",
				emit_isa_names[isa], WTERMSIG(worker->status)),
			"please report it with the source file that shows it");
		return false;
	}
	if (WEXITSTATUS(worker->status) == NPROCC_FAILED) {
		tools_clean();
		exit(NPROCC_FAILED);
	}
	return WEXITSTATUS(worker->status) == NPROCC_OK;
}

static void close_files(struct worker *worker)
{
	if (worker->output)
		fclose(worker->output);
	if (worker->errors)
		fclose(worker->errors);
}

bool emit_all(struct lower *lower)
{
	struct worker workers[NIMG_ISA_COUNT] = {0};
	int count = 0;
	tools_folder(); /* made by the one that removes it */
	step_end(lower->options);
	fflush(NULL); /* what is in buffers is written once */
	shared_sites = lower->program->site_count;
	bool good = true;
	for (; good && count < NIMG_ISA_COUNT; count++)
		good = start(lower, count, &workers[count]);
	close(before);
	for (int isa = 0; isa < count; isa++) {
		if (workers[isa].process > 0)
			wait_for(&workers[isa]);
	}
	for (int isa = 0; good && isa < NIMG_ISA_COUNT; isa++)
		good = judge(isa, &workers[isa]) && read_results(lower->program, isa);
	for (int isa = 0; isa < count; isa++)
		close_files(&workers[isa]);
	return good && read_sites(lower->program, NIMG_ISA_COUNT - 1);
}
