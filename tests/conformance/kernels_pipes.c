/* kernels_pipes.c - the kernels that are about pipes; part of the image of kernels.c. */
#include <errno.h>

#include <nearside/kernel.h>

#include "tests/conformance/kernels.h"

/* Reads up to `chunk` bytes at a time and writes what came. */
NPROC_KERNEL int64_t echo(uint32_t chunk)
{
	char bytes[ECHO_MAX];
	int64_t total = 0;
	ssize_t nbytes;

	nproc_assert(chunk <= sizeof bytes);
	while ((nbytes = npipe_read(0, bytes, chunk)) > 0) {
		if (npipe_write(1, bytes, (size_t)nbytes) != nbytes)
			return -1;
		total += nbytes;
	}
	return nbytes < 0 ? nbytes : total;
}

/* Byte i of a test stream. */
static uint8_t stream_byte(uint64_t i)
{
	return (uint8_t)(i * 31 + (i >> 8));
}

/* Writes a test stream to end 0. */
NPROC_KERNEL int64_t source(uint64_t nbytes, uint32_t chunk)
{
	uint8_t bytes[ECHO_MAX];

	nproc_assert(chunk <= sizeof bytes);
	for (uint64_t done = 0; done < nbytes;) {
		uint64_t now = nbytes - done < chunk ? nbytes - done : chunk;
		for (uint64_t i = 0; i < now; i++)
			bytes[i] = stream_byte(done + i);
		ssize_t result = npipe_write(0, bytes, now);
		if (result != (ssize_t)now)
			return result < 0 ? result : -1;
		done += now;
	}
	return 0;
}

/* Reads a test stream to its end; the number of its bytes, or -1 where one is wrong. */
NPROC_KERNEL int64_t sink(uint32_t chunk)
{
	uint8_t bytes[ECHO_MAX];
	uint64_t total = 0;
	ssize_t nbytes;

	nproc_assert(chunk <= sizeof bytes);
	while ((nbytes = npipe_read(0, bytes, chunk)) > 0)
		for (ssize_t i = 0; i < nbytes; i++)
			if (bytes[i] != stream_byte(total++))
				return -1;
	return nbytes < 0 ? nbytes : (int64_t)total;
}

/* `count` records of RECORD_BYTES to end 0, each filled with one byte. */
NPROC_KERNEL int64_t write_records(uint8_t byte, uint32_t count)
{
	uint8_t record[RECORD_BYTES];

	for (unsigned i = 0; i < sizeof record; i++)
		record[i] = byte;
	for (uint32_t i = 0; i < count; i++)
		if (npipe_write(0, record, sizeof record) != (ssize_t)sizeof record)
			return -1;
	return 0;
}

/* Writes to end 0 until nobody reads; what the last write gave. */
NPROC_KERNEL int64_t write_until_error(void)
{
	uint64_t word = 0;
	ssize_t result;

	while ((result = npipe_write(0, &word, sizeof word)) > 0)
		word++;
	return result;
}

NPROC_KERNEL int64_t read_once(uint32_t nbytes)
{
	char bytes[ECHO_MAX];

	return npipe_read(0, bytes, nbytes);
}

NPROC_KERNEL int64_t add_one(void)
{
	uint64_t word;

	while (npipe_read_full(0, &word, sizeof word) == sizeof word) {
		word++;
		npipe_write(1, &word, sizeof word);
	}
	return 0;
}

/* Answers one question with its number. */
NPROC_KERNEL int64_t answer_once(uint32_t number)
{
	uint32_t question;

	if (npipe_read_full(0, &question, sizeof question) != sizeof question)
		return 1;
	question += number;
	return npipe_write(1, &question, sizeof question) != sizeof question;
}

NPROC_KERNEL int64_t read_fd(int64_t fd)
{
	char byte;

	return npipe_read((int)fd, &byte, 1);
}

NPROC_KERNEL int64_t write_fd(int64_t fd)
{
	return npipe_write((int)fd, "x", 1);
}

NPROC_KERNEL int64_t close_fd_twice(int64_t fd)
{
	int first = npipe_close((int)fd);

	return first ? first : npipe_close((int)fd);
}

/* Closes its writing end 1, then waits for the end of what it reads. */
NPROC_KERNEL int64_t close_then_wait(void)
{
	char byte;

	npipe_close(1);
	while (npipe_read(0, &byte, 1) > 0)
		;
	return 0;
}

/* Both ends of one pipe: 0 reads what 1 wrote. */
NPROC_KERNEL int64_t talk_to_itself(uint32_t rounds)
{
	for (uint32_t i = 0; i < rounds; i++) {
		uint32_t heard = 0;
		if (npipe_write(1, &i, sizeof i) != sizeof i ||
			npipe_read_full(0, &heard, sizeof heard) != sizeof heard || heard != i)
			return -1;
	}
	npipe_close(1);
	char byte;
	return npipe_read(0, &byte, 1);
}

/* Sixteen writing ends: each gets its own number. */
NPROC_KERNEL int64_t number_ends(uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		npipe_write((int)i, &i, sizeof i);
	return 0;
}

/* One write of nbytes to end 0: what it gave. */
NPROC_KERNEL int64_t write_once(uint32_t nbytes)
{
	uint8_t bytes[ECHO_MAX];

	nproc_assert(nbytes <= sizeof bytes);
	for (uint32_t i = 0; i < nbytes; i++)
		bytes[i] = stream_byte(i);
	return npipe_write(0, bytes, nbytes);
}

/* Reads into too few bytes, then into enough: how many came; -1: the first try took some. */
NPROC_KERNEL int64_t read_again_with_room(uint32_t too_few)
{
	uint8_t bytes[RECORD_BYTES];

	if (npipe_read(0, bytes, too_few) != -EMSGSIZE)
		return -1;
	return npipe_read(0, bytes, sizeof bytes);
}

NPROC_KERNEL int64_t read_full_once(uint32_t nbytes)
{
	uint8_t bytes[ECHO_MAX];

	return npipe_read_full(0, bytes, nbytes);
}

/* Counts on end 1 the bytes that it has written to end 0, each by a write. */
NPROC_KERNEL int64_t write_and_count(uint32_t count)
{
	for (uint32_t i = 1; i <= count; i++)
		if (npipe_write(0, &i, 1) != 1 || npipe_write(1, &i, sizeof i) != sizeof i)
			return -1;
	return 0;
}

/* Reads records until the end: how many, or -1 where one is not whole. */
NPROC_KERNEL int64_t count_records(void)
{
	uint8_t record[2 * RECORD_BYTES];
	int64_t count = 0;
	ssize_t nbytes;

	while ((nbytes = npipe_read(0, record, sizeof record)) > 0) {
		for (ssize_t i = 1; i < nbytes; i++)
			if (record[i] != record[0])
				return -1;
		if (nbytes != RECORD_BYTES)
			return -1;
		count++;
	}
	return nbytes < 0 ? nbytes : count;
}

/* Words that count, with the writer's number above, each by a write to end 0. */
NPROC_KERNEL int64_t write_words(uint32_t writer, uint32_t count)
{
	for (uint64_t i = 0; i < count; i++) {
		uint64_t word = (uint64_t)writer << 32 | i;

		if (npipe_write(0, &word, sizeof word) != sizeof word)
			return -1;
	}
	return 0;
}

/* Reads such words until the end: how many, or -1 where those of a writer do not rise. */
NPROC_KERNEL int64_t count_words(void)
{
	uint64_t next[WRITERS_MAX] = {0};
	int64_t count = 0;
	uint64_t word;
	ssize_t nbytes;

	while ((nbytes = npipe_read(0, &word, sizeof word)) > 0) {
		uint32_t writer = (uint32_t)(word >> 32);

		if (nbytes != sizeof word || writer >= WRITERS_MAX || (uint32_t)word < next[writer])
			return -1;
		next[writer] = (uint32_t)word + 1;
		count++;
	}
	return nbytes < 0 ? nbytes : count;
}

/* Two ends of one pipe: reads at the second when the first is closed. */
NPROC_KERNEL int64_t close_one_then_read(void)
{
	char byte;

	npipe_close(0);
	return npipe_read(1, &byte, 1);
}
