/* kernels_calls.c - the kernels that answer calls at end 0; part of the image of kernels.c. */
#include <errno.h>

#include <nearside/kernel.h>

#include "tests/conformance/kernels.h"

static ssize_t answer_one(void)
{
	uint8_t bytes[CALL_BYTES];
	ssize_t nbytes = npipe_read(0, bytes, sizeof bytes);

	for (ssize_t i = 0; i < nbytes; i++)
		bytes[i] = (uint8_t)~bytes[i];
	return nbytes > 0 ? npipe_write(0, bytes, (size_t)nbytes) : nbytes;
}

static int64_t answer_all(void)
{
	int64_t count = 0;
	ssize_t nbytes;

	while ((nbytes = answer_one()) > 0)
		count++;
	return nbytes < 0 ? nbytes : count;
}

/* The complement of each request; how many there were. */
NPROC_KERNEL int64_t answer(void)
{
	return answer_all();
}

/* Reads a request, and answers as many bytes as it names. */
NPROC_KERNEL int64_t answer_at_length(void)
{
	uint8_t bytes[CALL_BYTES + 1] = {0};
	uint8_t nbytes;

	while (npipe_read(0, &nbytes, 1) > 0)
		npipe_write(0, bytes, nbytes);
	return 0;
}

/* Of the requests, leaves the last unanswered, in one of several ways. */
NPROC_KERNEL int64_t answer_some(uint32_t count, enum leave leave)
{
	uint8_t byte;

	while (count--)
		answer_one();
	if (leave == LEAVE_AT_ONCE)
		return 1;
	npipe_read(0, &byte, 1);
	nproc_assert(leave != LEAVE_BY_FAULT);
	if (leave == LEAVE_BY_CLOSE)
		npipe_close(0);
	return 2;
}

/* Answers each request when a byte has come at end 1, and says at end 2 that it has read it. */
NPROC_KERNEL int64_t answer_when_told(void)
{
	uint64_t word;
	uint8_t byte;
	int64_t count = 0;

	while (npipe_read(0, &word, sizeof word) > 0) {
		npipe_write(2, &word, 1);
		if (npipe_read(1, &byte, 1) != 1)
			return -1;
		word = ~word;
		if (npipe_write(0, &word, sizeof word) != sizeof word)
			return npipe_read(0, &word, sizeof word) == 0 ? 100 + count : -2;
		count++;
	}
	return count;
}

/* What is wrong at the end that answers: the number of the first step that goes another way. */
NPROC_KERNEL int64_t answer_out_of_turn(void)
{
	uint8_t bytes[CALL_BYTES + 1] = {0};

	if (npipe_write(0, bytes, 1) != -EINVAL)
		return 1;
	if (npipe_dup(0) != -EINVAL)
		return 2;
	if (npipe_read(0, bytes, 7) != -EMSGSIZE || npipe_read(0, bytes, 0) != 0)
		return 3;
	if (npipe_read(0, bytes, 8) != 8)
		return 4;
	if (npipe_read(0, bytes, 8) != -EINVAL)
		return 5;
	if (npipe_write(0, bytes, CALL_BYTES + 1) != -EMSGSIZE ||
		npipe_write(0, bytes, 0) != -EINVAL)
		return 6;
	if (npipe_write(0, bytes, 8) != 8)
		return 7;
	return npipe_write(0, bytes, 8) == -EINVAL ? 0 : 8;
}

NPROC_KERNEL int64_t answer_for_parent(uint64_t word)
{
	return npipe_write(0, &word, sizeof word) == sizeof word ? answer_all() : -1;
}

/* A child gets the end while a request waits for its answer. */
NPROC_KERNEL int64_t answer_by_child(void)
{
	struct nproc_start how = NPROC_START_INIT;
	struct nproc_outcome outcome;
	uint64_t word;

	if (npipe_read(0, &word, sizeof word) != sizeof word)
		return -1;
	how.end_count = 1;
	how.core = NPROC_ANY_CORE;
	if (nproc_spawn(how, answer_for_parent(~word)) != -EXDEV)
		return -2;
	how.core = NPROC_SAME_CORE;
	nproc_wait(nproc_spawn(how, answer_for_parent(~word)), &outcome);
	return npipe_write(0, &word, sizeof word) == -EBADF ? outcome.exit_code : -3;
}

NPROC_KERNEL int64_t answer_and_log(void)
{
	int64_t count = 0;

	while (answer_one() > 0)
		nproc_log("answer %d", (int)++count);
	return count;
}
