/* dsa.c - the engine of Intel DSA: opening, waiting, and what it says of itself. */
#include <errno.h>
#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/engine/dsa_job.h"
#include "host/wait.h"

enum {
	SPIN_NS = 20 * 1000, /* beyond what was expected; then others may have the processor */
	LONGEST_DOZE_NS = 1000 * 1000,
	FULL_NS = 5 * 1000, /* between tries of a full queue */
};

/* A caller may have moved its struct since the last call. */
static struct dsa_engine *enter(struct nhost_engine *engine)
{
	struct dsa_engine *dsa = engine->state;

	dsa->engine = engine;
	return dsa;
}

/* ---- waiting --------------------------------------------------------------------------------- */

static size_t dsa_poll(struct nhost_engine *engine)
{
	struct dsa_engine *dsa = enter(engine);
	size_t completed;

	dsa_jobs_step(dsa);
	completed = dsa->completed;
	dsa->completed = 0;
	return completed;
}

static bool all_done(const struct nhost_op *ops, size_t count)
{
	while (count && nhost_op_is_done(&ops[count - 1]))
		count--;
	return !count;
}

static int64_t earlier(int64_t a_ns, int64_t deadline_ns)
{
	return deadline_ns >= 0 && deadline_ns < a_ns ? deadline_ns : a_ns;
}

/*
 * Sleeps most of the time until the next completion is expected; when it is late, spins for a while
 * and then sleeps for a part of the time that it has been late.
 */
static void doze(const struct dsa_engine *dsa, int64_t deadline_ns)
{
	const struct dsa_job *job = dsa_jobs_next(dsa);
	int64_t now = nhost_clock_ns();
	int64_t late = job ? now - job->expected_ns : 0;

	if (!job)
		dsa_doze(dsa->instructions, NULL, earlier(now + FULL_NS, deadline_ns));
	else if (late < SPIN_NS)
		dsa_doze(dsa->instructions, dsa_job_status(job),
			earlier(late < 0 ? now - late * 3 / 4 : now + SPIN_NS / 8, deadline_ns));
	else if (late / 4 < LONGEST_DOZE_NS / 8)
		sched_yield();
	else
		dsa_doze(dsa->instructions, dsa_job_status(job),
			earlier(now + (late / 4 < LONGEST_DOZE_NS ? late / 4 : LONGEST_DOZE_NS),
				deadline_ns));
}

static int dsa_wait(
	struct nhost_engine *engine, struct nhost_op *ops, size_t count, int64_t timeout_ns)
{
	struct dsa_engine *dsa = enter(engine);
	int64_t deadline_ns = nhost_deadline_ns(timeout_ns);

	for (;;) {
		dsa_jobs_step(dsa);
		if (all_done(ops, count))
			break;
		if (deadline_ns >= 0 && nhost_clock_ns() >= deadline_ns)
			return -ETIMEDOUT;
		doze(dsa, deadline_ns);
	}
	dsa->completed = 0;
	return 0;
}

static int64_t dsa_due_ns(const struct nhost_engine *engine)
{
	const struct dsa_engine *dsa = engine->state;
	const struct dsa_job *job = dsa_jobs_next(dsa);
	int64_t left = job ? job->expected_ns - nhost_clock_ns() : FULL_NS;

	if (dsa->completed)
		return 0;
	if (dsa_jobs_are_idle(dsa))
		return -1;
	return left > FULL_NS ? left : FULL_NS;
}

static int dsa_submit(struct nhost_engine *engine, struct nhost_op *ops, size_t count)
{
	int result = ops_begin(ops, count);

	if (!result)
		dsa_jobs_add(enter(engine), ops, count);
	return result;
}

/* ---- open and close -------------------------------------------------------------------------- */

static bool is_wanted(const struct dsa_facts *facts, const char *queue)
{
	return facts->finding.state == DSA_USABLE && (!queue || !strcmp(queue, facts->name));
}

/* Opens the first that can be; its number, or -1. */
static int open_a_queue(
	struct dsa_queue *queue, struct dsa_found *found, const char *name, unsigned instructions)
{
	for (unsigned i = 0; i < found->count; i++)
		if (is_wanted(&found->queues[i], name) &&
			!dsa_queue_open(queue, &found->queues[i], instructions))
			return (int)i;
	return -1;
}

static int refuse(const struct dsa_found *found, const char *name, struct nhost_error *error)
{
	const struct dsa_finding *finding = &found->finding;

	for (unsigned i = 0; i < found->count; i++)
		if (!name || !strcmp(name, found->queues[i].name)) {
			finding = &found->queues[i].finding;
			return nhost_fail(error, ENODEV, "no DSA queue can be used; %s: %s%s%s",
				found->queues[i].name, finding->text,
				*finding->remedy ? "; try: " : "", finding->remedy);
		}
	return nhost_fail(error, ENODEV, "no DSA queue%s%s can be used: %s%s%s", name ? " " : "",
		name ? name : "", finding->text, *finding->remedy ? "; try: " : "",
		finding->remedy);
}

static unsigned least(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

static unsigned jobs_of(const struct dsa_facts *facts, unsigned depth)
{
	unsigned room = facts->size ? facts->size : 1;

	return least(least(depth ? depth : DSA_JOBS_DEFAULT, DSA_JOBS_MAX), room);
}

/* The driver takes no batches by write() for devices of the first version. */
static unsigned pieces_of(const struct dsa_facts *facts, const struct dsa_queue *queue)
{
	if (facts->max_batch < 2 || (!queue->portal && facts->version < 0x200))
		return 1;
	return least(DSA_PIECES_MAX, facts->max_batch);
}

static struct dsa_engine *make(struct nhost_engine *engine, struct dsa_found *found, int chosen,
	const struct dsa_queue *queue, const struct nhost_engine_options *options)
{
	const struct dsa_facts *facts = &found->queues[chosen];
	unsigned jobs = jobs_of(facts, options->depth);
	size_t nbytes = sizeof(struct dsa_engine) + jobs * sizeof(struct dsa_job);
	struct dsa_engine *dsa = aligned_alloc(64, (nbytes + 63) / 64 * 64);

	if (!dsa)
		return NULL;
	/* Also so that hardware finds all its pages. */
	memset(dsa, 0, nbytes);
	dsa->engine = engine;
	dsa->queue = *queue;
	dsa->facts = *facts;
	dsa->found = found;
	dsa->lost_ns = options->lost_ns > 0 ? options->lost_ns : NHOST_LOST_NS;
	dsa->job_count = jobs;
	dsa->pieces_max = pieces_of(facts, queue);
	dsa->pace = 256;
	return dsa;
}

static int dsa_open(struct nhost_engine *engine, const struct nhost_engine_options *options,
	struct nhost_error *error)
{
	unsigned instructions = options->instructions ? options->instructions : dsa_instructions();
	struct dsa_found *found = malloc(sizeof *found);
	struct dsa_engine *dsa = NULL;
	struct dsa_queue queue;
	int chosen;

	if (!found)
		return nhost_fail(error, ENOMEM, "no memory to look for DSA");
	dsa_find(found);
	chosen = open_a_queue(&queue, found, options->queue, instructions);
	if (chosen < 0) {
		int result = refuse(found, options->queue, error);

		free(found);
		return result;
	}
	dsa = make(engine, found, chosen, &queue, options);
	if (!dsa) {
		dsa_queue_close(&queue);
		free(found);
		return nhost_fail(error, ENOMEM, "no memory for descriptors");
	}
	dsa->instructions = instructions;
	engine->state = dsa;
	nhost_copy_facts();
	return 0;
}

static void dsa_close(struct nhost_engine *engine)
{
	struct dsa_engine *dsa = enter(engine);

	while (!dsa_jobs_are_idle(dsa)) {
		dsa_jobs_step(dsa);
		if (!dsa_jobs_are_idle(dsa))
			doze(dsa, -1);
	}
	dsa_queue_close(&dsa->queue);
	free(dsa->found);
	free(dsa);
}

/* ---- words ----------------------------------------------------------------------------------- */

static const char *way_in(const struct dsa_engine *dsa)
{
	if (dsa->queue.fd < 0)
		return "abandoned: the calling processor does it all";
	if (!dsa->queue.portal)
		return "write()";
	return dsa->queue.is_shared ? "ENQCMD" : "MOVDIR64B";
}

static void dsa_explain(const struct nhost_engine *engine, char *text, size_t nbytes)
{
	const struct dsa_engine *dsa = engine->state;
	const struct nhost_engine_counts *counts = &engine->counts;
	int length = snprintf(text, nbytes,
		"dsa: queue %s of %s, %s, by %s; %u descriptors at once, batches of %u, transfers of "
		"%" PRIu64 " bytes\n"
		"dsa: %" PRIu64 " operations, %" PRIu64 " bytes; of them %" PRIu64
		" bytes by the processor; %" PRIu64 " descriptors, %" PRIu64
		" page faults, %" PRIu64 " retries, %" PRIu64 " lost\n",
		dsa->facts.name, dsa->facts.device, dsa->facts.is_shared ? "shared" : "dedicated",
		way_in(dsa), dsa->job_count, dsa->pieces_max, dsa->facts.max_transfer, counts->ops,
		counts->bytes, counts->cpu_bytes, counts->descriptors, counts->faults,
		counts->retries, counts->lost);

	if (length > 0 && (size_t)length < nbytes && dsa->last_status)
		length += snprintf(text + length, nbytes - (size_t)length,
			"dsa: last bad record: status 0x%02x after %u bytes, address 0x%" PRIx64
			"\n",
			dsa->last_status, dsa->last_bytes, dsa->last_address);
	if (length > 0 && (size_t)length < nbytes && dsa->facts.finding.state == DSA_ABANDONED)
		length += snprintf(text + length, nbytes - (size_t)length, "dsa: %s; try: %s\n",
			dsa->facts.finding.text, dsa->facts.finding.remedy);
	if (length > 0 && (size_t)length < nbytes)
		nhost_dsa_explain(text + length, nbytes - (size_t)length);
}

const struct nhost_engine_ops dsa_engine = {
	.name = "dsa",
	.summary = "a queue of Intel DSA, the nearest that can be used",
	.open = dsa_open,
	.close = dsa_close,
	.submit = dsa_submit,
	.poll = dsa_poll,
	.wait = dsa_wait,
	.due_ns = dsa_due_ns,
	.explain = dsa_explain,
};
