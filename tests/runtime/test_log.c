/* Log lines become messages. */
#include "tests/runtime/fake.h"

static struct nproc *process;
static uint64_t self;
static char heard[8][400];
static unsigned count;

static void hear(void *context, const struct nproc *who, const char *text)
{
	assert_null(context);
	assert_ptr_equal(who, process);
	snprintf(heard[count++ % 8], sizeof heard[0], "%s", text);
}

static int open_with_process(void **state)
{
	const struct nproc_attr attr = {0, 0, NULL, 0, 0};

	fake_open(state);
	count = 0;
	if (nproc_spawn(fake.device, fake.image, "nothing", &attr, &process) ||
		nproc_set_log(fake.device, hear, NULL))
		return -1;
	self = fake_take_spawn(0);
	return 0;
}

/* The head's length is that of the text alone. */
static void send_log(unsigned core, uint64_t of, const char *text, unsigned follow)
{
	struct {
		uint64_t self;
		char text[NMSG_LOG_TEXT];
	} payload = {.self = of};
	unsigned nbytes = (unsigned)strlen(text);

	memcpy(payload.text, text, nbytes);
	nchan_tx_put(
		&fake.up[core], nchan_head(NCHAN_LOG, nbytes, 0, follow), &payload, sizeof payload);
}

static void listen(void)
{
	assert_int_equal(nproc_wait(process, NULL, 0), -EAGAIN);
}

static void one_line_is_one_message(void **state)
{
	(void)state;
	send_log(0, self, "hello", 0);
	send_log(0, self, "", 0);
	listen();
	assert_int_equal(count, 2);
	assert_string_equal(heard[0], "hello");
	assert_string_equal(heard[1], "");
}

static void a_newline_at_the_end_is_dropped(void **state)
{
	(void)state;
	send_log(0, self, "a\nb\n", 0);
	send_log(0, self, "\n", 0);
	listen();
	assert_string_equal(heard[0], "a\nb");
	assert_string_equal(heard[1], "");
}

static void lines_that_follow_are_joined(void **state)
{
	(void)state;
	send_log(0, self, "one ", 2);
	send_log(0, self, "two ", 1);
	listen();
	assert_int_equal(count, 0);
	send_log(0, self, "three", 0);
	listen();
	assert_int_equal(count, 1);
	assert_string_equal(heard[0], "one two three");
}

static void messages_of_two_cores_do_not_mix(void **state)
{
	(void)state;
	send_log(0, self, "one ", 1);
	send_log(1, self, "other", 0);
	send_log(0, self, "message", 0);
	listen();
	assert_int_equal(count, 2);
	assert_true(!strcmp(heard[0], "one message") || !strcmp(heard[1], "one message"));
}

static void a_message_that_does_not_go_on_is_given_up(void **state)
{
	(void)state;
	send_log(0, self, "never ends", 3);
	send_log(0, self, "whole", 0);
	listen();
	assert_int_equal(count, 1);
	assert_string_equal(heard[0], "whole");
}

static void a_message_of_nobody_is_dropped(void **state)
{
	(void)state;
	send_log(0, nreg_self(77, 1), "who?", 0);
	listen();
	assert_int_equal(count, 0);
}

static void the_last_words_of_a_process_are_heard(void **state)
{
	(void)state;
	send_log(0, self, "goodbye", 0);
	fake_exit(0, self, 0);
	assert_int_equal(nproc_wait(process, NULL, 0), 0);
	assert_int_equal(count, 1);
	assert_string_equal(heard[0], "goodbye");
}

#undef CLAIM
#define CLAIM(function) cmocka_unit_test_setup_teardown(function, open_with_process, fake_close)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CLAIM(one_line_is_one_message),
		CLAIM(a_newline_at_the_end_is_dropped),
		CLAIM(lines_that_follow_are_joined),
		CLAIM(messages_of_two_cores_do_not_mix),
		CLAIM(a_message_that_does_not_go_on_is_given_up),
		CLAIM(a_message_of_nobody_is_dropped),
		CLAIM(the_last_words_of_a_process_are_heard),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
