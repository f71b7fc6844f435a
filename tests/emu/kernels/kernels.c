/*
 * kernels.c - kernels as nprocc would make them, written by hand: an entry that builds a frame, and
 * a resume function that goes on where the frame says. Built as a shared object of its own, for
 * each machine that a test runs.
 */
#include <stdbool.h>

#include "channels/memory.h"
#include "device/abi/kernel.h"
#include "tests/emu/kernels/kernels.h"

static struct nk_process *process_of(void *frame)
{
	return (struct nk_process *)frame - 1;
}

/* ---- echo: what comes through end 0 goes out through end 1; returns how many times ----------- */

struct echo {
	void (*resume)(void *frame);
	uint64_t unwritten; /* 0: reading */
	uint64_t written;
	int64_t count;
	char bytes[56];
};

/* False: waits, or has ended. */
static bool echo_read(struct nk_process *process, struct echo *echo)
{
	int64_t nbytes = process->ops->read(process, 0, echo->bytes, sizeof echo->bytes, 0);

	if (nbytes <= 0) {
		if (nbytes != -NCHAN_EAGAIN)
			process->ops->done(process, nbytes ? nbytes : echo->count);
		return false;
	}
	echo->unwritten = (uint64_t)nbytes;
	echo->written = 0;
	return true;
}

static bool echo_write(struct nk_process *process, struct echo *echo)
{
	int64_t nbytes =
		process->ops->write(process, 1, echo->bytes + echo->written, echo->unwritten, 0);

	if (nbytes < 0) {
		if (nbytes != -NCHAN_EAGAIN)
			process->ops->done(process, nbytes);
		return false;
	}
	echo->written += (uint64_t)nbytes;
	echo->unwritten -= (uint64_t)nbytes;
	echo->count += !echo->unwritten;
	return true;
}

static void echo_resume(void *frame)
{
	struct nk_process *process = process_of(frame);
	struct echo *echo = frame;

	while (echo->unwritten ? echo_write(process, echo) : echo_read(process, echo))
		;
}

static void echo_entry(struct nk_process *process, const uint64_t *args)
{
	struct echo *echo = (struct echo *)(void *)(process + 1);

	(void)args;
	*echo = (struct echo){.resume = echo_resume};
}

/* ---- loop: for ever, without a suspension ---------------------------------------------------- */

struct loop {
	void (*resume)(void *frame);
};

static void loop_resume(void *frame)
{
	struct nk_process *process = process_of(frame);

	for (;;)
		if (nchan_load(process->ops->attention) == process->self)
			process->ops->killed(process);
}

static void loop_entry(struct nk_process *process, const uint64_t *args)
{
	struct loop *loop = (struct loop *)(void *)(process + 1);

	(void)args;
	loop->resume = loop_resume;
}

/* ---- fault: divides by zero, as far as anybody can tell -------------------------------------- */

static void fault_resume(void *frame)
{
	struct nk_process *process = process_of(frame);

	process->ops->fault(process, NK_FAULT_DIVIDE_BY_ZERO, 0, TEST_FAULT_SITE);
}

static void fault_entry(struct nk_process *process, const uint64_t *args)
{
	struct loop *loop = (struct loop *)(void *)(process + 1);

	(void)args;
	loop->resume = fault_resume;
}

extern const struct nk_code nk_kernels[TEST_KERNEL_COUNT];
__attribute__((visibility("default"))) const struct nk_code nk_kernels[TEST_KERNEL_COUNT] = {
	[TEST_ECHO] = {echo_entry, sizeof(struct echo)},
	[TEST_LOOP] = {loop_entry, sizeof(struct loop)},
	[TEST_FAULT] = {fault_entry, sizeof(struct loop)},
};
