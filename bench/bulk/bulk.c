/* bulk.c - the workloads: a stream, questions and answers, and many senders. */
#include "bench/bulk/bulk.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum {
	SMALL = 8 << 10, /* a shorter message counts as so many bytes of a sample */
	HUGEPAGE = 2 << 20,
};

struct workload {
	const struct bulk_way *way;
	struct bulk_link links[BULK_LINKS];
	unsigned link_count;
};

static bool begins(const struct bench_row *row, const char *word)
{
	return strncmp(row->name, word, strlen(word)) == 0;
}

static uint64_t messages_of(const struct bench_side *side)
{
	const uint64_t nbytes = side->row->nbytes > SMALL ? side->row->nbytes : SMALL;

	return side->count > nbytes ? side->count / nbytes : 1;
}

/* ---- memory ---------------------------------------------------------------------------------- */

void *bulk_memory(enum bulk_use use, size_t nbytes)
{
	static struct {
		void *bytes;
		size_t nbytes;
	} memory[BULK_USES];
	const size_t whole = (nbytes + HUGEPAGE - 1) / HUGEPAGE * HUGEPAGE;

	if (memory[use].nbytes >= nbytes)
		return memory[use].bytes;
	memory[use].bytes = mmap(NULL, whole, PROT_READ | PROT_WRITE,
		(use >= BULK_DOWN ? MAP_SHARED : MAP_PRIVATE) | MAP_ANONYMOUS, -1, 0);
	if (memory[use].bytes == MAP_FAILED)
		bench_die("no memory of %zu bytes", whole);
	madvise(memory[use].bytes, whole, MADV_HUGEPAGE);
	memset(memory[use].bytes, 1, whole);
	madvise(memory[use].bytes, whole, 25 /* MADV_COLLAPSE, since Linux 6.1 */);
	memory[use].nbytes = whole;
	return memory[use].bytes;
}

/* ---- opening --------------------------------------------------------------------------------- */

void bulk_close(struct bench_side *side)
{
	struct workload *work = side->state;

	for (unsigned i = 0; i < work->link_count; i++)
		work->way->close(&work->links[i]);
	free(work);
}

const char *bulk_open(struct bench_side *side, const struct bulk_way *way)
{
	const unsigned wanted = begins(side->row, "bulk-many") ? BULK_LINKS : 1;
	struct workload *work = calloc(1, sizeof(*work));
	const char *absent = NULL;

	work->way = way;
	side->state = work;
	while (work->link_count < wanted && !absent) {
		struct bulk_link *link = &work->links[work->link_count];

		link->index = work->link_count;
		absent = way->open(side, link);
		work->link_count += !absent;
	}
	if (absent)
		bulk_close(side);
	return absent;
}

/* ---- one way --------------------------------------------------------------------------------- */

/* Messages of one sender come in its order; seeds are counted for each. */
static void drain(struct bench_side *side)
{
	struct workload *work = side->state;
	const struct bulk_kind *kind = bulk_kind_of(side->row);
	const uint64_t count = messages_of(side) * work->link_count;
	uint64_t seeds[BULK_LINKS] = {0};

	for (uint64_t i = 0; i < count; i++) {
		unsigned from = (unsigned)(i % work->link_count);
		uint64_t sum;

		if (work->way->find && work->link_count > 1)
			from = work->way->find(work->links, work->link_count);
		sum = work->way->take(work->links[from].partner, kind, side->row->nbytes);
		bench_check(side, sum == kind->sum(side->row->nbytes, seeds[from]++));
	}
}

static void measure_stream(struct bench_side *side)
{
	struct workload *work = side->state;
	const struct bulk_kind *kind = bulk_kind_of(side->row);
	const uint64_t count = messages_of(side);

	bench_partner_start(drain, side);
	bench_begin(side);
	for (uint64_t i = 0; i < count; i++)
		for (unsigned to = 0; to < work->link_count; to++)
			work->way->send(work->links[to].host, kind, side->row->nbytes, i);
	bench_partner_join();
	bench_end(side, count * work->link_count);
}

/* ---- questions and answers ------------------------------------------------------------------- */

static void answer(struct bench_side *side)
{
	struct workload *work = side->state;
	const struct bulk_kind *kind = bulk_kind_of(side->row);
	const size_t nbytes = side->row->nbytes;
	void *end = work->links[0].partner;
	uint64_t sum;

	for (uint64_t i = 0; i < messages_of(side); i++) {
		sum = work->way->take(end, kind, nbytes);
		bench_check(side, sum == kind->sum(nbytes, i));
		work->way->send(end, kind, nbytes, i + 1);
	}
}

static void measure_ask(struct bench_side *side)
{
	struct workload *work = side->state;
	const struct bulk_kind *kind = bulk_kind_of(side->row);
	const size_t nbytes = side->row->nbytes;
	const uint64_t count = messages_of(side);
	void *end = work->links[0].host;
	uint64_t sum;

	bench_partner_start(answer, side);
	bench_begin(side);
	for (uint64_t i = 0; i < count; i++) {
		work->way->send(end, kind, nbytes, i);
		sum = work->way->take(end, kind, nbytes);
		bench_check(side, sum == kind->sum(nbytes, i + 1));
		bench_lap(side);
	}
	bench_end(side, count);
	bench_partner_join();
}

void bulk_measure(struct bench_side *side)
{
	if (begins(side->row, "bulk-ask") || begins(side->row, "bulk-small") ||
		begins(side->row, "bulk-ping"))
		measure_ask(side);
	else
		measure_stream(side);
}
