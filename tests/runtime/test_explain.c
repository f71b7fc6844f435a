/* What the host makes of the cores' reports, true or not. */
#include "tests/runtime/fake.h"

static struct npipe *end[2];
static struct nproc *process;
static uint64_t self;
static struct nmsg_state told;
static unsigned questions;

/* A process on core 0 that was given both ends of a pipe. */
static int open_with_process(void **state)
{
	const struct nproc_attr attr = {0, 2, end, 0, 0};

	fake_open(state);
	questions = 0;
	if (npipe_create(fake.device, end) ||
		nproc_spawn(fake.device, fake.image, "nothing", &attr, &process))
		return -1;
	self = fake_take_spawn(0);
	while (fake_try_take(0, &(struct nchan_line){0}))
		;
	told = (struct nmsg_state){
		.self = self, .waits_at = 1, .end_count = 2, .ends = {1, 1 | NMSG_END_WRITES}};
	return 0;
}

static bool answer(unsigned core)
{
	const struct nmsg_state last = {.self = 0};
	struct nchan_line line;

	if (!fake_try_take(core, &line) || nchan_head_kind(line.head) != NCHAN_ASK)
		return false;
	questions++;
	if (!core)
		fake_send(core, NCHAN_STATE, 0, nchan_head_arg(line.head), &told, sizeof told);
	fake_send(core, NCHAN_STATE, 0, nchan_head_arg(line.head), &last, sizeof last);
	fake_report(core);
	return true;
}

static bool answer_one(void)
{
	return answer(0) || answer(1);
}

static bool answer_core_1(void)
{
	return answer(1);
}

/* Something ran between the first answer and the second. */
static bool move_and_answer(void)
{
	nreg_core(fake.region, 0)->status.switches++;
	return answer_one();
}

static int explain(char *text, size_t nbytes)
{
	FILE *out = fmemopen(text, nbytes, "w");
	int result;

	assert_non_null(out);
	result = nproc_explain_blocked(fake.device, out, 1000);
	fclose(out);
	return result;
}

static void assert_text(const char *part, bool is_there)
{
	static char text[4096];

	assert_int_equal(explain(text, sizeof text), 0);
	if (!strstr(text, part) != is_there)
		return;
	print_error("'%s' is %s:\n%s", part, is_there ? "not in" : "in", text);
	fail();
}

static void each_core_is_asked_twice(void **state)
{
	(void)state;
	fake.on_wait = answer_one;

	assert_text("1 process, of which 1 waits", true);

	assert_int_equal(questions, 4);
}

static void who_waits_for_itself_can_never_go_on(void **state)
{
	(void)state;
	fake.on_wait = answer_one;
	assert_text("can never go on, whatever the host does: process 1 (nothing)", true);
}

static void where_something_moved_nobody_is_called_stuck(void **state)
{
	(void)state;
	fake.on_wait = move_and_answer;
	assert_text("never", false);
}

static void a_silent_core_is_named_when_time_is_up(void **state)
{
	(void)state;
	fake.on_wait = answer_core_1;
	nreg_core(fake.region, 0)->status.running = self;
	assert_text("core 0 did not answer: it runs process 1 (nothing)", true);
}

static void pipes_and_places_that_are_not_there_do_no_harm(void **state)
{
	(void)state;
	fake.on_wait = answer_one;
	told.waits_at = 0x3fffffff;
	told.site = 65535;
	told.ends[0] = 0x3fffffff;
	assert_text("waits to read end 0, pipe 1073741823; written by nobody", true);
	told.self = 12345;
	assert_text("process 12345 (unknown)", true);
}

/* A line about children of nobody, or of the process itself, over and over. */
static void children_that_are_not_there_do_no_harm(void **state)
{
	(void)state;
	fake.on_wait = answer_one;
	told.first_end = NMSG_STATE_CHILDREN;
	told.end_count = NMSG_STATE_ENDS;
	for (unsigned i = 0; i < NMSG_STATE_ENDS; i++)
		told.ends[i] = i % 2 ? UINT32_MAX - i : nreg_self_process(self);
	assert_text(": 0 processes, ", true);
	told.ends[3] = 0;
	assert_text(": 0 processes, ", true);
}

static void who_waits_for_a_copy_can_go_on(void **state)
{
	(void)state;
	fake.on_wait = answer_one;
	told.waits_at = NMSG_WAITS_FOR_COPY;
	assert_text("1 process, of which 1 waits", true);
	assert_text("process 1 (nothing) on core 0 waits for a copy to be done\n", true);
	assert_text("never", false);
}

static void a_report_with_too_many_ends_makes_no_sense(void **state)
{
	char text[100];
	(void)state;
	fake.on_wait = answer_one;
	told.end_count = NMSG_STATE_ENDS + 1;

	assert_int_equal(explain(text, sizeof text), -EPROTO);
}

static void answers_that_nobody_waits_for_are_ignored(void **state)
{
	(void)state;
	fake_send(0, NCHAN_STATE, 0, 77, &told, sizeof told);

	assert_int_equal(nproc_wait(process, NULL, 1000), -ETIMEDOUT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define CLAIM_HERE(function) \
	cmocka_unit_test_setup_teardown(function, open_with_process, fake_close)
		CLAIM_HERE(each_core_is_asked_twice),
		CLAIM_HERE(who_waits_for_itself_can_never_go_on),
		CLAIM_HERE(where_something_moved_nobody_is_called_stuck),
		CLAIM_HERE(a_silent_core_is_named_when_time_is_up),
		CLAIM_HERE(pipes_and_places_that_are_not_there_do_no_harm),
		CLAIM_HERE(children_that_are_not_there_do_no_harm),
		CLAIM_HERE(who_waits_for_a_copy_can_go_on),
		CLAIM_HERE(a_report_with_too_many_ends_makes_no_sense),
		CLAIM_HERE(answers_that_nobody_waits_for_are_ignored),
#undef CLAIM_HERE
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
