/*
 * by_cpu.c - every operation by the calling processor, from wherever it stands: from the start, or
 * from where hardware met a page that was not there. The results are those of DSA to the bit.
 */
#include <errno.h>
#include <string.h>

#include "host/engine/parts.h"

typedef int operation(struct nhost_op *op);

enum {
	WORD = 8,
	CRC_STEP = 16 * 1024, /* copied and summed while it lies in the nearest cache */
};

static int copy(struct nhost_op *op)
{
	size_t done = op->done_nbytes;

	nhost_copy((char *)op->to + done, (const char *)op->from + done, op->nbytes - done,
		(enum nhost_near)op->near);
	return 0;
}

/* What is left may begin within a pattern. */
static uint64_t pattern_at(const struct nhost_op *op)
{
	unsigned bits = 8 * (op->done_nbytes % WORD);

	return bits ? op->pattern >> bits | op->pattern << (64 - bits) : op->pattern;
}

static int fill(struct nhost_op *op)
{
	bytes_fill((unsigned char *)op->to + op->done_nbytes, pattern_at(op),
		op->nbytes - op->done_nbytes);
	return 0;
}

static int compare(struct nhost_op *op)
{
	size_t done = op->done_nbytes;

	op->result = done + bytes_compare((const unsigned char *)op->from + done,
				    (const unsigned char *)op->second + done, op->nbytes - done);
	return 0;
}

static int compare_pattern(struct nhost_op *op)
{
	size_t done = op->done_nbytes;

	op->result = done + bytes_compare_pattern((const unsigned char *)op->from + done,
				    pattern_at(op), op->nbytes - done);
	return 0;
}

/* result is the CRC of what is done. */
static int crc32c(struct nhost_op *op)
{
	op->result = nhost_crc32c((uint32_t)op->result, (const char *)op->from + op->done_nbytes,
		op->nbytes - op->done_nbytes);
	return 0;
}

static int copy_crc32c(struct nhost_op *op)
{
	while (op->done_nbytes < op->nbytes) {
		size_t left = op->nbytes - op->done_nbytes;
		size_t step = left < CRC_STEP ? left : CRC_STEP;
		const char *from = (const char *)op->from + op->done_nbytes;
		char *to = (char *)op->to + op->done_nbytes;

		/* Of the copy: somebody may change the source meanwhile. */
		memcpy(to, from, step);
		op->result = nhost_crc32c((uint32_t)op->result, to, step);
		op->done_nbytes += step;
	}
	return 0;
}

static int dualcast(struct nhost_op *op)
{
	size_t done = op->done_nbytes, left = op->nbytes - done;
	const char *from = (const char *)op->from + done;

	nhost_copy((char *)op->to + done, from, left, (enum nhost_near)op->near);
	nhost_copy((char *)op->second + done, from, left, (enum nhost_near)op->near);
	return 0;
}

/* result is the bytes of the record so far. */
static int delta_create(struct nhost_op *op)
{
	const unsigned char *before = op->from, *after = op->second;
	unsigned char *record = op->to;
	size_t at = op->done_nbytes, length = op->result;

	for (;;) {
		uint16_t number;

		at += bytes_compare(before + at, after + at, op->nbytes - at);
		at -= at % WORD;
		if (at >= op->nbytes)
			break;
		if (op->record_nbytes - length < NHOST_DELTA_ENTRY)
			return -ENOSPC;
		number = (uint16_t)(at / WORD);
		memcpy(record + length, &number, sizeof number);
		memcpy(record + length + sizeof number, after + at, WORD);
		length += NHOST_DELTA_ENTRY;
		at += WORD;
	}
	op->result = length;
	return 0;
}

static uint16_t entry_number(const unsigned char *entry)
{
	uint16_t number;

	memcpy(&number, entry, sizeof number);
	return number;
}

/* done_nbytes counts bytes of the record. */
static int delta_apply(struct nhost_op *op)
{
	const unsigned char *record = op->from;
	long before =
		op->done_nbytes ? entry_number(record + op->done_nbytes - NHOST_DELTA_ENTRY) : -1;

	for (size_t at = op->done_nbytes; at < op->record_nbytes; at += NHOST_DELTA_ENTRY) {
		uint16_t number = entry_number(record + at);

		if (number <= before || number >= op->nbytes / WORD)
			return -ERANGE;
		memcpy((char *)op->to + (size_t)number * WORD, record + at + sizeof number, WORD);
		before = number;
	}
	return 0;
}

static operation *const operations[NHOST_OP_COUNT] = {
	[NHOST_COPY] = copy,
	[NHOST_FILL] = fill,
	[NHOST_COMPARE] = compare,
	[NHOST_COMPARE_PATTERN] = compare_pattern,
	[NHOST_CRC32C] = crc32c,
	[NHOST_COPY_CRC32C] = copy_crc32c,
	[NHOST_DUALCAST] = dualcast,
	[NHOST_DELTA_CREATE] = delta_create,
	[NHOST_DELTA_APPLY] = delta_apply,
};

int op_rest(struct nhost_op *op)
{
	return operations[op->kind](op);
}

void nhost_op_by_cpu(struct nhost_op *op)
{
	op->by = op->by == NHOST_BY_DSA ? NHOST_BY_DSA_AND_CPU : NHOST_BY_CPU;
	op_end(op, op_rest(op));
}
