/*
 * shared.c - bare shared memory: two slots of a message each, a count of what is there and one of
 * what was taken, PAUSE while waiting. No checks, no sleep, one size: what nothing can beat.
 */
#include <stdlib.h>
#include <string.h>

#include "bench/bulk/bulk.h"

enum {
	SLOTS = 2,
	MANY = 16 << 20, /* bytes of slots: rows with several links have no more */
};

struct way {
	_Alignas(64) uint64_t there; /* bytes of all messages */
	_Alignas(64) uint64_t taken; /* messages */
	_Alignas(64) unsigned char *slots;
};

struct end {
	struct way *out, *in;
	bool is_host;
	uint64_t sent, taken; /* messages */
};

/* All that there may be are made at once: a larger memory would be another one. */
static unsigned char *slots_of(enum bulk_use use, const struct bulk_link *link, size_t nbytes)
{
	const unsigned links = nbytes <= MANY ? BULK_LINKS : 1;

	return (unsigned char *)bulk_memory(use, links * nbytes) + link->index * nbytes;
}

static const char *open_link(struct bench_side *side, struct bulk_link *link)
{
	const size_t nbytes = SLOTS * side->row->nbytes;
	struct way *down = aligned_alloc(64, sizeof(*down)), *up = aligned_alloc(64, sizeof(*up));
	struct end *host = calloc(1, sizeof(*host)), *partner = calloc(1, sizeof(*partner));

	*down = (struct way){.slots = slots_of(BULK_DOWN, link, nbytes)};
	*up = (struct way){.slots = slots_of(BULK_UP, link, nbytes)};
	*host = (struct end){down, up, true, 0, 0};
	*partner = (struct end){up, down, false, 0, 0};
	link->host = host;
	link->partner = partner;
	return NULL;
}

static void close_link(struct bulk_link *link)
{
	struct end *host = link->host;

	free(host->out);
	free(host->in);
	free(host);
	free(link->partner);
}

static void wait_for(const uint64_t *count, uint64_t wanted)
{
	while (__atomic_load_n(count, __ATOMIC_ACQUIRE) < wanted)
		__builtin_ia32_pause();
}

static unsigned char *free_slot(struct end *end, size_t nbytes)
{
	if (end->sent >= SLOTS)
		wait_for(&end->out->taken, end->sent - SLOTS + 1);
	return end->out->slots + end->sent++ % SLOTS * nbytes;
}

static void send_copy(void *context, const struct bulk_kind *kind, size_t nbytes, uint64_t seed)
{
	struct end *end = context;
	void *bytes = bulk_memory(end->is_host ? BULK_HOST_SENDS : BULK_PARTNER_SENDS, nbytes);

	kind->make(bytes, nbytes, 0, seed);
	memcpy(free_slot(end, nbytes), bytes, nbytes);
	__atomic_store_n(&end->out->there, end->sent * nbytes, __ATOMIC_RELEASE);
}

static void send_in_place(void *context, const struct bulk_kind *kind, size_t nbytes, uint64_t seed)
{
	struct end *end = context;
	unsigned char *slot = free_slot(end, nbytes);
	const uint64_t before = (end->sent - 1) * nbytes;

	for (size_t from = 0; from < nbytes; from += BULK_STEP) {
		const size_t step = nbytes - from < BULK_STEP ? nbytes - from : BULK_STEP;

		kind->make(slot + from, step, from, seed);
		__atomic_store_n(&end->out->there, before + from + step, __ATOMIC_RELEASE);
	}
}

static uint64_t take_in_place(void *context, const struct bulk_kind *kind, size_t nbytes)
{
	struct end *end = context;
	const unsigned char *slot = end->in->slots + end->taken % SLOTS * nbytes;
	const uint64_t before = end->taken++ * nbytes;
	uint64_t sum = 0;

	for (size_t from = 0; from < nbytes; from += BULK_STEP) {
		const size_t step = nbytes - from < BULK_STEP ? nbytes - from : BULK_STEP;

		wait_for(&end->in->there, before + from + step);
		sum += kind->read(slot + from, step);
	}
	__atomic_store_n(&end->in->taken, end->taken, __ATOMIC_RELEASE);
	return sum;
}

static uint64_t take_copy(void *context, const struct bulk_kind *kind, size_t nbytes)
{
	struct end *end = context;
	const unsigned char *slot = end->in->slots + end->taken % SLOTS * nbytes;
	void *bytes = bulk_memory(end->is_host ? BULK_HOST_TAKES : BULK_PARTNER_TAKES, nbytes);

	end->taken++;
	wait_for(&end->in->there, end->taken * nbytes);
	memcpy(bytes, slot, nbytes);
	__atomic_store_n(&end->in->taken, end->taken, __ATOMIC_RELEASE);
	return kind->read(bytes, nbytes);
}

static const struct bulk_way in_place = {open_link, close_link, send_in_place, take_in_place, NULL};
static const struct bulk_way one = {open_link, close_link, send_copy, take_in_place, NULL};
static const struct bulk_way two = {open_link, close_link, send_copy, take_copy, NULL};

BULK_METHOD(bench_bulk_bare_in_place, in_place, "bare memory, in place", BULK_SAMPLE)
BULK_METHOD(bench_bulk_bare_one, one, "bare memory, one copy", BULK_SAMPLE)
BULK_METHOD(bench_bulk_bare_two, two, "bare memory, two copies", BULK_SAMPLE)
