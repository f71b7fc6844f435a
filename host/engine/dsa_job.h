/*
 * dsa_job.h - what the engine `dsa` has under way.
 *
 *     op, op, op ...      a list: what has not been given to hardware, or not all of it
 *       |  cut into pieces by the queue's limits
 *     job job job ...     at most as many as the queue has room for; each is one descriptor, or a
 *       |                 batch of small ones
 *     records             written by hardware, the status byte last
 */
#ifndef NEARSIDE_HOST_ENGINE_DSA_JOB_H
#define NEARSIDE_HOST_ENGINE_DSA_JOB_H

#include "host/engine/dsa.h"

enum {
	DSA_PIECES_MAX = 32,           /* of a batch: more gain nothing */
	DSA_BATCH_NBYTES = 128 * 1024, /* of a batch: what is longer is not held up by others */
	DSA_JOBS_MAX = DSA_PORTAL_NBYTES / sizeof(struct dsa_hw_desc),
	DSA_JOBS_DEFAULT = DSA_JOBS_MAX,
};

struct dsa_job {
	_Alignas(64) struct dsa_hw_desc batch;
	_Alignas(64) struct dsa_hw_desc descriptors[DSA_PIECES_MAX];
	_Alignas(64) struct dsa_completion_record batch_record;
	_Alignas(64) struct dsa_completion_record records[DSA_PIECES_MAX];
	struct dsa_piece pieces[DSA_PIECES_MAX];
	unsigned count; /* 0: free */
	bool was_alone; /* when it began */
	int64_t began_ns;
	uint64_t nbytes;
	int64_t cost_ns;     /* with all that lay before it */
	int64_t expected_ns; /* by the clock */
};

struct dsa_engine {
	struct nhost_engine *engine; /* for its counts */
	struct dsa_queue queue;
	struct dsa_facts facts;
	struct dsa_found *found;
	unsigned instructions;
	int64_t lost_ns;
	uint32_t unsupported; /* bits: operations that this device does not know */
	struct nhost_op *first, *last;
	size_t completed; /* since the last poll */
	unsigned job_count, pieces_max;
	unsigned active;       /* jobs that hardware has */
	struct dsa_job *ready; /* made, but the queue is full */
	int64_t ready_since_ns;
	uint64_t bytes_ahead;   /* of jobs that hardware has */
	uint64_t bytes_waiting; /* of what is in the list */
	int64_t looked_ns;      /* at the records */
	int64_t asked_ns;       /* the device's files */
	uint64_t pace;          /* how much longer than expected it takes, times 256 */
	/* The last record that did not say "success", as it came. */
	uint8_t last_status;
	uint32_t last_bytes;
	uint64_t last_address;
	struct dsa_job jobs[];
};

/* Puts all of them into the list, or ends them where hardware cannot do them. */
void dsa_jobs_add(struct dsa_engine *dsa, struct nhost_op *ops, size_t count);

/* Takes what has been completed and gives hardware what it has room for. */
void dsa_jobs_step(struct dsa_engine *dsa);

/* Gives up the queue; the processor ends all that is under way. */
void dsa_jobs_abandon(struct dsa_engine *dsa);

/* The job that is expected to end first, or NULL. */
const struct dsa_job *dsa_jobs_next(const struct dsa_engine *dsa);

/* How long, by what was seen lately, what is there already will take. */
int64_t dsa_jobs_ahead_ns(const struct dsa_engine *dsa);

/* The byte that hardware stores last. */
const volatile uint8_t *dsa_job_status(const struct dsa_job *job);

static inline bool dsa_jobs_are_idle(const struct dsa_engine *dsa)
{
	return !dsa->active && !dsa->ready && !dsa->first;
}

#endif
