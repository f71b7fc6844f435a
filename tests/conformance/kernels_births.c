/*
 * kernels_births.c - kernels that start kernels, of this file and of the others of the image.
 */
#include <nearside/kernel.h>

#include "tests/conformance/kernels.h"
#include "tests/conformance/kernels_children.h"

NPROC_KERNEL int64_t exit_with(int64_t code);
NPROC_KERNEL int64_t sum(const far uint8_t *bytes, uint64_t nbytes);
NPROC_KERNEL int64_t fill(far uint8_t *bytes, uint64_t nbytes, uint8_t value);
NPROC_KERNEL int64_t write_to_const(const far uint8_t *bytes);
NPROC_KERNEL int64_t read_when_asked(const far uint64_t *word);
NPROC_KERNEL int64_t add_one(void);
NPROC_KERNEL int64_t source(uint64_t nbytes, uint32_t chunk);
NPROC_KERNEL int64_t sink(uint32_t chunk);
NPROC_KERNEL int64_t write_until_error(void);
NPROC_KERNEL int64_t wait_for_end(void);
NPROC_KERNEL int64_t spin_in_far_memory(far uint64_t *word);
NPROC_KERNEL int64_t divide(int64_t a, int64_t b);
NPROC_KERNEL int64_t write_records(uint8_t byte, uint32_t count);
NPROC_KERNEL int64_t yield_for_ever(void);
NPROC_KERNEL int64_t log_numbers(uint32_t count);
NPROC_KERNEL int64_t count_records(void);
NPROC_KERNEL int64_t count_words(void);

/* Halves the range until little is left. */
NPROC_KERNEL int64_t sum_by_halves(const far uint8_t *bytes, uint64_t nbytes)
{
	int64_t total = 0;

	if (nbytes <= 8) {
		nmem_refresh(bytes, nbytes);
		for (uint64_t i = 0; i < nbytes; i++)
			total += bytes[i];
		return total;
	}
	int left = nproc_spawn(NPROC_HERE, sum_by_halves(bytes, nbytes / 2));
	int right = nproc_spawn(NPROC_HERE, sum_by_halves(bytes + nbytes / 2, nbytes - nbytes / 2));
	total = outcome_of(left);
	return total < 0 ? total : total + outcome_of(right);
}

/* Children of every kind of argument. */
NPROC_KERNEL int64_t check_arguments(int8_t small, uint64_t large, float single, double twice,
	bool flag, struct three three, struct most most, struct twelve twelve)
{
	return small == -7 && large == 1ull << 63 && single == 1.5f && twice == -2.25 && flag &&
	       three.bytes[2] == 3 && most.bytes[31] == 31 && twelve.words[2] == 12;
}

NPROC_KERNEL int64_t start_with_arguments(void)
{
	struct three three = {{1, 2, 3}};
	struct most most = {{0}};
	struct twelve twelve = {{10, 11, 12}};

	most.bytes[31] = 31;
	return outcome_of(nproc_spawn(NPROC_HERE,
		check_arguments(-7, 1ull << 63, 1.5f, -2.25, true, three, most, twelve)));
}

/* Gives a child ends that it has made, and both of its own. */
NPROC_KERNEL int64_t relay(void)
{
	struct nproc_start how = NPROC_START_INIT;
	int pipe[2];

	if (npipe_create(pipe))
		return -1;
	how.end_count = 2;
	how.ends[0] = 0;
	how.ends[1] = pipe[1];
	if (nproc_spawn(how, add_one()) != 0)
		return -2;
	how.ends[0] = pipe[0];
	how.ends[1] = 1;
	if (nproc_spawn(how, add_one()) != 1)
		return -3;
	return outcome_of(0) + outcome_of(1);
}

/* Every end is the child's; those that remain here are duplicates. */
NPROC_KERNEL int64_t give_and_keep(void)
{
	struct nproc_start how = NPROC_START_INIT;
	uint64_t word = 0;

	how.end_count = 2;
	how.ends[0] = 0;
	how.ends[1] = npipe_dup(1);
	if (how.ends[1] != 2 || nproc_spawn(how, add_one()) != 0)
		return -1;
	if (npipe_read(0, &word, sizeof word) != -9 || npipe_close(2) != -9)
		return -2;
	int64_t result = outcome_of(0);
	word = 77;
	return npipe_write(1, &word, sizeof word) == sizeof word ? result : -3;
}

/* What nproc_spawn() answers to what it cannot do, one after the other. */
NPROC_KERNEL int64_t start_wrongly(
	const far uint8_t *granted, const far uint8_t *other, uint32_t cores)
{
	struct nproc_start how = NPROC_START_INIT;
	far uint8_t *writable = (far uint8_t *)(uint64_t)granted;
	int64_t seen[8];

	seen[0] = nproc_spawn(NPROC_HERE, sum(other + (1ull << 40), 1));
	seen[1] = nproc_spawn(NPROC_HERE, fill(writable, 1, 0));
	how.end_count = 1;
	how.ends[0] = 5;
	seen[2] = nproc_spawn(how, exit_with(0));
	how.end_count = 2;
	how.ends[0] = how.ends[1] = 0;
	seen[3] = nproc_spawn(how, exit_with(0));
	how.end_count = 17;
	seen[4] = nproc_spawn(how, exit_with(0));
	how.end_count = 0;
	how.core = (int32_t)cores;
	seen[5] = nproc_spawn(how, exit_with(0));
	seen[6] = nproc_wait(0, NULL);
	seen[7] = nproc_kill(NPROC_ANY_CHILD);
	npipe_write(0, seen, sizeof seen);
	return 0;
}

/* Only what the child's parameters point into is granted to it, and for no more than they say. */
NPROC_KERNEL int64_t write_where_read_only(far uint8_t *bytes)
{
	return outcome_of(nproc_spawn(NPROC_HERE, write_to_const(bytes)));
}

NPROC_KERNEL int64_t read_both(const far uint8_t *a, uint64_t b)
{
	return *a + *(const far uint8_t *)b;
}

NPROC_KERNEL int64_t grant_one_of_two(const far uint8_t *a, const far uint8_t *b)
{
	return outcome_of(nproc_spawn(NPROC_HERE, read_both(a, (uint64_t)b)));
}

/* Starts children until that is refused, with what it gives then; then waits for all of them. */
NPROC_KERNEL int64_t start_many(void)
{
	int count = 0, child;

	while ((child = nproc_spawn(NPROC_HERE, exit_with(count))) >= 0)
		if (child != count++)
			return -1000;
	int64_t total = child * 100000;
	for (int i = 0; i < count; i++) {
		struct nproc_outcome outcome;
		if (nproc_wait(NPROC_ANY_CHILD, &outcome) < 0 || outcome.state != NPROC_EXITED)
			return -2000;
		total += outcome.exit_code;
	}
	return nproc_wait(NPROC_ANY_CHILD, NULL) == -10 ? total : -3000;
}

/* Many generations of children that end at once. */
NPROC_KERNEL int64_t start_often(uint32_t times)
{
	for (uint32_t i = 0; i < times; i++)
		if (outcome_of(nproc_spawn(NPROC_HERE, exit_with(i))) != i)
			return i + 1;
	return 0;
}

NPROC_KERNEL int64_t kill_children(far uint64_t *word)
{
	struct nproc_start how = NPROC_START_INIT;
	struct nproc_outcome outcome[3];

	how.end_count = 1;
	int waits = nproc_spawn(how, wait_for_end());
	int ready = nproc_spawn(NPROC_HERE, spin_in_far_memory(word));
	int ended = nproc_spawn(NPROC_HERE, exit_with(5));
	if (nproc_kill(ready))
		return -1;
	nproc_yield();
	nproc_yield();
	if (nproc_kill(waits) || nproc_kill(ended) || nproc_kill(ended))
		return -2;
	if (nproc_wait(waits, &outcome[0]) != waits || nproc_wait(ready, &outcome[1]) != ready ||
		nproc_wait(ended, &outcome[2]) != ended)
		return -3;
	return outcome[0].state == NPROC_KILLED && outcome[1].state == NPROC_KILLED &&
	       outcome[2].state == NPROC_EXITED && outcome[2].exit_code == 5;
}

NPROC_KERNEL int64_t fault_in_child(void)
{
	return outcome_of(nproc_spawn(NPROC_HERE, divide(1, 0)));
}

/* Ends at once; its child goes on until end 0 says so, and then answers over end 1. */
NPROC_KERNEL int64_t leave_child(const far uint8_t *bytes)
{
	struct nproc_start how = NPROC_START_INIT;

	how.end_count = 2;
	how.ends[0] = 0;
	how.ends[1] = 1;
	return nproc_spawn(how, read_when_asked((const far uint64_t *)bytes));
}

/*
 * A line of processes, each the child of the one before; the last one tells. All wait at the end of
 * what 0 reads.
 */
NPROC_KERNEL int64_t descend(uint32_t depth)
{
	struct nproc_start how = NPROC_START_INIT;
	char byte;

	if (!depth) {
		npipe_write(1, "x", 1);
		return npipe_read(0, &byte, 1);
	}
	how.end_count = 2;
	how.ends[0] = npipe_dup(0);
	how.ends[1] = npipe_dup(1);
	npipe_close(1);
	return outcome_of(nproc_spawn(how, descend(depth - 1)));
}

/* Starts children, which do the same, for as long as it is let. Nobody waits for them. */
NPROC_KERNEL int64_t breed(uint32_t depth)
{
	for (;;) {
		for (uint32_t i = 0; i < 3 && depth; i++)
			nproc_spawn(NPROC_HERE, breed(depth - 1));
		nproc_yield();
		nproc_wait(NPROC_ANY_CHILD, NULL);
		nproc_yield();
	}
}

NPROC_KERNEL int64_t breed_spinners(far uint64_t *word)
{
	nproc_spawn(NPROC_HERE, spin_in_far_memory(word));
	nproc_spawn(NPROC_HERE, spin_in_far_memory(word));
	return 0;
}

NPROC_KERNEL int64_t log_in_child(void)
{
	return outcome_of(nproc_spawn(NPROC_HERE, log_numbers(3)));
}

/* 16 ends and no more; numbers of closed ones come again, the lowest first. */
NPROC_KERNEL int64_t use_many_ends(void)
{
	int pipe[2], last = 0;
	uint64_t word = 3;

	for (int i = 2; i < 16; i++)
		if (npipe_dup(i & 1) != i)
			return -1;
	if (npipe_dup(0) != -24 || npipe_create(pipe) != -24)
		return -2;
	if (npipe_close(7) || npipe_create(pipe) != -24)
		return -3;
	if (npipe_close(4) || npipe_create(pipe) || pipe[0] != 4 || pipe[1] != 7)
		return -4;
	if (npipe_write(7, &word, sizeof word) != sizeof word || npipe_close(7))
		return -5;
	while (npipe_read(4, &word, sizeof word) > 0)
		last += (int)word;
	return npipe_dup(16) == -9 && npipe_dup(-1) == -9 && npipe_dup(7) == -9 ? last : -6;
}

/* A pipe of its own that is full, read and broken. */
NPROC_KERNEL int64_t use_own_pipe(void)
{
	struct nproc_start how = NPROC_START_INIT;
	int pipe[2];

	if (npipe_create(pipe))
		return -1;
	how.end_count = 1;
	how.ends[0] = pipe[1];
	int writer = nproc_spawn(how, source(20000, 50));
	how.ends[0] = pipe[0];
	int reader = nproc_spawn(how, sink(64));
	int64_t total = outcome_of(reader);
	if (outcome_of(writer) || npipe_create(pipe))
		return -2;
	how.ends[0] = pipe[1];
	writer = nproc_spawn(how, write_until_error());
	nproc_yield();
	npipe_close(pipe[0]);
	return outcome_of(writer) == -32 ? total : -3;
}

/* ---- on other cores -------------------------------------------------------------------------- */

NPROC_KERNEL int64_t sum_on(const far uint8_t *bytes, uint64_t nbytes, int32_t core)
{
	struct nproc_start how = NPROC_START_INIT;

	how.core = core;
	return outcome_of(nproc_spawn(how, sum(bytes, nbytes)));
}

NPROC_KERNEL int64_t fault_on(int32_t core)
{
	struct nproc_start how = NPROC_START_INIT;

	how.core = core;
	return outcome_of(nproc_spawn(how, divide(1, 0)));
}

/* Each core adds to one word, through children of its own. */
NPROC_KERNEL int64_t add_everywhere(
	far uint64_t *word, uint32_t cores, uint32_t children, bool is_child)
{
	struct nproc_start how = NPROC_START_INIT;
	int64_t total = 0;

	if (is_child)
		__atomic_fetch_add(word, 1, __ATOMIC_RELAXED);
	else
		nmem_refresh(word, sizeof *word);
	for (uint32_t i = 0; i < children; i++) {
		how.core = (int32_t)(i % cores);
		total += nproc_spawn(how, add_everywhere(word, cores, children / 2, true)) < 0;
	}
	for (uint32_t i = 0; i < children; i++) {
		struct nproc_outcome outcome = {0};
		total += nproc_wait(NPROC_ANY_CHILD, &outcome) < 0 ||
			 outcome.state != NPROC_EXITED || outcome.exit_code;
	}
	nmem_publish(word, sizeof *word);
	return total;
}

/* A copy of this writing end goes to a child on each core, child 0 on core 0: 0, or what failed. */
static int start_writers_everywhere(int end, uint32_t cores, uint32_t records)
{
	struct nproc_start how = NPROC_START_INIT;

	for (uint32_t core = 0; core < cores; core++) {
		how.core = (int32_t)core;
		how.end_count = 1;
		how.ends[0] = npipe_dup(end);
		int child;
		while ((child = nproc_spawn(how, write_records((uint8_t)(core + 1), records))) ==
			-16)
			nproc_yield();
		if (child != (int)core)
			return child < 0 ? child : -1;
	}
	return 0;
}

/* A writing end goes to a child on each core; end 0 is read where it is, by the host or here. */
NPROC_KERNEL int64_t write_from_everywhere(uint32_t cores, uint32_t records)
{
	int failed = start_writers_everywhere(0, cores, records);

	if (failed)
		return failed;
	npipe_close(0);
	for (uint32_t core = 0; core < cores; core++)
		if (outcome_of((int)core))
			return -1;
	return 0;
}

NPROC_KERNEL int64_t gather_from_everywhere(uint32_t cores, uint32_t records)
{
	int failed = start_writers_everywhere(1, cores, records);
	uint8_t record[RECORD_BYTES];
	int64_t total = 0;

	if (failed)
		return failed;
	npipe_close(1);
	while (npipe_read_full(0, record, sizeof record) == sizeof record)
		total += record[0];
	return total;
}

NPROC_KERNEL int64_t kill_abroad(int32_t core)
{
	struct nproc_start how = NPROC_START_INIT;
	struct nproc_outcome outcome = {0};

	how.core = core;
	int child = nproc_spawn(how, yield_for_ever());
	if (child < 0 || nproc_kill(child) || nproc_wait(child, &outcome) != child)
		return -1;
	return outcome.state == NPROC_KILLED && nproc_kill(child) == -10;
}

/* Ends at once; a child on that core goes on. */
NPROC_KERNEL int64_t leave_abroad(int32_t core)
{
	struct nproc_start how = NPROC_START_INIT;

	how.core = core;
	return nproc_spawn(how, yield_for_ever());
}

/* As breed, on any core. */
NPROC_KERNEL int64_t breed_everywhere(uint32_t depth, uint32_t cores)
{
	struct nproc_start how = NPROC_START_INIT;

	for (;;) {
		for (uint32_t i = 0; i < 2 && depth; i++) {
			how.core = (int32_t)(i % cores);
			nproc_spawn(how, breed_everywhere(depth - 1, cores));
			how.core = NPROC_ANY_CORE;
			nproc_spawn(how, breed_everywhere(depth - 1, cores));
		}
		nproc_yield();
	}
}

NPROC_KERNEL int64_t count_bytes(void)
{
	uint8_t bytes[ECHO_MAX];
	int64_t total = 0;
	ssize_t nbytes;

	while ((nbytes = npipe_read(0, bytes, sizeof bytes)) > 0)
		total += nbytes;
	return total;
}

/*
 * End 0 is read by `count` children, of records that are packets or of words; how many they found.
 */
NPROC_KERNEL int64_t share_reading(uint32_t count, bool are_words)
{
	struct nproc_start start = NPROC_START_INIT;
	int child[8];
	int64_t total = 0;

	nproc_assert(count <= 8);
	start.end_count = 1;
	for (uint32_t i = 0; i < count; i++) {
		start.ends[0] = i + 1 < count ? npipe_dup(0) : 0;
		child[i] = are_words ? nproc_spawn(start, count_words())
				     : nproc_spawn(start, count_records());
	}
	for (uint32_t i = 0; i < count; i++) {
		int64_t found = outcome_of(child[i]);

		if (found < 0)
			return found;
		total += found;
	}
	return total;
}
