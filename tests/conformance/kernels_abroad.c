/*
 * kernels_abroad.c - kernels that give ends to processes on other cores: reading ones, and those of
 * pipes that they have made; part of the image of kernels.c.
 */
#include <errno.h>

#include <nearside/kernel.h>

#include "tests/conformance/kernels.h"
#include "tests/conformance/kernels_children.h"

NPROC_KERNEL int64_t exit_with(int64_t code);
NPROC_KERNEL int64_t source(uint64_t nbytes, uint32_t chunk);
NPROC_KERNEL int64_t sink(uint32_t chunk);
NPROC_KERNEL int64_t write_until_error(void);
NPROC_KERNEL int64_t wait_for_end(void);
NPROC_KERNEL int64_t count_records(void);
NPROC_KERNEL int64_t count_words(void);

static struct nproc_start with_end(int end, int32_t core)
{
	struct nproc_start how = NPROC_START_INIT;

	how.core = core;
	how.end_count = 1;
	how.ends[0] = end;
	return how;
}

/* The end goes to a child on that core as soon as it may. */
#define START(end, core, call)                                       \
	({                                                           \
		struct nproc_start how_ = with_end(end, core);       \
		int child_;                                          \
		while ((child_ = nproc_spawn(how_, call)) == -EBUSY) \
			nproc_yield();                               \
		child_;                                              \
	})

/*
 * Reads a word of those counted from `next`, and gives the end to a child on the next core, which
 * does so as well; the last of `hops` reads to the end. How many words there were in all.
 */
NPROC_KERNEL int64_t count_by_hops(uint64_t next, uint32_t hops, uint32_t core, uint32_t cores)
{
	uint64_t word;

	while (npipe_read_full(0, &word, sizeof word) == sizeof word) {
		if (word != next++)
			return -1;
		if (hops)
			break;
	}
	if (!hops)
		return (int64_t)next;
	core = (core + 1) % cores;
	return outcome_of(START(0, (int32_t)core, count_by_hops(next, hops - 1, core, cores)));
}

/* Likewise, and is gone before its child reads. */
NPROC_KERNEL int64_t pass_on_and_leave(uint32_t hops, uint32_t core, uint32_t cores)
{
	if (!hops) {
		uint64_t count = 0, word;

		while (npipe_read_full(0, &word, sizeof word) == sizeof word && word == count)
			count++;
		return npipe_write(1, &count, sizeof count);
	}
	struct nproc_start how = with_end(0, (int32_t)((core + 1) % cores));
	int child;

	how.end_count = 2;
	how.ends[1] = 1;
	do {
		nproc_yield();
		child = nproc_spawn(how, pass_on_and_leave(hops - 1, (core + 1) % cores, cores));
	} while (child == -EBUSY);
	return child;
}

/* Copies of this reading end go to `count` children on all cores in turn; what they have read. */
NPROC_KERNEL int64_t share_reading_everywhere(uint32_t count, uint32_t cores, bool are_words)
{
	int64_t total = 0;

	for (uint32_t i = 0; i < count; i++) {
		int end = i + 1 < count ? npipe_dup(0) : 0;
		int32_t core = (int32_t)(i % cores);
		int child = are_words ? START(end, core, count_words())
				      : START(end, core, count_records());

		if (child < 0)
			return child;
	}
	for (uint32_t i = 0; i < count; i++)
		total += outcome_of((int)i);
	return total;
}

/* A pipe is made here, written on one core and read on another. */
NPROC_KERNEL int64_t join_two_abroad(uint64_t nbytes, int32_t writer_core, int32_t reader_core)
{
	int pipe[2];

	if (npipe_create(pipe))
		return -1;
	int reader = START(pipe[0], reader_core, sink(200));
	int writer = START(pipe[1], writer_core, source(nbytes, 300));
	int64_t failed = outcome_of(writer);
	return failed ? failed : outcome_of(reader);
}

/* What waits there, and what it writes itself. */
NPROC_KERNEL int64_t talk_through(uint32_t waiting)
{
	int64_t total = 0;
	char byte;

	if (npipe_write(1, "behind", 6) != 6)
		return -1;
	npipe_close(1);
	while (npipe_read(0, &byte, 1) == 1)
		total++;
	return total - waiting;
}

/* A pipe is made here and both its ends go to one child abroad; then it is not known here. */
NPROC_KERNEL int64_t move_both_ends(int32_t core)
{
	struct nproc_start how = NPROC_START_INIT;
	int pipe[2], child;

	if (npipe_create(pipe) || npipe_write(pipe[1], "before", 6) != 6)
		return -1;
	how.core = core;
	how.end_count = 2;
	how.ends[0] = pipe[0];
	how.ends[1] = pipe[1];
	while ((child = nproc_spawn(how, talk_through(6))) == -EBUSY)
		nproc_yield();
	return child < 0 ? child : npipe_read(pipe[0], pipe, 1) == -EBADF ? outcome_of(child) : -2;
}

/* A child abroad waits at a reading end and is killed; what comes then is read here. */
NPROC_KERNEL int64_t kill_reader_abroad(int32_t core, uint32_t times)
{
	int pipe[2];

	if (npipe_create(pipe))
		return -1;
	for (uint32_t i = 0; i < times; i++) {
		uint32_t seen = ~i;
		int child = START(npipe_dup(pipe[0]), core, wait_for_end());

		if (child < 0)
			return child;
		for (uint32_t k = 0; k < i % 5; k++)
			nproc_yield();
		nproc_kill(child);
		nproc_wait(child, NULL);
		if (npipe_write(pipe[1], &i, sizeof i) != sizeof i)
			return -2;
		if (npipe_read_full(pipe[0], &seen, sizeof seen) != sizeof seen || seen != i)
			return -3;
	}
	return times;
}

/* The only reader, abroad, is killed: who writes is told. */
NPROC_KERNEL int64_t break_from_abroad(int32_t writer_core, int32_t reader_core)
{
	int pipe[2];

	if (npipe_create(pipe))
		return -1;
	int reader = START(pipe[0], reader_core, wait_for_end());
	int writer = START(pipe[1], writer_core, write_until_error());
	nproc_kill(reader);
	nproc_wait(reader, NULL);
	return outcome_of(writer);
}

/* Pipes are made here, given away and gone, many times. */
NPROC_KERNEL int64_t make_and_give_often(uint32_t times, int32_t core)
{
	int64_t total = 0;

	for (uint32_t i = 0; i < times; i++) {
		int pipe[2];
		int64_t result;

		if (npipe_create(pipe))
			return -1;
		do {
			result = START(pipe[i % 2], core, exit_with(1));
			nproc_yield();
		} while (result == -ENOMEM); /* ids are on their way back */
		result = outcome_of((int)result);
		if (result < 0)
			return result;
		npipe_close(pipe[(i + 1) % 2]);
		total += result;
	}
	return total;
}

/* A pipe that has no id goes nowhere, and stays good here. */
NPROC_KERNEL int64_t give_without_id(int32_t core)
{
	char byte = 0;
	int pipe[2];

	if (npipe_create(pipe))
		return -1;
	int child = START(pipe[1], core, exit_with(0));
	if (child != -ENOMEM)
		return child;
	return npipe_write(pipe[1], "x", 1) == 1 && npipe_read(pipe[0], &byte, 1) == 1 ? byte : -2;
}
