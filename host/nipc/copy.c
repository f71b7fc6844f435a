/* copy.c - the copies of a chunk: between the parts of an op and a region. */
#include "host/nipc/nipc_int.h"

void ipc_parts_skip(struct nipc_op *op, uint64_t nbytes)
{
	op->part_offset += nbytes;
	while (op->part < op->count && op->part_offset >= op->parts[op->part].iov_len)
		op->part_offset -= op->parts[op->part++].iov_len;
}

/* What engines do well is theirs, as long as there is room for it; the rest is done at once. */
static void copy(struct ipc_flight *flight, const struct nipc_how *how, void *to, const void *from,
	uint64_t nbytes)
{
	struct nhost_op *job = &flight->jobs[flight->job_count];

	if (nbytes < IPC_JOB_MIN || flight->job_count == IPC_JOBS) {
		nhost_copy(to, from, nbytes, (enum nhost_near)how->near);
		return;
	}
	nhost_copy_op(job, to, from, nbytes);
	job->near = (uint8_t)how->near;
	job->wish = (uint8_t)how->engine;
	flight->job_count++;
}

static void copy_all(struct ipc_half *half, struct ipc_flight *flight, const struct nipc_how *how,
	unsigned char *region, bool to_region)
{
	struct nipc_op *op = flight->op;
	uint64_t nbytes = flight->nbytes;

	while (nbytes) {
		const struct iovec *part = &op->parts[op->part];
		unsigned char *bytes = (unsigned char *)part->iov_base + op->part_offset;
		uint64_t now = nchan_min(nbytes, part->iov_len - op->part_offset);

		copy(flight, how, to_region ? region : bytes, to_region ? bytes : region, now);
		region += now;
		nbytes -= now;
		ipc_parts_skip(op, now);
	}
	if (flight->job_count)
		half->engine.ops->submit(&half->engine, flight->jobs, flight->job_count);
}

/* What a helper or hardware does meanwhile teaches nothing. */
void ipc_copy_begin(struct ipc_half *half, struct ipc_flight *flight, struct nipc_op *op,
	unsigned char *region, uint64_t nbytes, bool to_region, uint64_t distance)
{
	const uint64_t began = __builtin_ia32_rdtsc();
	struct nipc_how how = op->how;

	flight->job_count = 0;
	flight->op = op;
	flight->nbytes = nbytes;
	if (how.near == NIPC_NEAR_BY_SIZE)
		how.near = to_region ? ipc_near_choose(&half->near, nbytes, distance)
				     : ipc_near_by_distance(distance);
	copy_all(half, flight, &how, region, to_region);
	if (to_region)
		ipc_near_learn(&half->near, (enum nhost_near)how.near, nbytes,
			ipc_copy_is_done(flight) ? __builtin_ia32_rdtsc() - began : 0);
}

bool ipc_copy_is_done(const struct ipc_flight *flight)
{
	for (unsigned i = 0; i < flight->job_count; i++)
		if (!nhost_op_is_done(&flight->jobs[i]))
			return false;
	return true;
}

void ipc_copy_wait(struct ipc_half *half)
{
	struct ipc_flights *flights = &half->flights;

	for (uint64_t at = flights->ended; at < flights->begun; at++) {
		struct ipc_flight *flight = &flights->flight[at % IPC_FLIGHTS];

		if (flight->job_count)
			half->engine.ops->wait(&half->engine, flight->jobs, flight->job_count, -1);
	}
}
