#include "tests/device/kernels.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

struct frame {
	void (*resume)(void *frame);
	uint64_t words[4];
	uint64_t buffer;
};

static struct nk_process *process_of(void *frame)
{
	return (struct nk_process *)frame - 1;
}

static void enter(struct nk_process *process, const uint64_t *args, void (*resume)(void *))
{
	struct frame *frame = (struct frame *)(process + 1);

	frame->resume = resume;
	memcpy(frame->words, args, sizeof(frame->words));
}

/* Returns the sum of its first two arguments. */
static void sum_resume(void *frame)
{
	struct frame *f = frame;

	process_of(frame)->ops->done(process_of(frame), (int64_t)(f->words[0] + f->words[1]));
}

/* Answers each number with its double until end of file. */
static void double_resume(void *frame)
{
	struct nk_process *process = process_of(frame);
	struct frame *f = frame;
	int64_t result;

	for (;;) {
		if (!f->words[3]) {
			result = process->ops->read(process, 0, &f->buffer, sizeof(f->buffer), 0);
			if (result == -EAGAIN)
				return;
			if (result <= 0)
				break;
			f->buffer *= 2;
			f->words[3] = 1;
		}
		result = process->ops->write(process, 1, &f->buffer, sizeof(f->buffer), 0);
		if (result == -EAGAIN)
			return;
		if (result < 0)
			break;
		f->words[3] = 0;
	}
	process->ops->done(process, result);
}

static void fault_resume(void *frame)
{
	struct nk_process *process = process_of(frame);

	process->ops->fault(process, NK_FAULT_BOUNDS, 0x1234, 42);
}

static void exit_resume(void *frame)
{
	process_of(frame)->ops->exit(process_of(frame), -7);
}

/* Yields for ever; counts in its second word. */
static void yield_resume(void *frame)
{
	((struct frame *)frame)->words[1]++;
}

/* Reads one message from end 0 and exits with it. */
static void once_resume(void *frame)
{
	struct nk_process *process = process_of(frame);
	struct frame *f = frame;
	int64_t result = process->ops->read(process, 0, &f->buffer, sizeof(f->buffer), 0);

	if (result != -EAGAIN)
		process->ops->done(process, result > 0 ? (int64_t)f->buffer : result);
}

/* Waits at end 0, and exits when it is woken, without a second try. */
static void leave_resume(void *frame)
{
	struct nk_process *process = process_of(frame);
	struct frame *f = frame;

	if (f->words[0]++)
		process->ops->exit(process, 5);
	process->ops->read(process, 0, &f->buffer, sizeof(f->buffer), 0);
}

/* Loads a word from far memory through the search, at the address in its first argument. */
static void far_resume(void *frame)
{
	struct nk_process *process = process_of(frame);
	struct frame *f = frame;
	const uint64_t *word = process->ops->far_read(process, f->words[0], 8, 5);

	process->ops->done(process, (int64_t)*word);
}

static void far_store_resume(void *frame)
{
	struct nk_process *process = process_of(frame);
	struct frame *f = frame;
	uint64_t *word = process->ops->far_write(process, f->words[0], 8, 6);

	*word = 99;
	process->ops->done(process, 0);
}

static void log_resume(void *frame)
{
	struct nk_process *process = process_of(frame);
	struct frame *f = frame;

	process->ops->log(process, "n=%d of %s", f->words, 2);
	process->ops->done(process, 0);
}

/* Writes to every one of 16 ends its number. */
static void many_resume(void *frame)
{
	struct nk_process *process = process_of(frame);

	for (int64_t i = 0; i < 16; i++)
		if (process->ops->write(process, i, &i, sizeof(i), 0) != sizeof(i))
			process->ops->exit(process, -1);
	process->ops->done(
		process, process->ops->close(process, 3) == 0 &&
				 process->ops->write(process, 3, frame, 8, 0) == -EBADF &&
				 process->ops->close(process, 16) == -EBADF &&
				 process->ops->read(process, 0, frame, 8, 0) == -EBADF);
}

/*
 * Starts so many children as its first argument says, of the kernel of its second, with its third;
 * exits with the last.
 */
static void breed_resume(void *frame)
{
	struct nk_process *process = process_of(frame);
	const struct nk_start start = {.core = NK_SAME_CORE};
	struct frame *f = frame;
	const uint64_t words[4] = {f->words[2], f->words[3]};
	int64_t number = 0;

	for (uint64_t i = 0; i < f->words[0]; i++)
		number = process->ops->spawn(process, &kernels[f->words[1]], words, &start);
	process->ops->done(process, number);
}

/* Lets the test do something while it runs, then reads one message from end 0 as ONCE does. */
static void call_resume(void *frame)
{
	struct frame *f = frame;
	void (*call)(uint64_t) = (void (*)(uint64_t))(uintptr_t)f->words[0];

	f->words[0] = 0;
	if (call)
		call(f->words[1]);
	once_resume(frame);
}

/*
 * Copies scratch memory to its first argument, as many bytes as its second says; then does its
 * third.
 */
static void copies_resume(void *frame)
{
	struct nk_process *process = process_of(frame);
	void *scratch = ((struct nk_near *)process - 1)->scratch;
	struct frame *f = frame;

	if (!f->words[3]++) {
		memset(scratch, 0x5a, f->words[1]);
		process->ops->put(process, f->words[0], scratch, f->words[1], 7);
	}
	if (f->words[2] == COPIES_FAULT)
		process->ops->fault(process, NK_FAULT_TRAP, 0, 8);
	if (f->words[2] == COPIES_WAIT && process->ops->copied(process, 0, 9) == -EAGAIN)
		return;
	if (f->words[2] != COPIES_YIELD)
		process->ops->done(process, 5);
}

#define ENTRY(name)                                                                \
	static void name##_entry(struct nk_process *process, const uint64_t *args) \
	{                                                                          \
		enter(process, args, name##_resume);                               \
	}

ENTRY(sum)
ENTRY(double)
ENTRY(fault)
ENTRY(exit)
ENTRY(yield)
ENTRY(once)
ENTRY(leave)
ENTRY(far)
ENTRY(far_store)
ENTRY(log)
ENTRY(many)
ENTRY(breed)
ENTRY(call)
ENTRY(copies)

static const char files[] = "\0once.c\0/where/the/copies/are/copies.c";
static const struct nk_site places[] = {[7] = {8, 70}, [9] = {8, 90}};
static const struct nk_sites sites = {sizeof(places) / sizeof(places[0]), places, files};

const struct nk_code kernels[KERNELS] = {
	[SUM] = {.entry = sum_entry, .frame_bytes = sizeof(struct frame)},
	[DOUBLE] = {.entry = double_entry, .frame_bytes = sizeof(struct frame)},
	[FAULT] = {.entry = fault_entry, .frame_bytes = sizeof(struct frame)},
	[EXIT] = {.entry = exit_entry, .frame_bytes = sizeof(struct frame)},
	[YIELD] = {.entry = yield_entry, .frame_bytes = sizeof(struct frame)},
	[ONCE] = {.entry = once_entry,
		.frame_bytes = sizeof(struct frame),
		.resume = once_resume,
		.name = "once",
		.sites = &sites},
	[LEAVE] = {.entry = leave_entry, .frame_bytes = sizeof(struct frame)},
	[FAR] = {.entry = far_entry, .frame_bytes = sizeof(struct frame)},
	[FAR_STORE] = {.entry = far_store_entry, .frame_bytes = sizeof(struct frame)},
	[LOG] = {.entry = log_entry, .frame_bytes = sizeof(struct frame)},
	[MANY] = {.entry = many_entry, .frame_bytes = sizeof(struct frame)},
	[BREED] = {.entry = breed_entry, .frame_bytes = sizeof(struct frame)},
	[CALL] = {.entry = call_entry, .frame_bytes = sizeof(struct frame)},
	[COPIES] = {.entry = copies_entry,
		.frame_bytes = sizeof(struct frame),
		.scratch_bytes = NK_SCRATCH_MAX,
		.resume = copies_resume,
		.name = "copies",
		.sites = &sites},
	[HUGE] = {.entry = sum_entry, .frame_bytes = NK_FRAME_MAX + 1},
};
