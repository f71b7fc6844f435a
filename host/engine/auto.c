/*
 * auto.c - the engine that chooses: the processor, DSA, or both for parts of one operation, by what
 * it has learnt (policy.h); or whom the operation itself wishes for.
 *
 *     submit()  chooses for each operation; the processor's are done at once
 *     wait()    learns how long DSA took, and that this caller waits
 *     poll()    learns that it does not
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/engine/dsa_job.h"
#include "host/engine/policy.h"
#include "host/wait.h"

enum {
	PAGE = 4096,
	PARTS = 32, /* operations that are parted at the same time, at most */
	PATIENCE_NS =
		200 * 1000, /* with one engine, while another one has work for this caller, too */
};

/* The part of an operation that DSA does; the rest was done by the processor before. */
struct part {
	struct nhost_op op;
	struct nhost_op *whole; /* NULL: free */
};

struct chooser {
	struct policy policy;
	struct nhost_engine dsa;    /* ops NULL: there is none */
	struct nhost_engine helper; /* as soon as an operation wishes for it */
	struct nhost_engine_options options;
	struct nhost_error no_dsa, no_helper;
	size_t completed; /* since the last poll, by the processor */
	uint64_t parted;
	unsigned parts_open;
	struct part parts[PARTS];
};

/* ---- choosing -------------------------------------------------------------------------------- */

static int64_t queue_ns(const struct chooser *chooser)
{
	const struct dsa_engine *dsa = chooser->dsa.state;

	return dsa_jobs_are_idle(dsa) ? 0 : dsa_jobs_ahead_ns(dsa);
}

static bool overlaps(const struct nhost_op *op)
{
	return op->kind == NHOST_COPY && ranges_overlap(op->from, op->to, op->nbytes);
}

static bool has_dsa(const struct chooser *chooser)
{
	return chooser->dsa.ops && !chooser->dsa.counts.abandoned_queues;
}

static bool has_helper(struct chooser *chooser)
{
	if (!chooser->helper.ops && !*chooser->no_helper.text &&
		nhost_engine_open(
			"thread", &chooser->options, &chooser->helper, &chooser->no_helper))
		chooser->helper.ops = NULL;
	return chooser->helper.ops;
}

/* Ranges that overlap are never left to hardware that might not answer. */
static enum nhost_by choose(struct chooser *chooser, const struct nhost_op *op)
{
	enum nhost_by wish = (enum nhost_by)op->wish;

	if (wish == NHOST_BY_THREAD && has_helper(chooser))
		return NHOST_BY_THREAD;
	if (!has_dsa(chooser) || wish == NHOST_BY_CPU || wish == NHOST_BY_THREAD || overlaps(op))
		return NHOST_BY_CPU;
	if (wish != NHOST_BY_ANY)
		return wish;
	return policy_choose(
		&chooser->policy, (enum nhost_op_kind)op->kind, op->nbytes, queue_ns(chooser));
}

/* How much of it DSA should do: 0, nothing is parted. */
static size_t cut_of(const struct chooser *chooser, const struct nhost_op *op, enum nhost_by by)
{
	if (by == NHOST_BY_DSA_AND_CPU)
		return policy_can_part((enum nhost_op_kind)op->kind) ? op->nbytes / 2 / PAGE * PAGE
								     : 0;
	if (!has_dsa(chooser) || op->wish != NHOST_BY_ANY || overlaps(op) ||
		!policy_caller_waits(&chooser->policy) || op->nbytes < POLICY_SPLIT_NBYTES)
		return 0;
	return policy_cut(
		&chooser->policy, (enum nhost_op_kind)op->kind, op->nbytes, queue_ns(chooser));
}

/* ---- doing ----------------------------------------------------------------------------------- */

static void by_cpu(struct nhost_engine *engine, struct nhost_op *op)
{
	struct chooser *chooser = engine->state;
	bool is_seen = op->nbytes >= POLICY_MIN_NBYTES && chooser->dsa.ops;
	enum nhost_op_kind kind = (enum nhost_op_kind)op->kind;
	size_t nbytes = op->nbytes;
	int64_t began = is_seen ? nhost_clock_ns() : 0;

	nhost_op_by_cpu(op);
	if (is_seen)
		policy_saw_cpu(&chooser->policy, kind, nbytes, nhost_clock_ns() - began);
	chooser->completed++;
	engine->counts.ops++;
	engine->counts.cpu_ops++;
	engine->counts.bytes += nbytes;
	engine->counts.cpu_bytes += nbytes;
}

static void by_engine(struct nhost_engine *engine, struct nhost_engine *who, struct nhost_op *op)
{
	struct chooser *chooser = engine->state;
	int64_t began = nhost_clock_ns();

	engine->counts.ops++;
	engine->counts.bytes += op->nbytes;
	op->holder = who;
	op->began_ns = began;
	who->ops->submit(who, op, 1);
	if (who == &chooser->dsa)
		policy_saw_submit(&chooser->policy, nhost_clock_ns() - began);
}

static struct part *free_part(struct chooser *chooser)
{
	for (unsigned i = 0; i < PARTS && chooser->parts_open < PARTS; i++)
		if (!chooser->parts[i].whole)
			return &chooser->parts[i];
	return NULL;
}

static struct nhost_op tail_of(const struct nhost_op *op, size_t cut)
{
	struct nhost_op tail = *op;

	tail.done_nbytes = cut;
	return tail;
}

/* DSA has the first bytes; meanwhile the processor does the others. False: no part is free. */
static bool by_both(struct nhost_engine *engine, struct nhost_op *op, size_t cut)
{
	struct chooser *chooser = engine->state;
	struct part *part = free_part(chooser);
	struct nhost_op tail;

	if (!part)
		return false;
	part->op = *op;
	part->op.nbytes = cut;
	part->whole = op;
	chooser->parts_open++;
	chooser->parted++;
	by_engine(engine, &chooser->dsa, &part->op);
	op->holder = part;
	tail = tail_of(op, cut);
	op_rest(&tail);
	engine->counts.bytes += op->nbytes - cut;
	engine->counts.cpu_bytes += op->nbytes - cut;
	return true;
}

static bool is_part(const struct chooser *chooser, const void *holder)
{
	return (uintptr_t)holder >= (uintptr_t)chooser->parts &&
	       (uintptr_t)holder < (uintptr_t)(chooser->parts + PARTS);
}

/* Ends the operations whose part DSA has done. */
static void settle(struct chooser *chooser)
{
	for (unsigned i = 0; i < PARTS && chooser->parts_open; i++) {
		struct part *part = &chooser->parts[i];
		struct nhost_op *whole = part->whole;

		if (!whole || !nhost_op_is_done(&part->op))
			continue;
		part->whole = NULL;
		chooser->parts_open--;
		whole->by = part->op.by == NHOST_BY_CPU ? NHOST_BY_CPU : NHOST_BY_DSA_AND_CPU;
		op_end(whole, part->op.status);
	}
}

static int auto_submit(struct nhost_engine *engine, struct nhost_op *ops, size_t count)
{
	struct chooser *chooser = engine->state;
	int result = ops_begin(ops, count);

	for (size_t i = 0; i < count && !result; i++) {
		struct nhost_op *op = &ops[i];
		enum nhost_by by = choose(chooser, op);
		size_t cut = cut_of(chooser, op, by);

		op->holder = NULL;
		if (cut && by_both(engine, op, cut))
			continue;
		if (by == NHOST_BY_THREAD)
			by_engine(engine, &chooser->helper, op);
		else if (by == NHOST_BY_CPU)
			by_cpu(engine, op);
		else
			by_engine(engine, &chooser->dsa, op);
	}
	return result;
}

/* ---- waiting --------------------------------------------------------------------------------- */

static void take_counts(struct nhost_engine *engine)
{
	const struct chooser *chooser = engine->state;
	const struct nhost_engine_counts *dsa = &chooser->dsa.counts;

	engine->counts.descriptors = dsa->descriptors;
	engine->counts.faults = dsa->faults;
	engine->counts.retries = dsa->retries;
	engine->counts.lost = dsa->lost;
	engine->counts.abandoned_queues = dsa->abandoned_queues;
	engine->counts.helper_wakes = chooser->helper.counts.helper_wakes;
}

/* How many DSA and the helper have completed. */
static size_t poll_engines(struct chooser *chooser)
{
	size_t count = 0;

	if (chooser->dsa.ops)
		count += chooser->dsa.ops->poll(&chooser->dsa);
	if (chooser->helper.ops)
		count += chooser->helper.ops->poll(&chooser->helper);
	settle(chooser);
	return count;
}

static size_t auto_poll(struct nhost_engine *engine)
{
	struct chooser *chooser = engine->state;
	size_t by_others = poll_engines(chooser);
	size_t count = chooser->completed + by_others;

	chooser->completed = 0;
	for (size_t i = 0; i < by_others; i++)
		policy_saw_end(&chooser->policy, false);
	take_counts(engine);
	return count;
}

/* One that is not done, by who has it. */
static int wait_for(struct chooser *chooser, struct nhost_op *op, int64_t timeout_ns)
{
	struct part *part = is_part(chooser, op->holder) ? op->holder : NULL;
	struct nhost_engine *who = part ? &chooser->dsa : op->holder;
	struct nhost_op *awaited = part ? &part->op : op;
	enum nhost_op_kind kind = (enum nhost_op_kind)awaited->kind;
	bool is_shared = chooser->dsa.ops && chooser->helper.ops;
	int64_t began = awaited->began_ns, patience = timeout_ns;
	size_t nbytes = awaited->nbytes;

	if (is_shared && (timeout_ns < 0 || timeout_ns > PATIENCE_NS))
		patience = PATIENCE_NS;
	if (who->ops->wait(who, awaited, 1, patience))
		return -ETIMEDOUT;
	if (who == &chooser->dsa && awaited->by == NHOST_BY_DSA)
		policy_saw_dsa(&chooser->policy, kind, nbytes, nhost_clock_ns() - began);
	policy_saw_end(&chooser->policy, true);
	return 0;
}

static int auto_wait(
	struct nhost_engine *engine, struct nhost_op *ops, size_t count, int64_t timeout_ns)
{
	struct chooser *chooser = engine->state;
	int64_t deadline_ns = nhost_deadline_ns(timeout_ns);

	poll_engines(chooser);
	for (size_t i = 0; i < count;) {
		int64_t left = deadline_ns < 0 ? -1 : deadline_ns - nhost_clock_ns();

		if (nhost_op_is_done(&ops[i])) {
			i++;
			continue;
		}
		wait_for(chooser, &ops[i], left < 0 && deadline_ns >= 0 ? 0 : left);
		poll_engines(chooser);
		if (deadline_ns >= 0 && left <= 0 && !nhost_op_is_done(&ops[i]))
			return -ETIMEDOUT;
	}
	chooser->completed = 0;
	take_counts(engine);
	return 0;
}

static int64_t sooner(int64_t a_ns, int64_t b_ns)
{
	return a_ns < 0 || (b_ns >= 0 && b_ns < a_ns) ? b_ns : a_ns;
}

static int64_t auto_due_ns(const struct nhost_engine *engine)
{
	const struct chooser *chooser = engine->state;
	int64_t due = chooser->completed ? 0 : -1;

	if (chooser->dsa.ops)
		due = sooner(due, chooser->dsa.ops->due_ns(&chooser->dsa));
	if (chooser->helper.ops)
		due = sooner(due, chooser->helper.ops->due_ns(&chooser->helper));
	return due;
}

/* ---- open, close, words ---------------------------------------------------------------------- */

static int auto_open(struct nhost_engine *engine, const struct nhost_engine_options *options,
	struct nhost_error *error)
{
	struct chooser *chooser = calloc(1, sizeof *chooser);
	int result;

	if (!chooser)
		return nhost_fail(error, ENOMEM, "no memory for what is to be learnt");
	chooser->options = *options;
	result = nhost_engine_open("dsa", options, &chooser->dsa, &chooser->no_dsa);
	if (result && options->hardware_wanted) {
		*error = chooser->no_dsa;
		free(chooser);
		return result;
	}
	policy_start(&chooser->policy, nhost_copy_facts()->libc_gb_s);
	engine->state = chooser;
	return 0;
}

static void auto_close(struct nhost_engine *engine)
{
	struct chooser *chooser = engine->state;

	nhost_engine_close(&chooser->dsa);
	nhost_engine_close(&chooser->helper);
	settle(chooser);
	free(chooser);
}

static size_t put(size_t at, size_t nbytes, int written)
{
	return written < 0 || at + (size_t)written >= nbytes ? nbytes - 1 : at + (size_t)written;
}

static void auto_explain(const struct nhost_engine *engine, char *text, size_t nbytes)
{
	const struct chooser *chooser = engine->state;
	size_t crossover = policy_crossover(&chooser->policy, NHOST_COPY);
	size_t at = put(0, nbytes,
		snprintf(text, nbytes,
			"auto: %" PRIu64 " operations, %" PRIu64 " bytes, of them %" PRIu64
			" bytes by the calling processor; %" PRIu64 " were parted\n",
			engine->counts.ops, engine->counts.bytes, engine->counts.cpu_bytes,
			chooser->parted));

	if (!chooser->dsa.ops) {
		snprintf(text + at, nbytes - at,
			"auto: the calling processor does everything: %s\n", chooser->no_dsa.text);
		return;
	}
	at = put(at, nbytes,
		snprintf(text + at, nbytes - at, "auto: the caller %s; copies by DSA %s",
			policy_caller_waits(&chooser->policy) ? "waits"
							      : "does other work meanwhile",
			crossover == SIZE_MAX ? "never seem worth it\n" : "seem worth it from "));
	if (crossover != SIZE_MAX)
		at = put(at, nbytes, snprintf(text + at, nbytes - at, "%zu bytes on\n", crossover));
	chooser->dsa.ops->explain(&chooser->dsa, text + at, nbytes - at);
}

const struct nhost_engine_ops auto_engine = {
	.name = "auto",
	.summary = "the calling processor or DSA or both, by what is faster",
	.open = auto_open,
	.close = auto_close,
	.submit = auto_submit,
	.poll = auto_poll,
	.wait = auto_wait,
	.due_ns = auto_due_ns,
	.explain = auto_explain,
};
