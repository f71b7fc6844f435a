/* kernels.c - what runs on the device in the rows of the bench. */
#include <nearside/kernel.h>

#include "bench/lookup.h"

/* Sends back what it reads. */
NPROC_KERNEL int64_t echo(const far uint64_t *unused, uint64_t zero)
{
	char message[56];
	ssize_t nbytes;

	(void)unused;
	(void)zero;
	while ((nbytes = npipe_read(0, message, sizeof message)) > 0)
		npipe_write(1, message, (size_t)nbytes);
	return 0;
}

/* Answers calls with what they ask. */
NPROC_KERNEL int64_t answer(const far uint64_t *unused, uint64_t zero)
{
	char message[56];
	ssize_t nbytes;

	(void)unused;
	(void)zero;
	while ((nbytes = npipe_read(0, message, sizeof message)) > 0)
		npipe_write(0, message, (size_t)nbytes);
	return 0;
}

/* One word of result. */
NPROC_KERNEL int64_t one(int64_t result)
{
	return result;
}

/* Gives way `count` times, then says so. */
NPROC_KERNEL int64_t yielder(uint64_t count)
{
	for (uint64_t i = 0; i < count; i++)
		nproc_yield();
	return (int64_t)count;
}

struct question {
	uint64_t key;
	uint64_t rounds;
};

/* Counts a key in far memory, several times over for one question. */
NPROC_KERNEL int64_t scan(const far uint64_t *keys, uint64_t nkeys)
{
	struct question question;

	while (npipe_read_full(0, &question, sizeof question) == sizeof question) {
		uint64_t total = 0;

		for (uint64_t round = 0; round < question.rounds; round++) {
			uint64_t hits = 0;

			for (uint64_t i = 0; i < nkeys; i++)
				hits += keys[i] == question.key + round;
			total += hits;
		}
		npipe_write(1, &total, sizeof total);
	}
	return 0;
}

/*
 * Messages of nbytes in one direction. A first word of all ones asks for, or carries the end: the
 * sum of the first words of all messages before.
 */
#define END UINT64_MAX

NPROC_KERNEL int64_t sink(const far uint64_t *unused, uint64_t nbytes)
{
	uint64_t message[7], sum = 0;

	(void)unused;
	while (npipe_read_full(0, message, nbytes) > 0) {
		if (message[0] == END) {
			npipe_write(1, &sum, sizeof sum);
			sum = 0;
		} else {
			sum += message[0];
		}
	}
	return 0;
}

NPROC_KERNEL int64_t source(const far uint64_t *unused, uint64_t nbytes)
{
	uint64_t message[7] = {0}, count;

	(void)unused;
	while (npipe_read_full(0, &count, sizeof count) > 0) {
		for (message[0] = 0; message[0] < count; message[0]++)
			npipe_write(1, message, nbytes);
		message[0] = END;
		npipe_write(1, message, nbytes);
	}
	return 0;
}

/*
 * Takes large writes by the kilobyte: how many bytes come, those, and then the sum of every
 * kilobyte's first word.
 */
NPROC_KERNEL int64_t drain(const far uint64_t *unused, uint64_t zero)
{
	uint64_t buffer[1024 / 8], left, sum;

	(void)unused;
	(void)zero;
	while (npipe_read_full(0, &left, sizeof left) == sizeof left) {
		for (sum = 0; left; left -= sizeof buffer) {
			npipe_read_full(0, buffer, sizeof buffer);
			sum += buffer[0];
		}
		npipe_write(1, &sum, sizeof sum);
	}
	return 0;
}

/* Sends back words; its frame is one line. */
NPROC_KERNEL int64_t word(const far uint64_t *unused, uint64_t zero)
{
	uint64_t words[3];
	ssize_t nbytes;

	(void)unused;
	(void)zero;
	while ((nbytes = npipe_read(0, words, sizeof words)) > 0)
		npipe_write(1, words, (size_t)nbytes);
	return 0;
}

struct task {
	uint64_t seed;
	uint64_t rounds;
};

/* Works for a while before it answers, as plain_mix() does. */
NPROC_KERNEL int64_t worker(const far uint64_t *unused, uint64_t zero)
{
	struct task task;

	(void)unused;
	(void)zero;
	while (npipe_read_full(0, &task, sizeof task) == sizeof task) {
		for (uint64_t i = 0; i < task.rounds; i++)
			task.seed = task.seed * 6364136223846793005 + 1442695040888963407;
		npipe_write(1, &task.seed, sizeof task.seed);
	}
	return 0;
}

/* 0 for one that is not there. */
static uint64_t look_up(const far struct lookup_entry *table, uint64_t key)
{
	uint64_t slot = lookup_slot(key);

	while (table[slot].key && table[slot].key != key)
		slot = (slot + 1) % LOOKUP_SLOTS;
	return table[slot].value;
}

/* Looks single keys up. */
NPROC_KERNEL int64_t lookup(const far struct lookup_entry *table, uint64_t zero)
{
	uint64_t word;

	(void)zero;
	while (npipe_read_full(0, &word, sizeof word) == sizeof word) {
		word = look_up(table, word);
		npipe_write(1, &word, sizeof word);
	}
	return 0;
}

/* Likewise, for calls. */
NPROC_KERNEL int64_t answer_lookup(const far struct lookup_entry *table, uint64_t zero)
{
	uint64_t word;

	(void)zero;
	while (npipe_read(0, &word, sizeof word) == sizeof word) {
		word = look_up(table, word);
		npipe_write(0, &word, sizeof word);
	}
	return 0;
}
