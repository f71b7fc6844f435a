/* Calls: who may store into the line, what is taken for an answer, and what is believed. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "tests/channels/world.h"

enum {
	PIPE = 7,
	LINE = 5, /* its number */
	WORD = 8
};

struct test {
	struct world *world;
	struct nchan_place *host, *core;
	struct nchan_end *asks, *answers;
	struct nchan_line *line;
};

static struct test begin_pipe(struct world *world, uint32_t pipe, unsigned number)
{
	struct test test = {.world = world,
		.host = world_place(world, 0),
		.core = world_place(world, 1),
		.line = &world->calls[number].line};

	test.asks = nchan_create(test.host, pipe | (uint32_t)NCHAN_CALLS << NCHAN_MODE_SHIFT);
	assert_non_null(test.asks);
	nchan_call_assign(test.host, test.asks, number);
	world_give(world, test.asks, 1, false, true);
	world_settle(world);
	test.answers = world_end(world, 1, pipe);
	assert_non_null(test.answers);
	return test;
}

static struct test begin(void **state)
{
	return begin_pipe(*state, PIPE, LINE);
}

static int setup(void **state)
{
	*state = world_create(2, 0, WORLD_CELLS);
	return 0;
}

static int teardown(void **state)
{
	world_destroy(*state);
	return 0;
}

static int64_t ask(struct test *test, uint64_t word)
{
	return nchan_call_ask(test->host, test->asks, &word, WORD);
}

static int64_t answer(struct test *test, uint64_t word)
{
	return nchan_answer(test->core, test->answers, &word, WORD);
}

static void assert_read(struct test *test, uint64_t expected)
{
	uint64_t word = 0;

	assert_int_equal(nchan_read(test->core, test->answers, &word, WORD), WORD);
	assert_int_equal(word, expected);
}

static void assert_taken(struct test *test, uint64_t expected)
{
	uint64_t word = 0;

	assert_int_equal(nchan_call_take(test->host, test->asks, &word, WORD), WORD);
	assert_int_equal(word, expected);
}

static int64_t read_word(struct test *test)
{
	uint64_t word;

	return nchan_read(test->core, test->answers, &word, WORD);
}

static int64_t take_word(struct test *test)
{
	uint64_t word;

	return nchan_call_take(test->host, test->asks, &word, WORD);
}

/* ---- turns ----------------------------------------------------------------------------------- */

static void request_and_answer_take_turns_in_one_line_past_the_wrap_of_serials(void **state)
{
	struct test test = begin(state);
	uint64_t lines = test.host->links[1].tx.tail + test.core->links[0].tx.tail;

	for (uint64_t i = 0; i < 2 * NCHAN_ARG_MAX + 10; i++) {
		assert_int_equal(ask(&test, i), WORD);
		assert_int_equal(ask(&test, i), -NCHAN_EAGAIN);
		assert_int_equal(take_word(&test), -NCHAN_EAGAIN);
		assert_read(&test, i);
		assert_int_equal(read_word(&test), -NCHAN_EINVAL);
		assert_int_equal(answer(&test, ~i), WORD);
		assert_int_equal(answer(&test, ~i), -NCHAN_EINVAL);
		assert_taken(&test, ~i);
	}
	assert_int_equal(test.host->links[1].tx.tail + test.core->links[0].tx.tail, lines);
}

static void each_length_arrives_as_it_was_sent(void **state)
{
	struct test test = begin(state);
	uint8_t bytes[NCHAN_PAYLOAD_BYTES + 1], got[NCHAN_PAYLOAD_BYTES];

	for (unsigned n = 1; n <= NCHAN_PAYLOAD_BYTES; n++) {
		memset(bytes, (int)n, sizeof bytes);
		assert_int_equal(nchan_call_ask(test.host, test.asks, bytes, n), n);
		if (n > 1)
			assert_int_equal(
				nchan_read(test.core, test.answers, got, n - 1), -NCHAN_EMSGSIZE);
		assert_int_equal(nchan_read(test.core, test.answers, got, sizeof got), n);
		assert_memory_equal(got, bytes, n);
		assert_int_equal(nchan_answer(test.core, test.answers, bytes, n), n);
		assert_int_equal(nchan_call_take(test.host, test.asks, got, sizeof got), n);
		assert_memory_equal(got, bytes, n);
	}
	assert_int_equal(nchan_call_ask(test.host, test.asks, bytes, 0), -NCHAN_EINVAL);
	assert_int_equal(
		nchan_call_ask(test.host, test.asks, bytes, sizeof bytes), -NCHAN_EMSGSIZE);
}

static void an_event_tells_of_a_request_once(void **state)
{
	struct test test = begin(state);
	unsigned *readable = &test.world->places[1].readable;
	unsigned before = *readable;

	ask(&test, 1);
	assert_true(nchan_place_has_calls(test.core));
	assert_true(nchan_place_receive_calls(test.core));
	assert_int_equal(*readable, before + 1);
	assert_false(nchan_place_has_calls(test.core));
	assert_false(nchan_place_receive_calls(test.core));
	assert_read(&test, 1);
	answer(&test, 1);
	assert_false(nchan_place_has_calls(test.core));
}

static void an_awaited_answer_is_told_and_one_that_nobody_awaits_is_not_looked_for(void **state)
{
	struct test test = begin(state);
	unsigned *writable = &test.world->places[0].writable;
	unsigned before = *writable;

	ask(&test, 1);
	assert_read(&test, 1);
	answer(&test, 2);
	assert_true(nchan_call_is_answered(test.host, test.asks));
	assert_false(nchan_place_has_calls(test.host));
	nchan_call_await(test.host, test.asks);
	assert_true(nchan_place_has_calls(test.host));
	assert_true(nchan_place_receive_calls(test.host));
	assert_int_equal(*writable, before + 1);
	assert_taken(&test, 2);
}

static void who_finds_the_line_taken_hears_when_the_call_is_over(void **state)
{
	struct test test = begin(state);
	unsigned *writable = &test.world->places[0].writable;
	unsigned before;

	ask(&test, 1);
	assert_int_equal(ask(&test, 2), -NCHAN_EAGAIN);
	assert_read(&test, 1);
	answer(&test, 3);
	before = *writable;
	assert_taken(&test, 3);
	assert_int_equal(*writable, before + 1);
	assert_int_equal(ask(&test, 2), WORD);
}

static void a_late_answer_makes_way_for_the_next_request(void **state)
{
	struct test test = begin(state);

	ask(&test, 1);
	assert_read(&test, 1);
	nchan_call_abandon(test.host, test.asks);
	assert_int_equal(nchan_writer_state(test.host, test.asks), 0);
	assert_int_equal(ask(&test, 2), -NCHAN_EAGAIN);
	answer(&test, 101);
	world_settle(test.world);
	assert_int_equal(nchan_writer_state(test.host, test.asks), NCHAN_READY);
	assert_int_equal(ask(&test, 2), WORD);
	assert_int_equal(take_word(&test), -NCHAN_EAGAIN);
	assert_read(&test, 2);
	answer(&test, 102);
	assert_taken(&test, 102);
}

/* ---- a store at a time ----------------------------------------------------------------------- */

struct looks {
	struct test *test;
	unsigned count, early;
	bool at_core;
};

static void look(void *context)
{
	struct looks *looks = context;
	bool is_last = ++looks->count == NCHAN_PAYLOAD_WORDS + 1;
	bool seen = looks->at_core
			    ? nchan_reader_state(looks->test->core, looks->test->answers) != 0
			    : nchan_call_is_answered(looks->test->host, looks->test->asks);

	looks->early += seen != is_last;
}

static void a_request_or_answer_is_seen_with_its_last_store_only(void **state)
{
	struct test test = begin(state);
	struct looks down = {&test, 0, 0, true}, up = {&test, 0, 0, false};
	struct nchan_pause at_host = {look, &down}, at_core = {look, &up};
	uint64_t words[NCHAN_PAYLOAD_WORDS] = {1, 2, 3, 4, 5, 6, 7}, got[NCHAN_PAYLOAD_WORDS];

	test.host->links[1].tx.pause = &at_host;
	test.core->links[0].tx.pause = &at_core;
	assert_int_equal(nchan_call_ask(test.host, test.asks, words, sizeof words), sizeof words);
	assert_int_equal(nchan_read(test.core, test.answers, got, sizeof got), sizeof got);
	assert_memory_equal(got, words, sizeof words);
	words[6] = 9;
	assert_int_equal(nchan_answer(test.core, test.answers, words, sizeof words), sizeof words);
	assert_int_equal(nchan_call_take(test.host, test.asks, got, sizeof got), sizeof got);
	assert_memory_equal(got, words, sizeof words);
	assert_int_equal(down.count + up.count, 2 * (NCHAN_PAYLOAD_WORDS + 1));
	assert_int_equal(down.early + up.early, 0);
}

/* ---- ends ------------------------------------------------------------------------------------ */

static void what_was_asked_before_the_close_is_read_before_the_end(void **state)
{
	struct test test = begin(state);

	ask(&test, 5);
	nchan_drop_writer(test.host, test.asks);
	world_settle(test.world);
	assert_read(&test, 5);
	assert_int_equal(answer(&test, 6), -NCHAN_EPIPE);
	assert_int_equal(read_word(&test), 0);
}

static void an_answer_before_the_close_is_taken_and_then_there_is_no_other(void **state)
{
	struct test test = begin(state);

	ask(&test, 5);
	assert_read(&test, 5);
	answer(&test, 6);
	nchan_drop_reader(test.core, test.answers);
	world_settle(test.world);
	assert_taken(&test, 6);
	assert_int_equal(ask(&test, 7), -NCHAN_EPIPE);
}

static void a_reader_that_goes_without_an_answer_breaks_the_call(void **state)
{
	struct test test = begin(state);

	ask(&test, 5);
	assert_read(&test, 5);
	nchan_drop_reader(test.core, test.answers);
	assert_int_equal(take_word(&test), -NCHAN_EAGAIN);
	world_settle(test.world);
	assert_int_equal(take_word(&test), -NCHAN_EPIPE);
}

/* The line still holds the request that was never answered, of the same id and serial. */
static void a_pipe_of_the_same_id_and_line_begins_anew(void **state)
{
	struct test test = begin(state);
	struct world_place *host = &test.world->places[0];

	ask(&test, 5);
	nchan_drop_reader(test.core, test.answers);
	nchan_drop_writer(test.host, test.asks);
	world_settle(test.world);
	assert_int_equal(host->forgotten, 1);
	assert_int_equal(test.host->calls_awaited | test.core->calls_awaited, 0);

	test = begin(state);
	assert_int_equal(read_word(&test), -NCHAN_EAGAIN);
	assert_int_equal(ask(&test, 6), WORD);
	assert_read(&test, 6);
}

static void pipes_that_are_given_nowhere_cannot_be_called(void **state)
{
	struct nchan_place *host = world_place(*state, 0);
	struct nchan_end *end =
		nchan_create(host, PIPE | (uint32_t)NCHAN_CALLS << NCHAN_MODE_SHIFT);
	uint64_t word = 0;

	assert_int_equal(nchan_call_ask(host, end, &word, WORD), -NCHAN_EAGAIN);
	assert_int_equal(nchan_writer_state(host, end), 0);
	nchan_drop_reader(host, end);
	assert_int_equal(nchan_call_ask(host, end, &word, WORD), -NCHAN_EPIPE);
}

/* ---- what is not believed -------------------------------------------------------------------- */

static void assert_no_news(struct test *test, uint64_t head)
{
	nchan_store_release(&test->line->head, head);
	assert_int_equal(take_word(test), -NCHAN_EAGAIN);
	assert_int_equal(nchan_reader_state(test->core, test->answers), 0);
	world_settle(test->world);
}

/* Of a call that waits for its answer: what else could stand in the line. */
static void any_other_head_is_no_answer_and_no_request(void **state)
{
	const uint64_t generation = 1 << 1;
	struct test test = begin(state);
	unsigned faults;

	ask(&test, 1);
	nchan_store_release(&test.line->head, 0); /* the core has not seen it */
	faults = (unsigned)(test.host->faults + test.core->faults);
	for (uint32_t serial = 0; serial < 4; serial++)
		for (unsigned phase = 0; phase < 2; phase++)
			for (unsigned kind = NCHAN_REQUEST; kind <= NCHAN_ANSWER; kind++) {
				uint64_t head =
					nchan_head(kind, WORD, PIPE, serial) | generation | phase;
				bool fits = serial == 1 && phase == (kind == NCHAN_REQUEST);

				if (!fits)
					assert_no_news(&test, head);
				else
					assert_no_news(&test, head ^ 1 << 2); /* generation 3 */
			}
	assert_no_news(&test, nchan_head(NCHAN_ANSWER, WORD, PIPE + 1, 1) | generation);
	assert_no_news(&test, nchan_head(NCHAN_REQUEST, WORD, PIPE + 1, 1) | generation | 1);
	assert_no_news(&test, nchan_head(NCHAN_DATA, WORD, PIPE, 1) | generation | 1);
	assert_no_news(&test, ~0ull);
	assert_int_equal(test.host->faults + test.core->faults, faults);
}

static void a_length_beyond_the_line_is_counted_and_gives_no_bytes(void **state)
{
	struct test test = begin(state);
	uint64_t got[8] = {0};

	for (unsigned length = NCHAN_PAYLOAD_BYTES + 1; length < 64; length++) {
		struct test other = begin_pipe(*state, length, length - 50);
		uint64_t faults = test.core->faults;

		nchan_store_release(&other.line->head,
			nchan_head(NCHAN_REQUEST, length, length, 1) | 1 << 1 | 1);
		for (int i = 0; i < 3; i++)
			assert_int_equal(nchan_read(other.core, other.answers, got, sizeof got),
				-NCHAN_EAGAIN);
		assert_int_equal(test.core->faults, faults + 1);
		assert_false(nchan_place_has_calls(test.core));
	}
	ask(&test, 1);
	nchan_store_release(&test.line->head, nchan_head(NCHAN_ANSWER, 0, PIPE, 1) | 1 << 1);
	assert_int_equal(nchan_call_take(test.host, test.asks, got, sizeof got), -NCHAN_EPIPE);
	assert_int_equal(test.host->faults, 1);
	for (unsigned i = 0; i < 8; i++)
		assert_int_equal(got[i], 0);
}

static void likewise_when_an_event_would_tell_of_it(void **state)
{
	struct test test = begin(state);
	uint64_t word;

	nchan_store_release(&test.line->head, nchan_head(NCHAN_REQUEST, 57, PIPE, 1) | 1 << 1 | 1);
	world_settle(test.world);
	assert_int_equal(test.core->faults, 1);
	assert_int_equal(nchan_read(test.core, test.answers, &word, WORD), -NCHAN_EAGAIN);
	assert_int_equal(test.core->faults, 1);
}

static void nobody_waits_for_no_bytes(void **state)
{
	struct test test = begin(state);

	assert_int_equal(nchan_read(test.core, test.answers, NULL, 0), 0);
	ask(&test, 1);
	assert_int_equal(nchan_read(test.core, test.answers, NULL, 0), 0);
	assert_read(&test, 1);
	assert_int_equal(nchan_read(test.core, test.answers, NULL, 0), 0);
	assert_int_equal(answer(&test, 2), WORD);
}

/* Else who looks at the line would not hear that the pipe has gone. */
static void a_pipe_that_is_open_keeps_its_mode(void **state)
{
	struct test test = begin(state);
	uint32_t calls = (uint32_t)(NCHAN_CALLS | (LINE + 1)) << NCHAN_MODE_SHIFT;
	struct nchan_end *stream = nchan_create(test.host, PIPE + 1);

	world_give(*state, stream, 1, false, true);
	world_settle(*state);
	assert_null(nchan_adopt(test.core, calls | (PIPE + 1), false));
	assert_null(nchan_adopt(test.core, PIPE, false));
	assert_null(nchan_borrow(test.core, PIPE));
	assert_non_null(nchan_adopt(test.core, PIPE + 1, false));
	assert_non_null(nchan_adopt(test.core, calls | (PIPE + 2), false));
}

static void an_end_that_is_refused_does_not_take_what_the_home_has_said_with_it(void **state)
{
	struct test test = begin(state);
	uint32_t name = (uint32_t)(NCHAN_CALLS | LINE) << NCHAN_MODE_SHIFT | (PIPE + 1);

	nchan_place_send(
		world_place(*state, 2), 1, nchan_head(NCHAN_CREDIT, 0, PIPE + 1, 1), NULL, 0);
	world_settle(*state);
	assert_null(nchan_adopt(test.core, name, false));
	assert_non_null(world_end(*state, 1, PIPE + 1));
	assert_non_null(nchan_adopt(test.core, PIPE + 1, true));
	assert_int_equal(nchan_write(test.core, world_end(*state, 1, PIPE + 1), "credit", 6), 6);
}

static void a_core_takes_no_second_pipe_for_a_line_and_no_end_that_asks(void **state)
{
	struct test test = begin(state);
	uint32_t name = (uint32_t)(NCHAN_CALLS | LINE) << NCHAN_MODE_SHIFT;

	assert_null(nchan_adopt(test.core, name | (PIPE + 1), false));
	assert_null(nchan_adopt(test.core, name | PIPE, false));
	assert_null(nchan_adopt(test.core, (name | (PIPE + 2)) + (1u << NCHAN_MODE_SHIFT), true));
	assert_null(world_end(*state, 1, PIPE + 1));
	assert_int_equal(ask(&test, 1), WORD);
	assert_read(&test, 1);
}

int main(void)
{
#define TEST(function) cmocka_unit_test_setup_teardown(function, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(request_and_answer_take_turns_in_one_line_past_the_wrap_of_serials),
		TEST(each_length_arrives_as_it_was_sent),
		TEST(an_event_tells_of_a_request_once),
		TEST(an_awaited_answer_is_told_and_one_that_nobody_awaits_is_not_looked_for),
		TEST(who_finds_the_line_taken_hears_when_the_call_is_over),
		TEST(a_late_answer_makes_way_for_the_next_request),
		TEST(a_request_or_answer_is_seen_with_its_last_store_only),
		TEST(what_was_asked_before_the_close_is_read_before_the_end),
		TEST(an_answer_before_the_close_is_taken_and_then_there_is_no_other),
		TEST(a_reader_that_goes_without_an_answer_breaks_the_call),
		TEST(a_pipe_of_the_same_id_and_line_begins_anew),
		TEST(pipes_that_are_given_nowhere_cannot_be_called),
		TEST(any_other_head_is_no_answer_and_no_request),
		TEST(a_length_beyond_the_line_is_counted_and_gives_no_bytes),
		TEST(likewise_when_an_event_would_tell_of_it),
		TEST(nobody_waits_for_no_bytes),
		TEST(a_pipe_that_is_open_keeps_its_mode),
		TEST(an_end_that_is_refused_does_not_take_what_the_home_has_said_with_it),
		TEST(a_core_takes_no_second_pipe_for_a_line_and_no_end_that_asks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
