#include "host/engine/dsa_job.h"

#include <errno.h>
#include <string.h>

#include "host/wait.h"

enum {
	/* What is published of a copy: 1.0 to 1.3 us, and 28 to 29 ns for each 1024 bytes. */
	COST_NS = 1150,
	COST_NS_PER_1024_KIB = 29184,
	PACE_ONE = 256,
	PACE_MAX = PACE_ONE * 1024,
	OVERDUE_NS = 2 * 1000 * 1000, /* then the device is asked whether it is well */
	WAY_SHIFT = 32, /* own[1] of an operation: its way, and below it its status so far */
};

static bool is_chain(const struct nhost_op *op)
{
	return op->own[1] >> WAY_SHIFT == DSA_CHAIN;
}

static int status_of(const struct nhost_op *op)
{
	return (int)(uint32_t)op->own[1];
}

static void keep_status(struct nhost_op *op, int status)
{
	if (status && !status_of(op))
		op->own[1] |= (uint32_t)status;
}

/* ---- the list -------------------------------------------------------------------------------- */

static void put_last(struct dsa_engine *dsa, struct nhost_op *op)
{
	op->next = NULL;
	if (dsa->first)
		dsa->last->next = op;
	else
		dsa->first = op;
	dsa->last = op;
}

int64_t dsa_jobs_ahead_ns(const struct dsa_engine *dsa)
{
	uint64_t nbytes = dsa->bytes_ahead + dsa->bytes_waiting;

	return (int64_t)(nbytes * COST_NS_PER_1024_KIB / (1024 * 1024) * dsa->pace / PACE_ONE);
}

static void put_first(struct dsa_engine *dsa, struct nhost_op *op)
{
	op->next = dsa->first;
	if (!dsa->first)
		dsa->last = op;
	dsa->first = op;
}

/* The next piece of the first one, which leaves the list with its last piece, or as a chain. */
static void take_piece(struct dsa_engine *dsa, struct dsa_piece *piece)
{
	struct nhost_op *op = dsa->first;
	size_t left = op->nbytes - op->done_nbytes;
	/* Patterns begin anew in each piece. */
	size_t most = dsa->facts.max_transfer / 64 * 64;

	*piece = (struct dsa_piece){op, op->done_nbytes, left < most ? left : most};
	op->done_nbytes += piece->nbytes;
	dsa->bytes_waiting -= piece->nbytes;
	op->own[0]++;
	if (op->done_nbytes == op->nbytes || is_chain(op))
		dsa->first = op->next;
}

/* ---- ends ------------------------------------------------------------------------------------ */

static void count_end(struct dsa_engine *dsa, struct nhost_op *op, size_t cpu_bytes)
{
	dsa->completed++;
	dsa->engine->counts.ops++;
	dsa->engine->counts.bytes += op->nbytes;
	dsa->engine->counts.cpu_bytes += cpu_bytes;
	if (op->by != NHOST_BY_DSA)
		dsa->engine->counts.cpu_ops++;
}

static void end_whole_by_cpu(struct dsa_engine *dsa, struct nhost_op *op)
{
	size_t cpu_bytes = op->nbytes;
	int status = op_rest(op);

	op->by = NHOST_BY_CPU;
	count_end(dsa, op, cpu_bytes);
	op_end(op, status);
}

static void note_doer(struct nhost_op *op, const struct dsa_piece *piece, size_t cpu_bytes)
{
	enum nhost_by by = !cpu_bytes                  ? NHOST_BY_DSA
			   : cpu_bytes < piece->nbytes ? NHOST_BY_DSA_AND_CPU
						       : NHOST_BY_CPU;

	op->by = (uint8_t)(op->by == NHOST_BY_ANY || op->by == by ? by : NHOST_BY_DSA_AND_CPU);
}

static void note_record(struct dsa_engine *dsa, const struct dsa_completion_record *record,
	struct dsa_outcome *outcome)
{
	if (outcome->is_fault)
		dsa->engine->counts.faults++;
	if ((record->status & DSA_COMP_STATUS_MASK) <= DSA_COMP_SUCCESS)
		return;
	dsa->last_status = record->status;
	dsa->last_bytes = record->bytes_completed;
	dsa->last_address = record->fault_addr;
}

/* What hardware never answered for may have moved in part: a second time would move other bytes. */
static bool must_not_be_repeated(const struct dsa_piece *piece, bool was_given)
{
	uintptr_t from = (uintptr_t)piece->op->from, to = (uintptr_t)piece->op->to;

	return was_given && piece->op->kind == NHOST_COPY &&
	       (from < to ? to - from : from - to) < piece->op->nbytes;
}

static void end_piece(struct dsa_engine *dsa, const struct dsa_piece *piece,
	const struct dsa_completion_record *in_memory, bool was_given)
{
	struct dsa_completion_record record;
	struct dsa_outcome outcome = {0};
	struct nhost_op *op = piece->op;

	memcpy(&record, (const void *)in_memory, sizeof record);
	if (!record.status && must_not_be_repeated(piece, was_given))
		keep_status(op, -EIO);
	else
		keep_status(op, dsa_conclude(piece, &record, &outcome));
	note_record(dsa, &record, &outcome);
	note_doer(op, piece, outcome.cpu_bytes);
	if (outcome.is_unsupported)
		dsa->unsupported |= 1u << op->kind;
	dsa->engine->counts.cpu_bytes += outcome.cpu_bytes;
	op->own[0]--;
	if (op->done_nbytes < op->nbytes && is_chain(op)) {
		put_first(dsa, op);
	} else if (!op->own[0] && op->done_nbytes == op->nbytes) {
		count_end(dsa, op, 0);
		op_end(op, status_of(op));
	}
}

const volatile uint8_t *dsa_job_status(const struct dsa_job *job)
{
	return job->count == 1 ? &job->records[0].status : &job->batch_record.status;
}

static bool is_completed(const struct dsa_job *job)
{
	return __atomic_load_n((const uint8_t *)(uintptr_t)dsa_job_status(job), __ATOMIC_ACQUIRE);
}

/*
 * Learns from jobs that had the queue for themselves. When a job ended is known no better than that
 * it was between two looks; half-way is what makes too long a sleep shorter the next time.
 */
static void note_time(struct dsa_engine *dsa, const struct dsa_job *job, int64_t now_ns)
{
	int64_t looked = dsa->looked_ns > job->began_ns ? dsa->looked_ns : job->began_ns;
	int64_t took = (looked + now_ns) / 2 - job->began_ns;
	uint64_t pace = took > 0 ? (uint64_t)took * PACE_ONE / (uint64_t)job->cost_ns : PACE_ONE;

	if (!job->was_alone)
		return;
	pace = pace > PACE_MAX ? PACE_MAX : pace;
	dsa->pace = (7 * dsa->pace + pace) / 8;
}

static void end_job(struct dsa_engine *dsa, struct dsa_job *job, bool was_given)
{
	unsigned count = job->count;

	job->count = 0;
	for (unsigned i = 0; i < count; i++)
		end_piece(dsa, &job->pieces[i], &job->records[i], was_given);
}

/* ---- beginnings ------------------------------------------------------------------------------ */

static struct dsa_job *free_job(struct dsa_engine *dsa)
{
	for (unsigned i = 0; i < dsa->job_count; i++)
		if (!dsa->jobs[i].count)
			return &dsa->jobs[i];
	return NULL;
}

static void describe_batch(struct dsa_job *job)
{
	memset(&job->batch, 0, sizeof job->batch);
	memset((void *)&job->batch_record, 0, sizeof job->batch_record);
	job->batch.flags = IDXD_OP_FLAG_CRAV | IDXD_OP_FLAG_RCR;
	job->batch.opcode = DSA_OPCODE_BATCH;
	job->batch.completion_addr = (uintptr_t)&job->batch_record;
	job->batch.desc_list_addr = (uintptr_t)job->descriptors;
	job->batch.desc_count = job->count;
}

static void fill_job(struct dsa_engine *dsa, struct dsa_job *job)
{
	job->nbytes = 0;
	while (dsa->first && job->count < dsa->pieces_max && job->nbytes < DSA_BATCH_NBYTES) {
		struct dsa_piece *piece = &job->pieces[job->count];

		take_piece(dsa, piece);
		dsa_describe(piece, &dsa->facts, &job->descriptors[job->count],
			&job->records[job->count]);
		job->nbytes += piece->nbytes;
		job->count++;
	}
	if (job->count > 1)
		describe_batch(job);
}

/* Jobs overlap but for the bytes that the memory has to deliver. */
static int64_t cost_ns(uint64_t nbytes)
{
	return COST_NS + (int64_t)(nbytes * COST_NS_PER_1024_KIB / (1024 * 1024));
}

static void note_begin(struct dsa_engine *dsa, struct dsa_job *job)
{
	job->began_ns = nhost_clock_ns();
	job->was_alone = !dsa->active;
	dsa->bytes_ahead += job->nbytes;
	job->cost_ns = cost_ns(dsa->bytes_ahead);
	job->expected_ns = job->began_ns + job->cost_ns * (int64_t)dsa->pace / PACE_ONE;
	dsa->active++;
	dsa->engine->counts.descriptors++;
}

/* True: hardware took it. False: the queue is full, or has been abandoned. */
static bool begin(struct dsa_engine *dsa, struct dsa_job *job)
{
	int result =
		dsa_queue_put(&dsa->queue, job->count == 1 ? &job->descriptors[0] : &job->batch);

	if (!result) {
		dsa->ready = NULL;
		note_begin(dsa, job);
		return true;
	}
	if (!dsa->ready)
		dsa->ready_since_ns = nhost_clock_ns();
	dsa->ready = job;
	dsa->engine->counts.retries++;
	if (result == -EAGAIN && nhost_clock_ns() - dsa->ready_since_ns < dsa->lost_ns)
		return false;
	dsa_finding_set(&dsa->facts.finding, DSA_ABANDONED, "dmesg | grep idxd",
		result == -EAGAIN ? "the queue stayed full" : "the queue takes no descriptors: %s",
		strerror(-result));
	dsa_jobs_abandon(dsa);
	return false;
}

static void give(struct dsa_engine *dsa)
{
	struct dsa_job *job;

	if (dsa->ready && !begin(dsa, dsa->ready))
		return;
	while (dsa->first && dsa->queue.fd >= 0 && (job = free_job(dsa))) {
		fill_job(dsa, job);
		if (!begin(dsa, job))
			return;
	}
}

void dsa_jobs_add(struct dsa_engine *dsa, struct nhost_op *ops, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct nhost_op *op = &ops[i];
		enum dsa_way way = dsa_way_of(op, &dsa->facts);

		if (way == DSA_BY_CPU || dsa->queue.fd < 0 || dsa->unsupported & 1u << op->kind) {
			end_whole_by_cpu(dsa, op);
			continue;
		}
		op->own[0] = 0;
		op->own[1] = (uint64_t)way << WAY_SHIFT;
		if (op->kind == NHOST_COMPARE || op->kind == NHOST_COMPARE_PATTERN)
			op->result = op->nbytes;
		dsa->bytes_waiting += op->nbytes;
		put_last(dsa, op);
	}
	give(dsa);
}

/* ---- when something is wrong ----------------------------------------------------------------- */

void dsa_jobs_abandon(struct dsa_engine *dsa)
{
	static const struct dsa_completion_record nothing;
	struct dsa_piece piece;

	/* From here on hardware writes no more, so each record is what it will stay. */
	dsa_queue_close(&dsa->queue);
	dsa->engine->counts.abandoned_queues++;
	for (unsigned i = 0; i < dsa->job_count; i++)
		if (dsa->jobs[i].count)
			end_job(dsa, &dsa->jobs[i], &dsa->jobs[i] != dsa->ready);
	dsa->ready = NULL;
	dsa->active = 0;
	dsa->bytes_ahead = 0;
	while (dsa->first) {
		take_piece(dsa, &piece);
		end_piece(dsa, &piece, &nothing, false);
	}
}

static void look_at_the_late(struct dsa_engine *dsa)
{
	const struct dsa_job *job = dsa_jobs_next(dsa);
	int64_t now = nhost_clock_ns();

	if (!job || now < job->expected_ns + OVERDUE_NS || now < dsa->asked_ns + OVERDUE_NS)
		return;
	dsa->asked_ns = now;
	if (now - job->expected_ns >= dsa->lost_ns) {
		dsa->engine->counts.lost++;
		dsa_finding_set(&dsa->facts.finding, DSA_ABANDONED, "dmesg | grep idxd",
			"a completion did not come for %lld ms",
			(long long)(now - job->began_ns) / 1000000);
	} else if (dsa_queue_is_alive(&dsa->facts, &dsa->facts.finding)) {
		return;
	}
	dsa_jobs_abandon(dsa);
}

void dsa_jobs_step(struct dsa_engine *dsa)
{
	size_t completed = dsa->completed;
	int64_t now = dsa->active ? nhost_clock_ns() : 0;

	for (unsigned i = 0; i < dsa->job_count && dsa->active; i++) {
		struct dsa_job *job = &dsa->jobs[i];

		if (!job->count || job == dsa->ready || !is_completed(job))
			continue;
		note_time(dsa, job, now);
		dsa->active--;
		dsa->bytes_ahead -= job->nbytes;
		end_job(dsa, job, true);
	}
	dsa->looked_ns = now;
	if (completed == dsa->completed && dsa->active)
		look_at_the_late(dsa);
	give(dsa);
}

const struct dsa_job *dsa_jobs_next(const struct dsa_engine *dsa)
{
	const struct dsa_job *next = NULL;

	for (unsigned i = 0; i < dsa->job_count && dsa->active; i++) {
		const struct dsa_job *job = &dsa->jobs[i];

		if (job->count && job != dsa->ready &&
			(!next || job->expected_ns < next->expected_ns))
			next = job;
	}
	return next;
}
