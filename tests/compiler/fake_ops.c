#include "fake_ops.h"

#include "device/context.h"

enum {
	RESUMES_MAX = 10000000,
	SELF = 0x77
};

/* Only one process runs at a time. */
static struct fake_process *running;
static struct nk_process *running_record;
static struct ndev_context scheduler;
static uint64_t attention;
static struct nk_far_bytes far_bytes;

static void check_caller(const struct nk_process *process)
{
	if (process != running_record)
		running->broken = "called with another process record";
	if (running->ending != FAKE_RUNNING)
		running->broken = "called after the process had ended";
}

/* ---- pipes -------------------------------------------------------------------------------------- */

static int64_t fake_read(
	struct nk_process *process, int64_t fd, void *buf, uint64_t nbytes, uint32_t site)
{
	(void)site;
	check_caller(process);
	return world_read(running->world, fd, buf, nbytes);
}

static int64_t fake_write(
	struct nk_process *process, int64_t fd, const void *buf, uint64_t nbytes, uint32_t site)
{
	(void)site;
	check_caller(process);
	return world_write(running->world, fd, buf, nbytes);
}

static int64_t fake_close(struct nk_process *process, int64_t fd)
{
	check_caller(process);
	return world_close_end(running->world, fd);
}

/* ---- the end of a process ----------------------------------------------------------------------- */

static __attribute__((noreturn)) void leave(struct nk_process *process, enum fake_ending ending)
{
	check_caller(process);
	running->ending = ending;
	ndev_context_jump(&scheduler);
}

static __attribute__((noreturn)) void fake_fault(
	struct nk_process *process, uint64_t kind, uint64_t address, uint32_t site)
{
	running->fault = kind;
	running->address = address;
	running->site = site;
	leave(process, FAKE_FAULTED);
}

static void fake_done(struct nk_process *process, int64_t code)
{
	check_caller(process);
	running->code = code;
	running->ending = FAKE_EXITED;
}

static __attribute__((noreturn)) void fake_exit(struct nk_process *process, int64_t code)
{
	running->code = code;
	leave(process, FAKE_EXITED);
}

static __attribute__((noreturn)) void fake_killed(struct nk_process *process)
{
	leave(process, FAKE_KILLED);
}

/* ---- far memory --------------------------------------------------------------------------------- */

static void *search(
	struct nk_process *process, uint64_t va, uint64_t nbytes, uint32_t site, bool write)
{
	check_caller(process);
	running->searches++;
	uint64_t kind = write ? NK_FAULT_FAR_WRITE : NK_FAULT_FAR_READ;
	for (unsigned i = 0; i < running->segment_count; i++) {
		const struct nk_segment *segment = &running->segments[i];
		uint64_t offset = va - segment->base;
		if (offset >= segment->len || nbytes > segment->len - offset)
			continue;
		if (!write || segment->writable)
			return (void *)(uintptr_t)(va + segment->delta);
		kind = NK_FAULT_READ_ONLY;
	}
	fake_fault(process, kind, va, site);
}

static void *fake_far_read(struct nk_process *process, uint64_t va, uint64_t nbytes, uint32_t site)
{
	return search(process, va, nbytes, site, false);
}

static void *fake_far_write(struct nk_process *process, uint64_t va, uint64_t nbytes, uint32_t site)
{
	return search(process, va, nbytes, site, true);
}

/* ---- log ---------------------------------------------------------------------------------------- */

static void append(char c)
{
	size_t at = 0;
	while (running->log[at])
		at++;
	if (at + 1 < sizeof running->log)
		running->log[at] = c;
}

static void append_hex(uint64_t word)
{
	if (word >= 16)
		append_hex(word / 16);
	append("0123456789abcdef"[word % 16]);
}

static void fake_log(
	struct nk_process *process, const char *format, const uint64_t *args, uint64_t count)
{
	check_caller(process);
	while (*format)
		append(*format++);
	for (uint64_t i = 0; i < count; i++) {
		append(' ');
		append_hex(args[i]);
	}
	append('\n');
}

/* ---- running ------------------------------------------------------------------------------------ */

static const struct nk_ops ops = {
	.attention = &attention,
	.far_bytes = &far_bytes,
	.read = fake_read,
	.write = fake_write,
	.close = fake_close,
	.far_read = fake_far_read,
	.far_write = fake_far_write,
	.log = fake_log,
	.done = fake_done,
	.exit = fake_exit,
	.killed = fake_killed,
	.fault = fake_fault,
};

/* Overwrites the stack below, where a resume left its locals. */
static __attribute__((noinline)) void scribble(void)
{
	uint64_t below[256];
	for (unsigned i = 0; i < 256; i++)
		below[i] = 0xa5a5a5a5a5a5a5a5;
	__asm__ volatile("" : : "r"(below) : "memory"); /* somebody might read it */
}

static void resume_until_end(void)
{
	while (running->ending == FAKE_RUNNING && running->resumes < RESUMES_MAX) {
		void (*const *frame)(void *) = (void *)(running_record + 1);
		running->resumes++;
		(*frame)((void *)frame);
		scribble();
	}
}

static void check_record(const struct nk_process *record, const struct nk_process *before)
{
	bool same = record->ops == before->ops && record->segments == before->segments &&
		    record->self == before->self;
	for (unsigned i = 0; i < 5; i++)
		same &= record->firmware[i] == before->firmware[i];
	if (!same)
		running->broken = "the process record has changed";
}

void fake_run_code(const struct nk_code *code, struct nk_process *record,
	struct fake_process *process, const uint64_t *words)
{
	const struct nk_process before = {.ops = &ops,
		.segments = process->segments,
		.self = SELF,
		.firmware = {1, 2, 3, 4, 5}};
	*record = before;
	running = process;
	running_record = record;
	attention = process->killed ? SELF : SELF + 1;
	far_bytes = (struct nk_far_bytes){0};
	if (!ndev_context_save(&scheduler)) {
		code->entry(record, words);
		scribble();
		resume_until_end();
	}
	process->far_bytes = far_bytes;
	check_record(record, &before);
	if (process->ending == FAKE_RUNNING)
		process->broken = "it does not end";
}
