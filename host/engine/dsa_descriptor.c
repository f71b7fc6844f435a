/* dsa_descriptor.c - what an operation is to hardware, and what a completion record says of it. */
#include <errno.h>
#include <string.h>

#include "host/engine/dsa.h"

enum {
	PAGE = 4096,
	WORD = 8,
	/* Destinations beyond this part of the last-level cache go to memory. */
	CACHE_PART = 8,
};

/* ---- to hardware ----------------------------------------------------------------------------- */

enum dsa_way dsa_way_of(const struct nhost_op *op, const struct dsa_facts *facts)
{
	bool fits = op->nbytes <= facts->max_transfer;

	if (!op->nbytes)
		return DSA_BY_CPU;
	switch (op->kind) {
	case NHOST_COPY:
		/* A part of a move could overwrite what another part has yet to read. */
		if (ranges_overlap(op->from, op->to, op->nbytes))
			return fits && facts->can_overlap ? DSA_WHOLE : DSA_BY_CPU;
		return DSA_PARTS;
	case NHOST_DUALCAST:
		/* Hardware wants both destinations at the same place in their pages. */
		return ((uintptr_t)op->to ^ (uintptr_t)op->second) % PAGE ? DSA_BY_CPU : DSA_PARTS;
	case NHOST_FILL:
	case NHOST_COMPARE:
	case NHOST_COMPARE_PATTERN:
		return DSA_PARTS;
	case NHOST_CRC32C:
	case NHOST_COPY_CRC32C:
		return DSA_CHAIN;
	case NHOST_DELTA_CREATE:
		return fits ? DSA_WHOLE : DSA_BY_CPU;
	case NHOST_DELTA_APPLY:
		return fits && op->record_nbytes ? DSA_WHOLE : DSA_BY_CPU;
	default:
		return DSA_BY_CPU;
	}
}

static const uint8_t opcodes[NHOST_OP_COUNT] = {
	[NHOST_COPY] = DSA_OPCODE_MEMMOVE,
	[NHOST_FILL] = DSA_OPCODE_MEMFILL,
	[NHOST_COMPARE] = DSA_OPCODE_COMPARE,
	[NHOST_COMPARE_PATTERN] = DSA_OPCODE_COMPVAL,
	[NHOST_CRC32C] = DSA_OPCODE_CRCGEN,
	[NHOST_COPY_CRC32C] = DSA_OPCODE_COPY_CRC,
	[NHOST_DUALCAST] = DSA_OPCODE_DUALCAST,
	[NHOST_DELTA_CREATE] = DSA_OPCODE_CR_DELTA,
	[NHOST_DELTA_APPLY] = DSA_OPCODE_AP_DELTA,
};

static bool writes(const struct nhost_op *op)
{
	return op->kind == NHOST_COPY || op->kind == NHOST_FILL || op->kind == NHOST_COPY_CRC32C ||
	       op->kind == NHOST_DUALCAST || op->kind == NHOST_DELTA_APPLY;
}

static bool goes_to_cache(const struct nhost_op *op)
{
	if (op->near != NHOST_NEAR_BY_SIZE)
		return op->near == NHOST_IN_CACHE;
	return op->nbytes < nhost_copy_facts()->cache_nbytes / CACHE_PART;
}

static uint64_t address(const void *base, const struct dsa_piece *piece)
{
	return (uintptr_t)base + piece->offset;
}

void dsa_describe(const struct dsa_piece *piece, const struct dsa_facts *facts,
	struct dsa_hw_desc *descriptor, struct dsa_completion_record *record)
{
	const struct nhost_op *op = piece->op;
	uint32_t flags = IDXD_OP_FLAG_CRAV | IDXD_OP_FLAG_RCR;

	if (facts->has_cache_control && writes(op) && goes_to_cache(op))
		flags |= IDXD_OP_FLAG_CC;
	memset(record, 0, sizeof *record);
	memset(descriptor, 0, sizeof *descriptor);
	descriptor->flags = flags & 0xffffff;
	descriptor->opcode = opcodes[op->kind];
	descriptor->completion_addr = (uintptr_t)record;
	descriptor->src_addr = op->kind == NHOST_FILL ? op->pattern : address(op->from, piece);
	descriptor->dst_addr = address(op->to, piece);
	descriptor->xfer_size = (uint32_t)piece->nbytes;
	switch (op->kind) {
	case NHOST_COMPARE:
		descriptor->src2_addr = address(op->second, piece);
		break;
	case NHOST_COMPARE_PATTERN:
		descriptor->comp_pattern = op->pattern;
		break;
	case NHOST_CRC32C:
		descriptor->dst_addr = 0;
		descriptor->crc_seed = (uint32_t)op->result;
		break;
	case NHOST_COPY_CRC32C:
		descriptor->crc_seed = (uint32_t)op->result;
		break;
	case NHOST_DUALCAST:
		descriptor->dest2 = address(op->second, piece);
		break;
	case NHOST_DELTA_CREATE:
		descriptor->src2_addr = address(op->second, piece);
		descriptor->delta_addr = (uintptr_t)op->to;
		descriptor->max_delta_size = (uint32_t)op->record_nbytes;
		break;
	case NHOST_DELTA_APPLY:
		descriptor->delta_rec_size = (uint32_t)op->record_nbytes;
		break;
	default:
		break;
	}
}

/* ---- from hardware --------------------------------------------------------------------------- */

/* The piece as an operation of its own, of which so many bytes have been done. */
static struct nhost_op rest_of(const struct dsa_piece *piece, size_t done_nbytes, uint64_t result)
{
	struct nhost_op rest = *piece->op;

	rest.from = rest.from ? (const char *)rest.from + piece->offset : NULL;
	rest.to = rest.to ? (char *)rest.to + piece->offset : NULL;
	rest.second = rest.second ? (char *)rest.second + piece->offset : NULL;
	rest.nbytes = piece->nbytes;
	rest.done_nbytes = done_nbytes;
	rest.result = result;
	return rest;
}

static void take_difference(const struct dsa_piece *piece, size_t at)
{
	if (at < piece->nbytes && piece->offset + at < piece->op->result)
		piece->op->result = piece->offset + at;
}

/* Takes the result of a piece that the processor has ended. */
static void take_result(const struct dsa_piece *piece, const struct nhost_op *rest)
{
	switch (piece->op->kind) {
	case NHOST_COMPARE:
	case NHOST_COMPARE_PATTERN:
		take_difference(piece, rest->result);
		break;
	case NHOST_CRC32C:
	case NHOST_COPY_CRC32C:
	case NHOST_DELTA_CREATE:
		piece->op->result = rest->result;
		break;
	default:
		break;
	}
}

static int end_by_cpu(const struct dsa_piece *piece, size_t done_nbytes, uint64_t result,
	struct dsa_outcome *outcome)
{
	struct nhost_op rest = rest_of(piece, done_nbytes, result);
	int status = op_rest(&rest);

	outcome->cpu_bytes = piece->nbytes > done_nbytes ? piece->nbytes - done_nbytes : 0;
	take_result(piece, &rest);
	return status;
}

/* Hardware did it from its last byte on, because the destination lies behind the source. */
static int end_backwards(
	const struct dsa_piece *piece, size_t done_nbytes, struct dsa_outcome *outcome)
{
	struct dsa_piece head = {piece->op, piece->offset, piece->nbytes - done_nbytes};

	return end_by_cpu(&head, 0, 0, outcome);
}

/* How far hardware came; what cannot be true is as if it had done nothing. */
static size_t done_of(const struct dsa_piece *piece, const struct dsa_completion_record *record)
{
	uint64_t most =
		piece->op->kind == NHOST_DELTA_APPLY ? piece->op->record_nbytes : piece->nbytes;
	size_t unit = piece->op->kind == NHOST_DELTA_APPLY    ? NHOST_DELTA_ENTRY
		      : piece->op->kind == NHOST_DELTA_CREATE ? WORD
							      : 1;

	return record->bytes_completed <= most ? record->bytes_completed / unit * unit : 0;
}

static uint64_t result_of(const struct dsa_piece *piece, const struct dsa_completion_record *record)
{
	const struct nhost_op *op = piece->op;

	if (op->kind == NHOST_CRC32C || op->kind == NHOST_COPY_CRC32C)
		return record->bytes_completed ? (uint32_t)record->crc_val : op->result;
	if (op->kind == NHOST_DELTA_CREATE && record->delta_rec_size <= op->record_nbytes)
		return record->delta_rec_size / NHOST_DELTA_ENTRY * NHOST_DELTA_ENTRY;
	return 0;
}

/* From the start: hardware did nothing that counts. */
static int do_by_cpu(const struct dsa_piece *piece, struct dsa_outcome *outcome)
{
	const struct nhost_op *op = piece->op;
	bool has_crc = op->kind == NHOST_CRC32C || op->kind == NHOST_COPY_CRC32C;

	return end_by_cpu(piece, 0, has_crc ? op->result : 0, outcome);
}

static int conclude_fault(const struct dsa_piece *piece, const struct dsa_completion_record *record,
	struct dsa_outcome *outcome)
{
	size_t done = done_of(piece, record);
	uint64_t result = result_of(piece, record);

	outcome->is_fault = true;
	if (piece->op->kind == NHOST_COPY && record->result == 1)
		return end_backwards(piece, done, outcome);
	/* A record that tells less than it did, or more, is not believed in parts. */
	if (done != record->bytes_completed ||
		(piece->op->kind == NHOST_DELTA_CREATE && result != record->delta_rec_size))
		return do_by_cpu(piece, outcome);
	return end_by_cpu(piece, done, result, outcome);
}

static int conclude_success(const struct dsa_piece *piece,
	const struct dsa_completion_record *record, struct dsa_outcome *outcome)
{
	switch (piece->op->kind) {
	case NHOST_COMPARE:
	case NHOST_COMPARE_PATTERN:
		if (record->result)
			return end_by_cpu(piece, done_of(piece, record), 0, outcome);
		return 0;
	case NHOST_CRC32C:
	case NHOST_COPY_CRC32C:
		piece->op->result = (uint32_t)record->crc_val;
		return 0;
	case NHOST_DELTA_CREATE:
		if (record->result == 2)
			return -ENOSPC;
		if (record->delta_rec_size > piece->op->record_nbytes)
			return do_by_cpu(piece, outcome);
		piece->op->result = record->result ? record->delta_rec_size : 0;
		return 0;
	default:
		return 0;
	}
}

int dsa_conclude(const struct dsa_piece *piece, const struct dsa_completion_record *record,
	struct dsa_outcome *outcome)
{
	unsigned status = record->status & DSA_COMP_STATUS_MASK;

	*outcome = (struct dsa_outcome){0};
	if (status == DSA_COMP_SUCCESS)
		return conclude_success(piece, record, outcome);
	if (status == DSA_COMP_PAGE_FAULT_NOBOF || status == DSA_COMP_PAGE_FAULT_IR)
		return conclude_fault(piece, record, outcome);
	if (piece->op->kind == NHOST_DELTA_APPLY &&
		(status == DSA_COMP_DR_OFFSET_NOINC || status == DSA_COMP_DR_OFFSET_ERANGE))
		return do_by_cpu(
			piece, outcome); /* the words before it, again, and the same error */
	outcome->is_unsupported = status == DSA_COMP_BAD_OPCODE;
	return do_by_cpu(piece, outcome);
}
