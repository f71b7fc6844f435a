/*
 * bulk.h - rows about messages between two programs, from 64 bytes to 256 MB.
 *
 * A way brings messages from one thread to another, in both directions. Whatever the way, the
 * producer makes the bytes of each message afresh and the consumer reads every one, and its sum is
 * checked. Which workload is measured, and what the messages are made of, the row's name says
 * (bulk.c, kinds.c).
 *
 * The two sides are threads of one program on two processors. They share what the ways do not use:
 * a page table. What they exchange goes through the same calls and memory as between two programs.
 */
#ifndef NEARSIDE_BENCH_BULK_BULK_H
#define NEARSIDE_BENCH_BULK_BULK_H

#include "bench/bench.h"

/* What messages are made of. Pieces begin at multiples of 64. */
struct bulk_kind {
	const char *name; /* begins the names of its rows */
	void (*make)(void *bytes, size_t nbytes, size_t offset, uint64_t seed);
	uint64_t (*read)(const void *bytes, size_t nbytes);
	/* What read() gives in all for a message of this seed. */
	uint64_t (*sum)(size_t nbytes, uint64_t seed);
};

const struct bulk_kind *bulk_kind_of(const struct bench_row *row);

enum {
	BULK_LINKS = 4,        /* of many-to-one */
	BULK_STEP = 256 << 10, /* what is made in place and read in place goes on in such steps */
};

/* Two ends that are connected. */
struct bulk_link {
	void *host, *partner;
	unsigned index; /* of the links of a method */
};

struct bulk_way {
	/* NULL or why not. */
	const char *(*open)(struct bench_side *side, struct bulk_link *link);
	void (*close)(struct bulk_link *link);
	/* One message; waits. */
	void (*send)(void *end, const struct bulk_kind *kind, size_t nbytes, uint64_t seed);
	/* One message; its sum. */
	uint64_t (*take)(void *end, const struct bulk_kind *kind, size_t nbytes);
	/* Of these partner ends, one that has a message. NULL: they take turns. */
	unsigned (*find)(struct bulk_link *links, unsigned count);
};

/* The workload of the row, over this way. */
const char *bulk_open(struct bench_side *side, const struct bulk_way *way);
void bulk_measure(struct bench_side *side);
void bulk_close(struct bench_side *side);

/*
 * Memory of this program's sides, one for each use: all ways of a row have the same, because only
 * one is measured at a time. In huge pages, where there are some.
 */
enum bulk_use {
	BULK_HOST_SENDS,
	BULK_HOST_TAKES,
	BULK_PARTNER_SENDS,
	BULK_PARTNER_TAKES,
	BULK_DOWN, /* shared */
	BULK_UP,
	BULK_USES
};

void *bulk_memory(enum bulk_use use, size_t nbytes);

enum {
	/* Bytes of a sample; of what takes longer fewer. */
	BULK_SAMPLE = 64 << 20,
	BULK_PEER_SAMPLE = 8 << 20
};

/* A method over a way. */
#define BULK_METHOD(symbol, way, name, sample)                    \
	static const char *symbol##_open(struct bench_side *side) \
	{                                                         \
		return bulk_open(side, &(way));                   \
	}                                                         \
	const struct bench_method symbol = {name, sample, symbol##_open, bulk_measure, bulk_close};

/* near.c */
extern const struct bench_method bench_bulk_copy, bench_bulk_cpu, bench_bulk_thread, bench_bulk_dsa;
extern const struct bench_method bench_bulk_dsa_model, bench_bulk_dsa_published;
extern const struct bench_method bench_bulk_whole, bench_bulk_pipelined, bench_bulk_async;
extern const struct bench_method bench_bulk_memory;
extern const struct bench_method bench_bulk_two_copies, bench_bulk_in_place;
/* shared.c */
extern const struct bench_method bench_bulk_bare_in_place, bench_bulk_bare_one, bench_bulk_bare_two;
/* kernel.c */
extern const struct bench_method bench_bulk_pipe, bench_bulk_unix, bench_bulk_vmsplice;
extern const struct bench_method bench_bulk_readv;
/* zmq.c, nng.c */
extern const struct bench_method bench_bulk_zmq, bench_bulk_nng;
/* ends.c */
extern const struct bench_method bench_bulk_idle, bench_bulk_death;

#endif
