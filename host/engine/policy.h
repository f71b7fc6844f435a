/*
 * policy.h - what the engine `auto` knows of time: how long the processor and DSA take for an
 * operation of some size, from published and measured costs at first, then from what it sees.
 */
#ifndef NEARSIDE_HOST_ENGINE_POLICY_H
#define NEARSIDE_HOST_ENGINE_POLICY_H

#include "host/engine.h"

enum {
	POLICY_CLASSES = 48, /* of sizes: powers of two */
	POLICY_ONE = 256,    /* the factor 1 */
	/* Shorter ones are the processor's, without a thought: thinking costs as much. */
	POLICY_MIN_NBYTES = 512,
	/* Longer ones are shared between both by a caller that waits. */
	POLICY_SPLIT_NBYTES = 256 * 1024,
	/* The way that seems slower is tried when that costs no more than 1 in so many ns. */
	POLICY_TRY_PART = 20,
};

struct policy {
	double cpu_ns_per_byte; /* before anything was seen */
	/* Of what the first guess says, times POLICY_ONE. */
	struct {
		uint32_t cpu, dsa;
		int64_t spent_ns; /* on the faster way, since the slower one was tried */
	} factors[NHOST_OP_COUNT][POLICY_CLASSES];
	uint32_t submit_ns; /* of the caller's time, for giving one operation to DSA */
	uint32_t waits;     /* how many of 256 operations a caller waits for */
};

void policy_start(struct policy *policy, double cpu_gb_s);

int64_t policy_cpu_ns(const struct policy *policy, enum nhost_op_kind kind, size_t nbytes);
int64_t policy_dsa_ns(const struct policy *policy, enum nhost_op_kind kind, size_t nbytes);

/* The caller waits for most of what it submits: time counts. Else its own work does. */
bool policy_caller_waits(const struct policy *policy);

/* NHOST_BY_CPU or NHOST_BY_DSA; queue_ns: what DSA has to do before. */
enum nhost_by policy_choose(
	struct policy *policy, enum nhost_op_kind kind, size_t nbytes, int64_t queue_ns);

/* Its parts can be done in any order, and give no result. */
bool policy_can_part(enum nhost_op_kind kind);

/* How many bytes, the first ones, DSA should do so that both end together; 0: no parting pays. */
size_t policy_cut(
	const struct policy *policy, enum nhost_op_kind kind, size_t nbytes, int64_t queue_ns);

void policy_saw_cpu(struct policy *policy, enum nhost_op_kind kind, size_t nbytes, int64_t took_ns);
void policy_saw_dsa(struct policy *policy, enum nhost_op_kind kind, size_t nbytes, int64_t took_ns);
void policy_saw_submit(struct policy *policy, int64_t took_ns);
void policy_saw_end(struct policy *policy, bool caller_waited);

/* From which size on DSA is chosen, when nothing lies before; SIZE_MAX: never. */
size_t policy_crossover(const struct policy *policy, enum nhost_op_kind kind);

#endif
