/* engine_reference.c - the operations of copy engines in the plainest way. */
#include <errno.h>
#include <string.h>

#include "tests/host/engine_suite.h"

static uint8_t pattern_byte(const struct nhost_op *op, size_t at)
{
	return (uint8_t)(op->pattern >> 8 * (at % 8));
}

static void copy(struct nhost_op *op, void *to)
{
	const unsigned char *from = op->from;
	unsigned char *bytes = to;
	bool from_the_end = bytes > from;

	for (size_t i = 0; i < op->nbytes; i++) {
		size_t at = from_the_end ? op->nbytes - 1 - i : i;

		bytes[at] = from[at];
	}
}

static void fill(struct nhost_op *op)
{
	for (size_t i = 0; i < op->nbytes; i++)
		((unsigned char *)op->to)[i] = pattern_byte(op, i);
}

static void compare(struct nhost_op *op)
{
	const unsigned char *a = op->from, *b = op->second;

	op->result = 0;
	while (op->result < op->nbytes &&
		a[op->result] ==
			(op->kind == NHOST_COMPARE ? b[op->result] : pattern_byte(op, op->result)))
		op->result++;
}

static void crc32c(struct nhost_op *op)
{
	uint32_t crc = ~op->seed;

	for (size_t i = 0; i < op->nbytes; i++) {
		crc ^= ((const unsigned char *)op->from)[i];
		for (int bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? 0x82f63b78 : 0);
	}
	op->result = (uint32_t)~crc;
}

static void delta_create(struct nhost_op *op)
{
	const unsigned char *before = op->from, *after = op->second;
	unsigned char *record = op->to;

	op->result = 0;
	for (size_t at = 0; at < op->nbytes; at += 8) {
		uint16_t number = (uint16_t)(at / 8);

		if (!memcmp(before + at, after + at, 8))
			continue;
		if (op->result + 10 > op->record_nbytes) {
			op->status = -ENOSPC;
			return;
		}
		memcpy(record + op->result, &number, 2);
		memcpy(record + op->result + 2, after + at, 8);
		op->result += 10;
	}
}

static void delta_apply(struct nhost_op *op)
{
	const unsigned char *record = op->from;
	long before = -1;

	for (size_t at = 0; at < op->record_nbytes; at += 10) {
		uint16_t number;

		memcpy(&number, record + at, 2);
		if (number <= before || number >= op->nbytes / 8) {
			op->status = -ERANGE;
			return;
		}
		memcpy((char *)op->to + (size_t)8 * number, record + at + 2, 8);
		before = number;
	}
}

void reference_do(struct nhost_op *op)
{
	op->status = 0;
	if (op->kind == NHOST_COPY || op->kind == NHOST_COPY_CRC32C || op->kind == NHOST_DUALCAST)
		copy(op, op->to);
	if (op->kind == NHOST_DUALCAST)
		copy(op, op->second);
	if (op->kind == NHOST_FILL)
		fill(op);
	if (op->kind == NHOST_COMPARE || op->kind == NHOST_COMPARE_PATTERN)
		compare(op);
	if (op->kind == NHOST_CRC32C || op->kind == NHOST_COPY_CRC32C)
		crc32c(op);
	if (op->kind == NHOST_DELTA_CREATE)
		delta_create(op);
	if (op->kind == NHOST_DELTA_APPLY)
		delta_apply(op);
}
