#include "fake_ops.h"

#include "channels/memory.h"
#include "device/context.h"

enum {
	RESUMES_MAX = 10000000,
	SELF = 0x77,
	CANARY = 0x5c
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

/* ---- pipes ----------------------------------------------------------------------------------- */

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

/* ---- the end of a process -------------------------------------------------------------------- */

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

/* ---- far memory ------------------------------------------------------------------------------ */

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

/* ---- copies ---------------------------------------------------------------------------------- */

/* Nothing is copied before somebody has waited for it twice, or the process has ended. */
static struct {
	char *to;
	const char *from;
	uint64_t nbytes;
} copies[NK_COPIES_MAX];
static uint64_t started, finished;
static bool has_waited;
static _Alignas(64) unsigned char scratch[NK_SCRATCH_MAX + 64];

static void finish_copies(uint64_t end)
{
	for (; finished < end; finished++) {
		unsigned at = finished % NK_COPIES_MAX;
		for (uint64_t i = 0; i < copies[at].nbytes; i++)
			copies[at].to[i] = copies[at].from[i];
	}
}

static void check_scratch(const char *side, uint64_t nbytes)
{
	uint64_t offset = (uint64_t)(side - (const char *)scratch);
	if (offset > NK_SCRATCH_MAX || nbytes > NK_SCRATCH_MAX - offset)
		running->broken = "a copy leaves the scratch memory";
}

static int64_t start(void *to, const void *from, uint64_t nbytes)
{
	unsigned at = started % NK_COPIES_MAX;
	if (started - finished == NK_COPIES_MAX)
		return -NCHAN_EAGAIN;
	copies[at].to = to;
	copies[at].from = from;
	copies[at].nbytes = nbytes;
	return (int64_t)started++;
}

static int64_t fake_get(
	struct nk_process *process, void *to, uint64_t from, uint64_t nbytes, uint32_t site)
{
	check_scratch(to, nbytes);
	far_bytes.read += nbytes;
	return start(to, search(process, from, nbytes, site, false), nbytes);
}

static int64_t fake_put(
	struct nk_process *process, uint64_t to, const void *from, uint64_t nbytes, uint32_t site)
{
	check_scratch(from, nbytes);
	far_bytes.written += nbytes;
	return start(search(process, to, nbytes, site, true), from, nbytes);
}

/* Bytes and segment are checked; that is all where memory is coherent. */
static void fake_publish(struct nk_process *process, uint64_t va, uint64_t nbytes, uint32_t site)
{
	if (nbytes)
		search(process, va, nbytes, site, true);
}

static void fake_refresh(struct nk_process *process, uint64_t va, uint64_t nbytes, uint32_t site)
{
	if (nbytes)
		search(process, va, nbytes, site, false);
}

static int64_t fake_copied(struct nk_process *process, int64_t number, uint32_t site)
{
	(void)site;
	check_caller(process);
	if (number < (int64_t)finished || number >= (int64_t)started)
		return 0;
	has_waited = !has_waited;
	if (has_waited)
		return -NCHAN_EAGAIN;
	finish_copies((uint64_t)number + 1);
	return 0;
}

static void prepare_scratch(void)
{
	started = finished = 0;
	has_waited = false;
	for (unsigned i = 0; i < sizeof scratch; i++)
		scratch[i] = CANARY;
}

static void check_scratch_end(uint64_t nbytes)
{
	for (uint64_t i = nbytes; i < sizeof scratch; i++)
		if (scratch[i] != CANARY)
			running->broken = "it writes behind its scratch memory";
}

/* ---- log ------------------------------------------------------------------------------------- */

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

/* ---- running --------------------------------------------------------------------------------- */

static const struct nk_ops ops = {
	.attention = &attention,
	.far_bytes = &far_bytes,
	.read = fake_read,
	.write = fake_write,
	.close = fake_close,
	.get = fake_get,
	.put = fake_put,
	.copied = fake_copied,
	.publish = fake_publish,
	.refresh = fake_refresh,
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
	void **const below = (void **)record - 1; /* nk_near.scratch */
	void *const was_below = *below;
	*record = before;
	*below = scratch;
	prepare_scratch();
	running = process;
	running_record = record;
	attention = process->killed ? SELF : SELF + 1;
	far_bytes = (struct nk_far_bytes){0};
	if (!ndev_context_save(&scheduler)) {
		code->entry(record, words);
		scribble();
		resume_until_end();
	}
	if (process->ending == FAKE_EXITED)
		finish_copies(started);
	check_scratch_end(code->scratch_bytes);
	*below = was_below;
	process->far_bytes = far_bytes;
	check_record(record, &before);
	if (process->ending == FAKE_RUNNING)
		process->broken = "it does not end";
}
