/* Calls at a device whose cores answer as a test says. */
#include "tests/runtime/fake.h"

static struct npipe *end[2];

static int64_t call_word(void)
{
	uint64_t word = 1;

	return npipe_call(end[1], &word, sizeof word, &word, sizeof word);
}

static int open_with_answerer(void **state)
{
	static const struct npipe_attr of_calls = {.flags = NPIPE_CALL};
	const struct nproc_attr attr = {0, 1, end, 0, 0};
	struct nproc *process;

	fake_open(state);
	if (npipe_create_with(fake.device, end, &of_calls) ||
		nproc_spawn(fake.device, fake.image, "nothing", &attr, &process))
		return -1;
	return 0;
}

/* Whatever was asked, an answer of so many bytes, of which no line has more than 56. */
static bool answer(unsigned nbytes)
{
	struct nchan_line *line = &nreg_calls(fake.region)[0].line;
	uint64_t head = nchan_load_acquire(&line->head);

	if (nchan_head_kind(head) != NCHAN_REQUEST)
		return false;
	nchan_store_release(&line->head,
		nchan_head(NCHAN_ANSWER, nbytes, nchan_head_pipe(head), nchan_head_arg(head)) |
			(uint64_t)nchan_head_generation(head) << 1);
	return true;
}

static bool answer_word(void)
{
	return answer(8);
}

static bool answer_60_bytes(void)
{
	return answer(60);
}

static void an_answer_that_comes_while_it_is_waited_for_is_taken(void **state)
{
	(void)state;
	fake.on_wait = answer_word;
	assert_int_equal(call_word(), 8);
	assert_int_equal(call_word(), 8);
}

static void an_answer_longer_than_a_line_gives_eproto(void **state)
{
	(void)state;
	fake.on_wait = answer_60_bytes;
	assert_int_equal(call_word(), -EPROTO);
}

static void a_region_that_is_not_coherent_has_no_calls(void **state)
{
	static const struct npipe_attr of_calls = {.flags = NPIPE_CALL};
	struct npipe *other[2];
	(void)state;
	fake_reset();
	fake.identity.capabilities &= ~(uint32_t)NREG_COHERENT;
	fake_start();
	assert_int_equal(npipe_create_with(fake.device, other, &of_calls), -EOPNOTSUPP);
	assert_null(other[0]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define CLAIM_HERE(function) \
	cmocka_unit_test_setup_teardown(function, open_with_answerer, fake_close)
		CLAIM_HERE(an_answer_that_comes_while_it_is_waited_for_is_taken),
		CLAIM_HERE(an_answer_longer_than_a_line_gives_eproto),
#undef CLAIM_HERE
		cmocka_unit_test_teardown(a_region_that_is_not_coherent_has_no_calls, fake_close),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
