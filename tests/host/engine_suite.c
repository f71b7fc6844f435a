#include "tests/host/engine_suite.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "host/device.h"

enum {
	ALIGNMENTS = 64,
	SHORT = 300,  /* bytes at most */
	SLOT = 640,   /* of one operation in each of the areas */
	ROOM = 520,   /* for a record, in a slot */
	DENSITY = 37, /* of differences: one of so many words */
};

void suite_scribble(void *to, size_t nbytes, uint64_t seed)
{
	unsigned char *bytes = to;
	uint64_t x = seed * 2654435761u + 88172645463325252u;

	for (size_t i = 0; i < nbytes; i += sizeof x) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		memcpy(bytes + i, &x, nbytes - i < sizeof x ? nbytes - i : sizeof x);
	}
}

/*
 *     area:   from          second        to
 *             slot slot ... slot slot ... slot slot ...     one slot an operation
 * and the same again, where the reference works.
 */
struct areas {
	size_t slot_nbytes, slots;
	unsigned char *memory, *expected;
	struct nhost_op ops[ALIGNMENTS];
};

static size_t areas_nbytes(const struct areas *areas)
{
	return 3 * areas->slots * areas->slot_nbytes;
}

static void areas_create(struct areas *areas, size_t slot_nbytes, size_t slots)
{
	memset(areas, 0, sizeof *areas);
	areas->slot_nbytes = slot_nbytes;
	areas->slots = slots;
	areas->memory = aligned_alloc(4096, areas_nbytes(areas));
	areas->expected = aligned_alloc(4096, areas_nbytes(areas));
	assert_non_null(areas->memory);
	assert_non_null(areas->expected);
}

static void areas_destroy(struct areas *areas)
{
	free(areas->memory);
	free(areas->expected);
}

static unsigned char *slot(struct areas *areas, unsigned area, size_t number)
{
	return areas->memory + (area * areas->slots + number) * areas->slot_nbytes;
}

/* Where the reference has what the engine has at this place. */
static void *moved(const struct areas *areas, const void *pointer)
{
	return areas->expected + ((const unsigned char *)pointer - areas->memory);
}

/* All but a few words of b are as in a: what compares and deltas are for. */
static void make_alike(unsigned char *b, const unsigned char *a, size_t nbytes, uint64_t seed)
{
	memcpy(b, a, nbytes);
	for (size_t at = seed * 31 % DENSITY * 8; at < nbytes; at += (size_t)DENSITY * 8)
		b[at] ^= (unsigned char)(1 + at % 255);
}

static bool is_delta(enum nhost_op_kind kind)
{
	return kind == NHOST_DELTA_CREATE || kind == NHOST_DELTA_APPLY;
}

static void prepare_apply(struct areas *areas, struct nhost_op *op, size_t number)
{
	struct nhost_op create = *op;

	create.kind = NHOST_DELTA_CREATE;
	create.from = slot(areas, 2, number);
	create.second = slot(areas, 1, number);
	create.to = slot(areas, 0, number);
	suite_scribble(create.second, op->nbytes, number);
	make_alike(op->to, create.second, op->nbytes, number);
	reference_do(&create);
	assert_int_equal(create.status, 0);
	op->from = create.to;
	op->record_nbytes = create.result;
}

static void prepare(
	struct areas *areas, enum nhost_op_kind kind, size_t number, size_t nbytes, bool is_even)
{
	struct nhost_op *op = &areas->ops[number];
	size_t unit = is_delta(kind) ? 8 : 1;
	size_t to = number * unit % ALIGNMENTS;
	size_t other = is_even ? to : number * 13 * unit % ALIGNMENTS;

	*op = (struct nhost_op){
		.kind = (uint8_t)kind, .nbytes = nbytes, .seed = (uint32_t)number * 77};
	op->near = (uint8_t)(number % 3);
	suite_scribble(&op->pattern, sizeof op->pattern, number);
	op->from = slot(areas, 0, number) + other;
	op->second = slot(areas, 1, number) + (is_even ? to : number * 7 * unit % ALIGNMENTS);
	op->to = slot(areas, 2, number) + to;
	op->record_nbytes = areas->slot_nbytes > SLOT ? NHOST_DELTA_RANGE / 8 * 10 : ROOM;
	if (kind == NHOST_COMPARE || kind == NHOST_DELTA_CREATE)
		make_alike(op->second, op->from, nbytes, number);
	if (kind == NHOST_COMPARE_PATTERN) {
		for (size_t i = 0; i < nbytes; i++)
			((unsigned char *)slot(areas, 0, number) + other)[i] =
				(unsigned char)(op->pattern >> 8 * (i % 8));
		if (number % 2 && nbytes)
			((unsigned char *)slot(areas, 0, number) + other)[number * 97 % nbytes] ^=
				1;
	}
	if (kind == NHOST_DELTA_APPLY) {
		op->to = slot(areas, 2, number);
		prepare_apply(areas, op, number);
	}
}

static void expect(struct areas *areas, struct nhost_op *expected, const struct nhost_op *op)
{
	*expected = *op;
	expected->from = moved(areas, op->from);
	expected->to = moved(areas, op->to);
	expected->second = moved(areas, op->second);
	reference_do(expected);
}

static void complain(const struct nhost_op *op, const struct nhost_op *expected)
{
	fail_msg("operation %d of %zu bytes, from %p, second %p, to %p: status %d and result %llu, "
		 "not %d and %llu",
		op->kind, op->nbytes, op->from, op->second, op->to, op->status,
		(unsigned long long)op->result, expected->status,
		(unsigned long long)expected->result);
}

static void run(struct nhost_engine *engine, struct areas *areas, size_t count)
{
	struct nhost_op expected[ALIGNMENTS];
	size_t at = 0;

	memcpy(areas->expected, areas->memory, areas_nbytes(areas));
	for (size_t i = 0; i < count; i++)
		expect(areas, &expected[i], &areas->ops[i]);
	assert_int_equal(nhost_engine_run(engine, areas->ops, count), 0);
	for (size_t i = 0; i < count; i++)
		if (areas->ops[i].status != expected[i].status ||
			(!expected[i].status && areas->ops[i].result != expected[i].result))
			complain(&areas->ops[i], &expected[i]);
	if (!memcmp(areas->memory, areas->expected, areas_nbytes(areas)))
		return;
	while (areas->memory[at] == areas->expected[at])
		at++;
	fail_msg("operation %d of %zu bytes: byte %zu of slot %zu in area %zu is wrong",
		areas->ops[0].kind, areas->ops[0].nbytes, at % areas->slot_nbytes,
		at / areas->slot_nbytes % areas->slots, at / areas->slot_nbytes / areas->slots);
}

void suite_short_sizes(struct nhost_engine *engine, enum nhost_op_kind kind, size_t step)
{
	struct areas areas;

	areas_create(&areas, SLOT, ALIGNMENTS);
	for (size_t nbytes = 0; nbytes <= SHORT; nbytes += is_delta(kind) ? 8 : step) {
		suite_scribble(areas.memory, areas_nbytes(&areas), nbytes + 1);
		for (size_t i = 0; i < ALIGNMENTS; i++)
			prepare(&areas, kind, i, nbytes, nbytes % 2);
		run(engine, &areas, ALIGNMENTS);
	}
	areas_destroy(&areas);
}

void suite_long_sizes(struct nhost_engine *engine, enum nhost_op_kind kind)
{
	static const size_t sizes[] = {4095, 65537, 2097152 + 9};
	struct areas areas;

	areas_create(&areas, SUITE_LONG + 8192, 2);
	for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
		size_t nbytes = sizes[i];

		if (is_delta(kind))
			nbytes = nbytes < NHOST_DELTA_RANGE ? nbytes / 8 * 8 : NHOST_DELTA_RANGE;
		suite_scribble(areas.memory, areas_nbytes(&areas), nbytes);
		for (size_t number = 0; number < 2; number++)
			prepare(&areas, kind, number, nbytes, i % 2);
		run(engine, &areas, 2);
	}
	areas_destroy(&areas);
}

/* Both directions, near and far, short and long. */
void suite_overlaps(struct nhost_engine *engine)
{
	static const size_t sizes[] = {1, 63, 64, 300, 5000, 300000};
	static const size_t distances[] = {0, 1, 7, 64, 4096, 100000};
	struct areas areas;

	areas_create(&areas, (size_t)512 * 1024, 1);
	for (size_t i = 0; i < 2 * 6 * 6; i++) {
		size_t distance = distances[i / 2 % 6];
		unsigned char *low = areas.memory + 3, *high = low + distance;

		suite_scribble(areas.memory, areas_nbytes(&areas), i);
		nhost_copy_op(&areas.ops[0], i % 2 ? low : high, i % 2 ? high : low, sizes[i / 12]);
		areas.ops[0].second = areas.memory;
		run(engine, &areas, 1);
	}
	areas_destroy(&areas);
}

/* Records that do not fit or do not fit together, and that a CRC continues another one. */
void suite_results(struct nhost_engine *engine)
{
	_Alignas(64) unsigned char a[256], b[256], record[80], bad[20] = {3, 0, [10] = 3};
	struct nhost_op op = {.kind = NHOST_DELTA_CREATE, .from = a, .second = b, .to = record};

	memset(a, 1, sizeof a);
	memset(b, 2, sizeof b);
	op.nbytes = sizeof a;
	op.record_nbytes = sizeof record;
	assert_int_equal(nhost_engine_run(engine, &op, 1), 0);
	assert_int_equal(op.status, -ENOSPC);
	op = (struct nhost_op){.kind = NHOST_DELTA_APPLY,
		.from = bad,
		.to = a,
		.nbytes = 256,
		.record_nbytes = 20};
	assert_int_equal(nhost_engine_run(engine, &op, 1), 0);
	assert_int_equal(op.status, -ERANGE);
	bad[10] = 32;
	assert_int_equal(nhost_engine_run(engine, &op, 1), 0);
	assert_int_equal(op.status, -ERANGE);
	op = (struct nhost_op){.kind = NHOST_CRC32C, .from = "123456789", .nbytes = 4};
	assert_int_equal(nhost_engine_run(engine, &op, 1), 0);
	op.from = "56789";
	op.nbytes = 5;
	op.seed = (uint32_t)op.result;
	assert_int_equal(nhost_engine_run(engine, &op, 1), 0);
	assert_int_equal(op.result, 0xe3069283);
}
