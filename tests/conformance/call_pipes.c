#include "tests/conformance/call_pipes.h"

struct call make_call(void)
{
	const struct npipe_attr of_calls = {.flags = NPIPE_CALL};
	struct npipe *end[2];

	skip_unless(suite.info.is_coherent, "calls need coherent memory");
	must(npipe_create_with(suite.device, end, &of_calls));
	return (struct call){end[1], end[0]};
}

struct npipe *make_answered(int core, struct nproc **process)
{
	struct call call = make_call();

	must(nproc_spawn(HERE, "answer", ENDS_ON(core, call.answers), process));
	npipe_close(call.answers);
	return call.asks;
}

void assert_answered(struct npipe *asks, uint64_t word)
{
	uint64_t answer = 0;

	assert_int_equal(must(npipe_call(asks, &word, sizeof word, &answer, sizeof answer)), 8);
	assert_int_equal(answer, ~word);
}

int64_t call_word(struct npipe *asks)
{
	uint64_t word = 1;

	return npipe_call(asks, &word, sizeof word, &word, sizeof word);
}

struct told begin_told(void)
{
	const int64_t a_moment = 2 * 1000 * 1000; /* ns */
	struct told told = {make_call(), make_pipe(), make_pipe(), NULL};

	must(nproc_spawn(HERE, "answer_when_told",
		ENDS(told.call.answers, told.go.read, told.seen.write), &told.process));
	must(npipe_set_timeout(told.call.asks, a_moment));
	assert_int_equal(call_word(told.call.asks), -ETIMEDOUT);
	assert_int_equal(must(npipe_read(told.seen.read, &(char){0}, 1)), 1);
	return told;
}
