/*
 * engine.h - copy engines: who moves bytes in bulk, and what else is done to many bytes at once.
 *
 * An engine is one const table: the processor that calls (`cpu`), a helper on another core
 * (`thread`), and so on. All take the same operations and give the same results to the bit.
 *
 *     nhost_engine_open("cpu", NULL, &engine, &error)
 *     nhost_copy_op(&op, to, from, nbytes)          the caller's memory until it is done
 *     engine.ops->submit(&engine, &op, 1)           also an array of them: scatter and gather
 *     ...                                           other work
 *     engine.ops->poll(&engine)                     takes what has been completed
 *     if (nhost_op_is_done(&op)) op.status, op.result
 *     or engine.ops->wait(&engine, &op, 1, -1)      synchronous is submit and wait
 *     nhost_engine_close(&engine)
 *
 * Nothing is allocated after open. One thread at a time uses an engine; another thread may look at
 * nhost_op_is_done() meanwhile. Operations of one engine that are under way at the same time run in
 * no order: none may read or write what another one writes.
 *
 * When an operation is done its writes are seen by who sees it done, and the engine has forgotten
 * it: the memory is the caller's again. No engine gives up an operation because its hardware fails:
 * the calling processor ends it, but for a copy within overlapping ranges (-EIO). An address that
 * the program itself must not touch is a SIGSEGV, as it would be with memcpy(). A child of fork()
 * opens engines of its own.
 */
#ifndef NEARSIDE_HOST_ENGINE_H
#define NEARSIDE_HOST_ENGINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct nhost_bell;
struct nhost_error;

enum nhost_op_kind {
	NHOST_COPY,    /* from -> to; the ranges may overlap, as for memmove() */
	NHOST_FILL,    /* to: the 8 bytes of pattern, again and again */
	NHOST_COMPARE, /* from with second; result: offset of the first difference, or nbytes */
	NHOST_COMPARE_PATTERN, /* from with the pattern; result: as NHOST_COMPARE */
	NHOST_CRC32C,       /* of from; result: the CRC, that continues the one in seed (0: none) */
	NHOST_COPY_CRC32C,  /* from -> to, no overlap; result: as NHOST_CRC32C */
	NHOST_DUALCAST,     /* from -> to and second, no overlap */
	NHOST_DELTA_CREATE, /* how second differs from `from`, into `to`; result: bytes of that */
	NHOST_DELTA_APPLY,  /* the record from, of record_nbytes, to the nbytes of to */
	NHOST_OP_COUNT
};

/*
 * A delta record is a sequence of entries, each the number of an 8-byte word (16 bits) and its new
 * 8 bytes. So its ranges are made of words and not longer than 65536 of them.
 */
enum {
	NHOST_DELTA_ENTRY = 10,
	NHOST_DELTA_MIN = 80, /* room for a record: at least, and a multiple of NHOST_DELTA_ENTRY */
	NHOST_DELTA_RANGE = 65536 * 8,
};

/* Where the bytes that are written should lie afterwards. */
enum nhost_near {
	NHOST_NEAR_BY_SIZE, /* in the cache if they are a small part of it */
	NHOST_IN_CACHE,     /* somebody reads them soon */
	NHOST_IN_MEMORY,    /* nobody reads them soon: what lies in the cache stays there */
};

/* Who is to do it, or did it. A wish is heard by the engine `auto` alone. */
enum nhost_by {
	NHOST_BY_ANY,
	NHOST_BY_CPU,
	NHOST_BY_THREAD,
	NHOST_BY_DSA,
	NHOST_BY_DSA_AND_CPU, /* DSA began and the processor ended it */
};

enum {
	NHOST_UNDER_WAY = 1, /* a status */
};

struct nhost_op {
	/* ---- filled in by the caller; all else 0 ---- */
	uint8_t kind; /* enum nhost_op_kind */
	uint8_t near; /* enum nhost_near */
	uint8_t wish; /* enum nhost_by */
	uint32_t seed;
	const void *from;
	void *to;
	void *second;
	uint64_t pattern;
	size_t nbytes;
	size_t record_nbytes; /* delta: room for a record, or its length */
	/* ---- filled in by the engine ---- */
	/*
	 * NHOST_UNDER_WAY, then for ever 0, or -ENOSPC: the differences do not fit into the record,
	 * whose bytes are of no use now; or -ERANGE: a record names a word that lies outside, or
	 * one not behind the word before; those before it are changed; or -EIO: hardware that did
	 * not answer may have moved a part of ranges that overlap, which cannot be done again.
	 */
	int32_t status;
	uint8_t by; /* enum nhost_by */
	uint64_t result;
	/* ---- the engine's own while it is under way ---- */
	struct nhost_op *next;
	size_t done_nbytes;
	uint64_t own[2];
	int64_t began_ns;
	void *holder;
};

static inline bool nhost_op_is_done(const struct nhost_op *op)
{
	return __atomic_load_n(&op->status, __ATOMIC_ACQUIRE) != NHOST_UNDER_WAY;
}

static inline void nhost_copy_op(struct nhost_op *op, void *to, const void *from, size_t nbytes)
{
	*op = (struct nhost_op){.kind = NHOST_COPY, .to = to, .from = from, .nbytes = nbytes};
}

/*
 * 0, or -EINVAL with words for what the operation asks and no engine can do: an unknown kind,
 * ranges that overlap where they must not, deltas of other than whole words. submit() asks this
 * itself.
 */
int nhost_op_check(const struct nhost_op *op, struct nhost_error *error);

/* ---- engines --------------------------------------------------------------------------------- */

/* All 0 is the default. */
struct nhost_engine_options {
	int processor;  /* of the helper of `thread`: number + 1; 0: the system chooses */
	unsigned depth; /* operations that hardware or a helper holds at once; 0: 64 */
	/*
	 * Armed by who listens to it; an engine that has somebody else do the work rings it after
	 * something has been completed. It outlives the engine.
	 */
	struct nhost_bell *bell;
	const char *queue;     /* of `dsa`, such as "wq0.1"; NULL: the nearest that can be used */
	bool hardware_wanted;  /* without hardware open() fails: no other engine steps in */
	unsigned instructions; /* 0: ask the processor; else enum dsa_instructions, for tests */
	int64_t lost_ns;       /* a completion that takes so long is lost; 0: NHOST_LOST_NS */
};

#define NHOST_LOST_NS 1000000000ll

struct nhost_engine_counts {
	uint64_t ops, bytes;   /* completed */
	uint64_t cpu_ops;      /* of them by the calling processor, whole or in part */
	uint64_t cpu_bytes;    /* that it moved */
	uint64_t descriptors;  /* given to hardware; batches count once */
	uint64_t faults;       /* pages that hardware did not find: the rest was the processor's */
	uint64_t retries;      /* a queue was full */
	uint64_t lost;         /* completions that did not come in time */
	uint64_t helper_wakes; /* of the helper of `thread` */
	uint64_t abandoned_queues; /* halted, vanished or lost: used no more */
};

struct nhost_engine_ops;

struct nhost_engine {
	const struct nhost_engine_ops *ops;
	void *state;
	struct nhost_engine_counts counts;
};

struct nhost_engine_ops {
	const char *name;
	const char *summary; /* one line for people */
	/* Fills state. On failure nothing is left. 0 or a negative errno with words. */
	int (*open)(struct nhost_engine *engine, const struct nhost_engine_options *options,
		struct nhost_error *error);
	/* Ends what is under way, then frees. */
	void (*close)(struct nhost_engine *engine);
	/*
	 * Takes all of them and never blocks for long: what does not fit into a queue waits in the
	 * engine. May complete some. -EINVAL: one of them fails nhost_op_check(); none is taken.
	 */
	int (*submit)(struct nhost_engine *engine, struct nhost_op *ops, size_t count);
	/*
	 * Does what can be done now: takes completions, hands on what waited. Returns how many have
	 * been completed since the last poll() or wait(); bounded work, whatever arrives meanwhile.
	 */
	size_t (*poll)(struct nhost_engine *engine);
	/*
	 * Until all of these are done: 0; or -ETIMEDOUT after timeout_ns (0: looks once; -1: for
	 * ever), when they stay under way. Sleeps where that pays.
	 */
	int (*wait)(struct nhost_engine *engine, struct nhost_op *ops, size_t count,
		int64_t timeout_ns);
	/*
	 * In how many ns poll() is worth a call: 0, at once; -1, nothing is under way, or the bell
	 * will ring. For timers of event loops.
	 */
	int64_t (*due_ns)(const struct nhost_engine *engine);
	/* Lines for people: what is used, what is not and why, what to type, and the counts. */
	void (*explain)(const struct nhost_engine *engine, char *text, size_t nbytes);
};

/* NULL-terminated; the first is the default. */
extern const struct nhost_engine_ops *const nhost_engines[];

/* 0, or -EINVAL with words: no engine has that name. NULL: the first of the table. */
int nhost_engine_check(const char *name, struct nhost_error *error);

/*
 * Opens by name. NULL: the first of the table; options NULL: defaults.
 * -EINVAL  no engine has that name (error lists them)
 * -ENOMEM -EAGAIN -ENODEV ...  as the engine's open() says in words
 */
int nhost_engine_open(const char *name, const struct nhost_engine_options *options,
	struct nhost_engine *engine, struct nhost_error *error);

/* NULL or never opened, all zero: nothing. */
void nhost_engine_close(struct nhost_engine *engine);

/* Submits and waits. */
int nhost_engine_run(struct nhost_engine *engine, struct nhost_op *ops, size_t count);

/* ---- by the calling processor ---------------------------------------------------------------- */

/* Does what is left of the operation after done_nbytes; fills in status and result. */
void nhost_op_by_cpu(struct nhost_op *op);

/* memmove() by the fastest way for this size. */
void nhost_copy(void *to, const void *from, size_t nbytes, enum nhost_near near);

uint32_t nhost_crc32c(uint32_t seed, const void *from, size_t nbytes);

/*
 * What there is of DSA now, for people, a line for each finding: which queue can be used and, if
 * not, why not and what to type. True: there is one.
 */
bool nhost_dsa_explain(char *text, size_t nbytes);

/* This processor has the instruction for mapped queues. */
bool nhost_dsa_can_map(void);

/* What was found out about this machine, once. */
struct nhost_copy_facts {
	size_t cache_nbytes;    /* of the last level; a guess where the system does not say */
	size_t lasts_nbytes;    /* written after a byte, they leave it in the cache; a guess */
	size_t stream_from;     /* copies of so many bytes go past the cache */
	size_t sample_nbytes;   /* the longest copy that was measured; 0: none could be */
	double libc_gb_s;       /* of that copy */
	double stream_gb_s;     /* of the same one, past the cache */
	const char *crc_method; /* for people */
};

const struct nhost_copy_facts *nhost_copy_facts(void);

#endif
