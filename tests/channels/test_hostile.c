/*
 * test_hostile.c - a place that sends what it likes. Random lines and heads of calls, most of them
 * nearly right, go to all other places, which live on beside it as in test_pipes_random.c.
 *
 * Claims, for each seed: nothing crashes; in every pool the cells in use are those of ends,
 * accounts and waiting lines, and the promises are those of the accounts; a pipe that no line was
 * about loses, repeats and reorders nothing.
 * NEARSIDE_SEED=N runs one seed.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "channels/end_int.h"
#include "tests/channels/world.h"

enum {
	PLACES = 4,
	HONEST = 2, /* pipes 1 and 2: to core 1 and from there */
	ATTACKED = 3,
	PIPES = HONEST + ATTACKED,
	CALLS = ATTACKED, /* the last one is of calls */
	OPERATIONS = 600,
	SEEDS = 250,
};

struct test {
	struct world *world;
	uint64_t random;
	uint64_t written[HONEST + 1], read[HONEST + 1];
	unsigned hostile;
	uint64_t lines, refused;
};

static unsigned pick(struct test *test, unsigned count)
{
	return (unsigned)(world_random(&test->random) % count);
}

/* ---- the pools ------------------------------------------------------------------------------- */

struct sum {
	uint32_t cells, promises;
};

static void add_accounts(
	const struct nchan_place *place, const struct nchan_end *end, struct sum *sum)
{
	const struct account *account = &end->first;

	for (; account; account = account_next(place, account)) {
		sum->cells += account != &end->first;
		if (!account_reads(account))
			sum->promises += (uint32_t)account->out + account->owed;
	}
}

static void add_lines(const struct nchan_place *place, const struct nchan_end *end, struct sum *sum)
{
	uint32_t cell = end->queue_tail;

	if (!cell)
		return;
	do {
		const struct waiting_line *line = nchan_pool_at(&place->pool, cell);

		assert_true(line->offset < line->length || line->kind != NCHAN_DATA);
		cell = line->next;
		sum->cells++;
	} while (cell != end->queue_tail);
}

static void check_pool(const struct nchan_place *place)
{
	struct sum sum = {0, 0};

	for (uint32_t pipe = 1; pipe <= place->pipes_max; pipe++) {
		const struct nchan_end *end = nchan_find(place, pipe);

		if (!end)
			continue;
		assert_int_equal(end->pipe, pipe);
		sum.cells++;
		add_accounts(place, end, &sum);
		add_lines(place, end, &sum);
	}
	assert_int_equal(place->pool.used, sum.cells);
	assert_int_equal(place->pool.promised, sum.promises);
	assert_true(place->pool.used + place->pool.promised <= place->pool.capacity);
}

/* ---- the hostile place ----------------------------------------------------------------------- */

static uint64_t any_count(struct test *test)
{
	const uint64_t counts[] = {
		0, 1, 2, 3, 56, 57, INT32_MAX, 1ull << 31, UINT32_MAX, UINT64_MAX};

	return counts[pick(test, sizeof(counts) / sizeof(counts[0]))];
}

static uint32_t any_arg(struct test *test)
{
	const uint32_t args[] = {0, 1, 2, 3, 16, 64, 65, NCHAN_READS, NCHAN_ARG_MAX};

	return args[pick(test, sizeof(args) / sizeof(args[0]))];
}

/* As an honest place might. */
static uint32_t usual_arg(struct test *test, enum nchan_kind kind)
{
	switch (kind) {
	case NCHAN_ATTACH:
		return (test->hostile ? NCHAN_HOST : pick(test, PLACES)) |
		       (pick(test, 2) ? NCHAN_READS : 0);
	case NCHAN_CLOSE:
		return test->hostile | (pick(test, 2) ? NCHAN_READS : 0);
	case NCHAN_CLOSED:
		return pick(test, 2) ? NCHAN_READS : 0;
	default:
		return pick(test, 4);
	}
}

static uint32_t attacked_pipe(struct test *test)
{
	return HONEST + 1 + pick(test, ATTACKED);
}

static void send_line(struct test *test)
{
	struct nchan_place *place = world_place(test->world, test->hostile);
	unsigned to = pick(test, PLACES);
	unsigned kind = NCHAN_DATA + pick(test, NCHAN_SPAWN - NCHAN_DATA);
	unsigned length = pick(test, 4) ? 1 + pick(test, NCHAN_PAYLOAD_BYTES) : pick(test, 64);
	uint64_t words[NCHAN_PAYLOAD_WORDS] = {pick(test, 4) ? 1 : any_count(test)};
	uint32_t arg = pick(test, 4) ? usual_arg(test, kind) : any_arg(test);
	uint64_t head = nchan_head(kind, length, attacked_pipe(test), arg);

	if (to == test->hostile || !nchan_place_room(place, to))
		return;
	nchan_place_send(place, to, head, words, sizeof(words));
	test->lines++;
}

/* An end that comes again, in another way than before. */
static void send_end(struct test *test)
{
	struct nchan_place *place = world_place(test->world, test->hostile);
	unsigned to = 1 + pick(test, PLACES - 1);
	uint64_t mode = pick(test, 2) ? pick(test, 256) : 0;
	uint64_t words[2] = {attacked_pipe(test) | mode << NCHAN_MODE_SHIFT, pick(test, 3)};
	enum nchan_kind kind = pick(test, 4) ? NCHAN_SPAWN : NCHAN_NAME;

	if (test->hostile != NCHAN_HOST) {
		to = NCHAN_HOST;
		kind = pick(test, 4) ? NCHAN_WANT : NCHAN_NAME;
	}
	if (nchan_place_room(place, to))
		nchan_place_send(place, to, nchan_head(kind, sizeof(words), attacked_pipe(test), 0),
			words, sizeof(words));
}

static void store_call(struct test *test)
{
	struct nchan_line *line = &test->world->calls[pick(test, 2)].line;
	enum nchan_kind kind = pick(test, 2) ? NCHAN_REQUEST : NCHAN_ANSWER;

	line->head = nchan_head(kind, pick(test, 64), HONEST + CALLS, pick(test, 4)) | 1 << 1 |
		     (pick(test, 4) ? kind == NCHAN_REQUEST : pick(test, 2));
}

/* ---- those that are attacked ----------------------------------------------------------------- */

static uint64_t deliver(struct world *world, unsigned place, struct nchan_end *end,
	const void *bytes, uint64_t nbytes)
{
	struct test *test = world->test;

	(void)place;
	(void)bytes;
	if (nchan_pipe_of(end) <= HONEST || pick(test, 3))
		return 0;
	return nchan_is_of_packets(end) ? nbytes : 1 + pick(test, (unsigned)nbytes);
}

static void use_end(struct test *test, unsigned at, struct nchan_end *end)
{
	struct nchan_place *place = world_place(test->world, at);
	char bytes[200] = {0};
	unsigned nbytes = pick(test, sizeof(bytes));

	if (pick(test, 2) && end->readers)
		nchan_read(place, end, bytes, nbytes);
	else if (end->writers && !(end->mode & NCHAN_CALLS))
		nchan_write(place, end, bytes, nbytes);
	else if (end->readers && end->mode & NCHAN_CALLS && at)
		nchan_answer(place, end, bytes, nbytes);
	else if (end->writers && at == NCHAN_HOST && nchan_call_take(place, end, bytes, nbytes) < 0)
		nchan_call_ask(place, end, bytes, nbytes);
}

static void close_or_give(struct test *test, unsigned at, struct nchan_end *end)
{
	struct nchan_place *place = world_place(test->world, at);
	unsigned to = 1 + pick(test, PLACES - 1);
	bool writes = pick(test, 2);
	bool is_of_calls = nchan_is_of_calls(end);

	if (!(writes ? end->writers : end->readers))
		return;
	if (at && pick(test, 2) && world_hand_back(test->world, at, nchan_pipe_of(end), writes))
		return;
	if (at || pick(test, 8) == 0) {
		(writes ? nchan_drop_writer : nchan_drop_reader)(place, end);
		return;
	}
	if (!world_can_give(test->world, to) || (is_of_calls && writes))
		return;
	if (is_of_calls)
		nchan_call_assign(place, end, pick(test, 2));
	if (!writes && pick(test, 2))
		nchan_dup(end, false);
	world_give(test->world, end, to, writes, writes && pick(test, 2));
}

static void live_on(struct test *test)
{
	unsigned at = pick(test, PLACES);
	uint32_t pipe = attacked_pipe(test);
	struct nchan_end *end = world_end(test->world, at, pipe);
	uint64_t mode = pipe == PIPES ? NCHAN_CALLS : pipe % 4 == 0 ? NCHAN_PACKETS : pipe % 3;

	if (!end && at == NCHAN_HOST)
		nchan_create(
			world_place(test->world, 0), pipe | (uint32_t)mode << NCHAN_MODE_SHIFT);
	else if (end && pick(test, 4))
		use_end(test, at, end);
	else if (end)
		close_or_give(test, at, end);
}

/* ---- the honest pipes ------------------------------------------------------------------------ */

static void open_honest(struct test *test)
{
	struct nchan_place *host = world_place(test->world, NCHAN_HOST);

	world_give(test->world, nchan_create(host, 1), 1, false, true);
	world_give(test->world, nchan_create(host, 2), 1, true, true);
	world_settle(test->world);
}

static void use_honest(struct test *test)
{
	uint32_t pipe = 1 + pick(test, HONEST);
	unsigned from = pipe == 1 ? NCHAN_HOST : 1, to = 1 - from;
	uint64_t number = test->written[pipe];

	if (pick(test, 2)) {
		test->written[pipe] +=
			nchan_write(world_place(test->world, from),
				world_end(test->world, from, pipe), &number, sizeof(number)) > 0;
		return;
	}
	if (nchan_read(world_place(test->world, to), world_end(test->world, to, pipe), &number,
		    sizeof(number)) == sizeof(number)) {
		assert_int_equal(number, test->read[pipe]);
		test->read[pipe]++;
	}
}

static void finish_honest(struct test *test)
{
	for (unsigned i = 0; i < 1000; i++) {
		world_step(test->world, pick(test, PLACES), 64);
		use_honest(test);
	}
	for (uint32_t pipe = 1; pipe <= HONEST; pipe++)
		assert_true(test->read[pipe] > 20 && test->written[pipe] - test->read[pipe] < 200);
}

/* ---- all of it ------------------------------------------------------------------------------- */

static void operate(struct test *test)
{
	unsigned step = pick(test, PLACES);

	switch (pick(test, 8)) {
	case 0:
	case 1:
		send_line(test);
		break;
	case 2:
		(pick(test, 2) ? store_call : send_end)(test);
		break;
	case 3:
		use_honest(test);
		break;
	case 4:
		live_on(test);
		break;
	default:
		world_step(test->world, step, 1 + pick(test, 8));
		check_pool(world_place(test->world, step));
	}
}

static uint64_t attack(uint64_t seed, unsigned hostile)
{
	struct test test = {.world = world_create(PLACES - 1, 0, WORLD_CELLS),
		.random = seed * 0x9e3779b97f4a7c15ull + hostile + 1,
		.hostile = hostile};
	uint64_t refused = 0;

	print_message("seed %llu, place %u is hostile\r", (unsigned long long)seed, hostile);
	test.world->test = &test;
	test.world->deliver = deliver;
	open_honest(&test);
	for (unsigned i = 0; i < OPERATIONS; i++)
		operate(&test);
	finish_honest(&test);
	for (unsigned i = 0; i < PLACES; i++)
		refused += world_place(test.world, i)->faults;
	world_destroy(test.world);
	assert_true(test.lines > OPERATIONS / 10);
	return refused;
}

static void attack_from(unsigned hostile)
{
	const char *wanted = getenv("NEARSIDE_SEED");
	uint64_t first = wanted ? strtoull(wanted, NULL, 0) : 1;
	uint64_t last = wanted ? first : SEEDS;

	for (uint64_t seed = first; seed <= last; seed++)
		assert_true(attack(seed, hostile) > 0);
}

static void a_hostile_core_hurts_only_the_pipes_that_it_speaks_of(void **state)
{
	(void)state;
	attack_from(2);
}

static void likewise_a_hostile_host(void **state)
{
	(void)state;
	attack_from(NCHAN_HOST);
}

static void a_home_that_tells_of_no_ends_takes_no_cell(void **state)
{
	struct world *world = world_create(1, 0, WORLD_CELLS);
	const struct nchan_place *core = world_place(world, 1);
	const uint64_t none = 0;

	(void)state;
	nchan_place_send(world_place(world, NCHAN_HOST), 1, nchan_head(NCHAN_ATTACHED, 0, 1, 0),
		&none, sizeof(none));
	world_settle(world);
	assert_int_equal(core->faults, 1);
	assert_int_equal(core->pool.used, 0);
	world_destroy(world);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_hostile_core_hurts_only_the_pipes_that_it_speaks_of),
		cmocka_unit_test(likewise_a_hostile_host),
		cmocka_unit_test(a_home_that_tells_of_no_ends_takes_no_cell),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
