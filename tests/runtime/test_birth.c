/*
 * Processes ask for processes on other cores, and for ids of pipes: what the host does, and what it
 * does not believe.
 */
#include "tests/runtime/fake.h"

enum {
	NOTHING, /* of small_image.h */
	COUNT,
	COUNT_WORDS = 5,
};

static struct nproc *head;
static uint16_t image;
static uint64_t child; /* by what name core 0 asks for it */
static uint64_t *keys;

/* An WANT, as a core would send it. */
struct question {
	struct nmsg_want head;
	uint32_t ends[2];
	uint64_t words[COUNT_WORDS];
};

/* A process on core 0, of group 5, which may read keys. */
static int open_with_family(void **state)
{
	const struct nproc_attr attr = {0, 0, NULL, 5, 0};
	const unsigned char pair[12] = {0};
	struct nmsg_spawn spawn;
	struct nchan_line line;
	void *memory;

	fake_open(state);
	assert_int_equal(nmem_alloc(fake.device, 64, &memory), 0);
	keys = memory;
	assert_int_equal(nproc_spawn(fake.device, fake.image, "count", &attr, &head, keys, 8, 0.5,
				 nproc_arg_struct(pair, sizeof pair)),
		0);
	fake_take(0, NCHAN_GRANT);
	line = fake_take(0, NCHAN_SPAWN);
	memcpy(&spawn, line.word, sizeof spawn);
	image = spawn.image;
	child = nreg_self_born(fake.identity.processes_max + 1, nreg_self_process(spawn.self), 1);
	return 0;
}

static struct question question(void)
{
	return (struct question){
		.head = {.self = child,
			.image = image,
			.kernel = COUNT,
			.word_count = COUNT_WORDS,
			.core = 1},
		.words = {(uintptr_t)(keys + 2), 6},
	};
}

static void ask(const struct question *question)
{
	unsigned char bytes[sizeof *question];
	unsigned nbytes = sizeof question->head, left;

	memcpy(bytes, &question->head, sizeof question->head);
	if (question->head.end_count) {
		memcpy(bytes + nbytes, question->ends, sizeof question->ends);
		nbytes += sizeof question->ends;
	}
	memcpy(bytes + nbytes, question->words, question->head.word_count * sizeof(uint64_t));
	nbytes += question->head.word_count * (unsigned)sizeof(uint64_t);
	left = (nbytes + NCHAN_PAYLOAD_BYTES - 1) / NCHAN_PAYLOAD_BYTES;
	for (unsigned done = 0; left--; done += NCHAN_PAYLOAD_BYTES)
		fake_send(0, NCHAN_WANT, 0, left, bytes + done,
			nbytes - done < NCHAN_PAYLOAD_BYTES ? nbytes - done : NCHAN_PAYLOAD_BYTES);
	assert_int_equal(nproc_wait(head, NULL, 0), -EAGAIN); /* takes lines */
}

static struct nmsg_exit take_exit(void)
{
	struct nchan_line line = fake_take(0, NCHAN_EXIT);
	struct nmsg_exit how;

	memcpy(&how, line.word, sizeof how);
	return how;
}

static void what_is_asked_for_is_spawned_and_its_end_is_told(void **state)
{
	struct question question_ = question();
	struct nmsg_exit how = {.value = 42, .ending = NMSG_EXITED};
	struct nmsg_grant grant;
	struct nchan_line line;
	struct nmsg_spawn spawn;
	(void)state;

	ask(&question_);
	line = fake_take(1, NCHAN_GRANT);
	memcpy(&grant, line.word, sizeof grant);
	assert_int_equal(grant.base, (uintptr_t)keys);
	assert_int_equal(grant.len, 64);
	assert_int_equal(grant.writable, 0);
	line = fake_take(1, NCHAN_SPAWN);
	memcpy(&spawn, line.word, sizeof spawn);
	assert_int_equal(spawn.kernel, COUNT);
	assert_int_equal(line.word[2], (uintptr_t)(keys + 2));
	assert_int_equal(line.word[3], 6);

	how.self = spawn.self;
	fake_send(1, NCHAN_EXIT, 0, 0, &how, sizeof how);
	assert_int_equal(nproc_wait(head, NULL, 0), -EAGAIN);
	how = take_exit();
	assert_int_equal(how.self, child);
	assert_int_equal(how.value, 42);
	assert_int_equal(how.ending, NMSG_EXITED);
}

static void it_is_of_the_group_and_ended_with_that(void **state)
{
	struct question question_ = question();
	(void)state;

	question_.head.kernel = NOTHING;
	question_.head.word_count = 0;
	ask(&question_);
	uint64_t self = fake_take_spawn(1);
	assert_int_equal(nproc_kill_group(fake.device, 5), 0);
	assert_int_equal(nreg_core(fake.region, 1)->attention.victim, self);
	fake_take(0, NCHAN_KILL);
	/* And the others get no more. */
	ask(&question_);
	struct nmsg_exit how = take_exit();
	assert_int_equal(how.ending, NMSG_REFUSED);
	assert_int_equal(how.value, -ECANCELED);
}

static void a_core_ends_what_it_has_asked_for_and_nothing_else(void **state)
{
	struct question question_ = question();
	uint64_t other = child + 1;
	(void)state;

	question_.head.kernel = NOTHING;
	question_.head.word_count = 0;
	ask(&question_);
	uint64_t self = fake_take_spawn(1);
	fake_send(0, NCHAN_KILL, 0, 0, &other, sizeof other);
	fake_send(1, NCHAN_KILL, 0, 0, &child, sizeof child);
	assert_int_equal(nproc_wait(head, NULL, 0), -EAGAIN);
	assert_int_equal(nreg_core(fake.region, 1)->attention.victim, 0);
	fake_send(0, NCHAN_KILL, 0, 0, &child, sizeof child);
	assert_int_equal(nproc_wait(head, NULL, 0), -EAGAIN);
	assert_int_equal(nreg_core(fake.region, 1)->attention.victim, self);
}

/* Both ways. */
static void what_finds_no_room_is_sent_later(void **state)
{
	const struct nproc_attr attr = {1, 0, NULL, 0, 0};
	struct question question_ = question();
	struct nmsg_exit how = {.ending = NMSG_KILLED};
	struct nproc *process;
	(void)state;

	while (nproc_spawn(fake.device, fake.image, "nothing", &attr, &process) == 0)
		if (fake.down[1].fifo->slot[NCHAN_FIFO_LINES - 2].head)
			break;
	question_.head.kernel = NOTHING;
	question_.head.word_count = 0;
	ask(&question_);
	uint64_t last = 0;
	struct nchan_line line;
	while (fake_try_take(1, &line))
		if (nchan_head_kind(line.head) == NCHAN_SPAWN)
			last = line.word[0];
	fake_report(1);
	assert_int_equal(nproc_wait(head, NULL, 0), -EAGAIN);
	how.self = fake_take_spawn(1);
	assert_true(how.self != last);
	fake_send(1, NCHAN_EXIT, 0, 0, &how, sizeof how);
	assert_int_equal(nproc_wait(head, NULL, 0), -EAGAIN);
	assert_int_equal(take_exit().ending, NMSG_KILLED);
}

/* What is asked for wrongly is a line that makes no sense. */
static void assert_senseless(const struct question *question_)
{
	ask(question_);
	fake_assert_silent(0);
	fake_assert_silent(1);
	assert_int_equal(nproc_wait(head, NULL, 1), -EPROTO);
}

#define SENSELESS(name, change)                     \
	static void name(void **state)              \
	{                                           \
		struct question wrong = question(); \
		(void)state;                        \
		change;                             \
		assert_senseless(&wrong);           \
	}

SENSELESS(memory_that_the_head_may_not_touch, wrong.words[0] += 4096)
SENSELESS(memory_that_the_head_may_only_read, wrong.head.writable = 1)
SENSELESS(writing_through_a_null_pointer, (wrong.words[0] = 0, wrong.head.writable = 1))
SENSELESS(too_few_words, wrong.head.word_count = 4)
SENSELESS(words_that_the_kernel_does_not_take, wrong.head.kernel = NOTHING)
SENSELESS(a_kernel_that_is_not_there, wrong.head.kernel = 2)
SENSELESS(an_image_of_others, wrong.head.image++)
SENSELESS(a_core_that_is_not_there, wrong.head.core = 2)
SENSELESS(the_same_core_by_name, wrong.head.core = NPROC_SAME_CORE)
SENSELESS(a_weight_that_no_process_has, wrong.head.weight = NPROC_WEIGHT_MAX + 1)
SENSELESS(a_family_that_is_not_there, wrong.head.self = child + (7ull << 24))
SENSELESS(a_process_of_the_program, wrong.head.self = nreg_self(1, 1))
SENSELESS(ends_that_the_core_does_not_have, (wrong.head.end_count = 2, wrong.ends[0] = 1))
SENSELESS(pipes_that_are_not_there,
	(wrong.head.end_count = 2, wrong.ends[0] = wrong.ends[1] = 0xffffffff))
SENSELESS(too_many_ends, wrong.head.end_count = NK_ENDS_MAX + 1)

/* ---- ids of pipes ---------------------------------------------------------------------------- */

static void ask_for_id(void)
{
	fake_send(0, NCHAN_NAME, 0, 0, NULL, 0);
	assert_int_equal(nproc_wait(head, NULL, 0), -EAGAIN);
}

/* Until an answer waits for room: core 0 reports nothing. Returns the last id before. */
static uint32_t ask_for_ids(void)
{
	struct nchan_line line;
	uint32_t last = 0;

	for (ask_for_id(); fake_try_take(0, &line); ask_for_id())
		last = nchan_head_pipe(line.head);
	return last;
}

static void an_id_for_which_there_is_no_room_is_told_later(void **state)
{
	uint32_t last = ask_for_ids(), id;
	(void)state;

	fake_report(0);
	assert_int_equal(nproc_wait(head, NULL, 0), -EAGAIN);
	id = nchan_head_pipe(fake_take(0, NCHAN_NAME).head);
	assert_true(last && id && id != last);
}

static void who_asks_for_another_id_has_taken_the_last_one(void **state)
{
	(void)state;
	ask_for_ids();
	fake_send(0, NCHAN_NAME, 0, 0, NULL, 0);
	assert_int_equal(nproc_wait(head, NULL, 1), -EPROTO);
}

#define ASKED(function) cmocka_unit_test_setup_teardown(function, open_with_family, fake_close)

int main(void)
{
	const struct CMUnitTest tests[] = {
		ASKED(what_is_asked_for_is_spawned_and_its_end_is_told),
		ASKED(it_is_of_the_group_and_ended_with_that),
		ASKED(a_core_ends_what_it_has_asked_for_and_nothing_else),
		ASKED(what_finds_no_room_is_sent_later),
		ASKED(memory_that_the_head_may_not_touch),
		ASKED(memory_that_the_head_may_only_read),
		ASKED(writing_through_a_null_pointer),
		ASKED(too_few_words),
		ASKED(words_that_the_kernel_does_not_take),
		ASKED(a_kernel_that_is_not_there),
		ASKED(an_image_of_others),
		ASKED(a_core_that_is_not_there),
		ASKED(the_same_core_by_name),
		ASKED(a_weight_that_no_process_has),
		ASKED(a_family_that_is_not_there),
		ASKED(a_process_of_the_program),
		ASKED(ends_that_the_core_does_not_have),
		ASKED(pipes_that_are_not_there),
		ASKED(too_many_ends),
		ASKED(an_id_for_which_there_is_no_room_is_told_later),
		ASKED(who_asks_for_another_id_has_taken_the_last_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
