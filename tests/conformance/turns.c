/*
 * Who runs when, on one core: counts of turns, no times.
 */
#include "tests/conformance/suite.h"

enum {
	PLAYERS = 3,
	ROUNDS = 20,
};

static const unsigned weights[PLAYERS] = {1, 3, 8};

static struct turns *make_turns(void)
{
	void *turns;

	must(nmem_alloc(suite.device, sizeof(struct turns), &turns));
	return turns;
}

/* Where the second player of the record begins: before it the first may have been cut short. */
static uint64_t first_change(const struct turns *turns)
{
	uint64_t at = 1;

	while (turns->name[at] == turns->name[at - 1])
		at++;
	return at;
}

/* From there on everybody has as many turns in a row as its weight says, one after the other. */
static void assert_fair_rounds(const struct turns *turns)
{
	uint64_t at = first_change(turns);

	for (unsigned round = 0; round < ROUNDS; round++) {
		unsigned seen = 0;

		for (unsigned player = 0; player < PLAYERS; player++) {
			uint8_t name = turns->name[at];

			assert_in_range(name, 0, PLAYERS - 1);
			assert_false(seen >> name & 1);
			seen |= 1u << name;
			for (unsigned i = 0; i < weights[name]; i++)
				assert_int_equal(turns->name[at++], name);
		}
	}
}

static void start_players(struct turns *turns, struct nproc **process)
{
	struct ends pipe = make_pipe();
	uint8_t names[PLAYERS];

	for (unsigned i = 0; i < PLAYERS; i++) {
		struct npipe *end;
		struct nproc_attr attr = {0, 1, &end, 0, weights[i]};

		must(npipe_dup(pipe.write, &end));
		must(nproc_spawn(HERE, "take_turns", &attr, &process[i], turns, i,
			(ROUNDS + 2) * weights[i]));
		npipe_close(end);
	}
	must(npipe_read_full(pipe.read, names, sizeof names));
	npipe_close(pipe.read);
	npipe_close(pipe.write);
}

static void a_weight_is_so_many_turns_in_a_row(void **state)
{
	struct turns *turns = make_turns();
	struct nproc *process[PLAYERS];
	(void)state;

	start_players(turns, process);
	__atomic_store_n(&turns->open, 1, __ATOMIC_RELEASE);
	publish(&turns->open, sizeof turns->open);
	for (unsigned i = 0; i < PLAYERS; i++)
		assert_int_equal(exit_code_of(process[i]), 0);
	refresh(turns, sizeof *turns);

	assert_int_equal(turns->count, (ROUNDS + 2) * (1 + 3 + 8));
	assert_fair_rounds(turns);
	must(nmem_free(suite.device, turns));
}

static void a_process_gives_weights_to_its_children(void **state)
{
	struct turns *turns = make_turns();
	struct nproc *process;
	(void)state;

	turns->open = 1;
	publish(&turns->open, sizeof turns->open);
	must(nproc_spawn(HERE, "start_with_weights", NULL, &process, turns, 300));
	assert_int_equal(exit_code_of(process), 0);
	refresh(turns, sizeof *turns);

	assert_fair_rounds(turns);
	must(nmem_free(suite.device, turns));
}

static void a_weight_above_the_largest_is_refused(void **state)
{
	const struct nproc_attr attr = {NPROC_ANY_CORE, 0, NULL, 0, NPROC_WEIGHT_MAX + 1};
	struct turns *turns = make_turns();
	struct nproc *process;
	(void)state;

	assert_int_equal(nproc_spawn(HERE, "take_turns", &attr, &process, turns, 0, 1), -EINVAL);
	assert_detail("weight 9: at most 8");
	must(nproc_spawn(HERE, "start_too_heavy", NULL, &process, turns));
	assert_int_equal(exit_code_of(process), -EINVAL);
	must(nmem_free(suite.device, turns));
}

static void a_long_loop_with_a_yield_point_lets_others_answer(void **state)
{
	struct turns *turns = make_turns();
	struct nproc *process;
	int64_t steps;
	(void)state;

	must(nproc_spawn(HERE, "ping_beside_work", NULL, &process, turns));
	steps = exit_code_of(process);

	/* 1000 pings take two or three rounds of the ready queue each, a round 16 steps. */
	assert_in_range(steps, 1000 * 16, 1000 * 16 * 4);
	must(nmem_free(suite.device, turns));
}

int run_turns(void)
{
	const struct CMUnitTest tests[] = {
		CLAIM(a_weight_is_so_many_turns_in_a_row),
		CLAIM(a_process_gives_weights_to_its_children),
		CLAIM(a_weight_above_the_largest_is_refused),
		CLAIM(a_long_loop_with_a_yield_point_lets_others_answer),
	};

	return cmocka_run_group_tests_name("turns", tests, NULL, NULL);
}
