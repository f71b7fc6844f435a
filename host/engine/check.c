/* check.c - what no engine can do, said before anything is begun. */
#include <errno.h>
#include <inttypes.h>

#include "host/engine/parts.h"

enum {
	WORD = 8,
};

static int check_delta(const struct nhost_op *op, struct nhost_error *error)
{
	bool is_create = op->kind == NHOST_DELTA_CREATE;
	uintptr_t addresses =
		(uintptr_t)op->from | (uintptr_t)op->to | (is_create ? (uintptr_t)op->second : 0);

	if (op->nbytes % WORD || op->nbytes > NHOST_DELTA_RANGE || addresses % WORD)
		return nhost_fail(error, EINVAL,
			"a delta is of at most %d bytes, in whole 8-byte words, and everything it reads or "
			"writes begins at multiples of 8; these are %zu bytes, from %p to %p",
			NHOST_DELTA_RANGE, op->nbytes, op->from, op->to);
	if (op->record_nbytes % NHOST_DELTA_ENTRY ||
		(is_create && op->record_nbytes < NHOST_DELTA_MIN) ||
		op->record_nbytes > UINT32_MAX)
		return nhost_fail(error, EINVAL,
			"a delta record of %zu bytes: a multiple of %d is wanted, and to create one at "
			"least %d",
			op->record_nbytes, NHOST_DELTA_ENTRY, NHOST_DELTA_MIN);
	return 0;
}

int nhost_op_check(const struct nhost_op *op, struct nhost_error *error)
{
	bool has_two_ends = op->kind == NHOST_COPY_CRC32C || op->kind == NHOST_DUALCAST;

	if (op->kind >= NHOST_OP_COUNT)
		return nhost_fail(
			error, EINVAL, "no operation of engines has the number %d", op->kind);
	if (op->near > NHOST_IN_MEMORY || op->wish > NHOST_BY_DSA_AND_CPU)
		return nhost_fail(error, EINVAL,
			"an operation whose `near` is %d and whose `wish` is %d: there are 0 to %d and 0 "
			"to %d",
			op->near, op->wish, NHOST_IN_MEMORY, NHOST_BY_DSA_AND_CPU);
	if (op->kind == NHOST_DELTA_CREATE || op->kind == NHOST_DELTA_APPLY)
		return check_delta(op, error);
	if (has_two_ends && ranges_overlap(op->from, op->to, op->nbytes))
		return nhost_fail(error, EINVAL,
			"%zu bytes at %p and at %p overlap, which only a plain copy can do",
			op->nbytes, op->from, op->to);
	if (op->kind == NHOST_DUALCAST && (ranges_overlap(op->from, op->second, op->nbytes) ||
						  ranges_overlap(op->to, op->second, op->nbytes)))
		return nhost_fail(error, EINVAL,
			"%zu bytes at %p, %p and %p overlap: a dualcast needs three ranges",
			op->nbytes, op->from, op->to, op->second);
	return 0;
}

static bool has_crc(const struct nhost_op *op)
{
	return op->kind == NHOST_CRC32C || op->kind == NHOST_COPY_CRC32C;
}

int ops_begin(struct nhost_op *ops, size_t count)
{
	struct nhost_error error;

	for (size_t i = 0; i < count; i++) {
		int result = nhost_op_check(&ops[i], &error);

		if (result)
			return result;
	}
	for (size_t i = 0; i < count; i++) {
		ops[i].by = NHOST_BY_ANY;
		ops[i].result = has_crc(&ops[i]) ? ops[i].seed : 0;
		ops[i].next = NULL;
		ops[i].done_nbytes = 0;
		__atomic_store_n(&ops[i].status, NHOST_UNDER_WAY, __ATOMIC_RELAXED);
	}
	return 0;
}
