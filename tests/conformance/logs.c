/* What kernels log reaches the host's callback. */
#include "tests/conformance/suite.h"

static struct {
	char text[400];
	const struct nproc *process;
	unsigned count;
	unsigned long last_number;
	bool in_order;
} heard;

static void hear(void *context, const struct nproc *process, const char *text)
{
	unsigned long number = strtoul(text, NULL, 10);

	assert_ptr_equal(context, &heard);
	snprintf(heard.text, sizeof heard.text, "%s", text);
	heard.in_order = heard.in_order && (!heard.count || number > heard.last_number);
	heard.last_number = number;
	heard.process = process;
	heard.count++;
}

static void listen(void)
{
	memset(&heard, 0, sizeof heard);
	heard.in_order = true;
	must(nproc_set_log(suite.device, hear, &heard));
}

static void messages_are_formatted_like_printf(void **state)
{
	struct nproc *process;
	char expected[400];
	void *memory;
	(void)state;
	listen();
	must(nmem_alloc(suite.device, 1, &memory));

	must(nproc_spawn(HERE, "log_kinds", NULL, &process, -12, 2.5, memory));
	must(nproc_wait(process, NULL, NPROC_FOREVER));

	snprintf(expected, sizeof expected, "%d %5u|%-5d|%05d %x %c %s %.3f %p %% abc   ab", -12,
		42u, 7, 7, 0xbeefu, 'z', "text", 2.5, memory);
	assert_string_equal(heard.text, expected);
	assert_ptr_equal(heard.process, process);
	nproc_close(process);
}

static void messages_come_before_the_end_of_their_process(void **state)
{
	struct nproc *process;
	(void)state;
	listen();

	must(nproc_spawn(HERE, "log_numbers", NULL, &process, 5));
	assert_int_equal(exit_code_of(process), 0);

	assert_int_equal(heard.count, 5);
	assert_string_equal(heard.text, "number 4 of 5");
}

static void messages_keep_their_order(void **state)
{
	struct ends pipe = make_pipe();
	struct nproc *process;
	(void)state;
	listen();
	must(nproc_spawn(HERE, "log_when_told", ENDS(pipe.read), &process));

	for (int i = 0; i < 1000; i++)
		must(npipe_write(pipe.write, "x", 1));
	npipe_close(pipe.write);
	assert_int_equal(exit_code_of(process), 0);

	assert_true(heard.in_order);
	assert_true(heard.count > 0);
}

static void long_messages_are_cut_at_384_bytes(void **state)
{
	struct nproc *process;
	(void)state;
	listen();

	must(nproc_spawn(HERE, "log_long", NULL, &process));
	assert_int_equal(exit_code_of(process), 0);

	assert_int_equal(heard.count, 1);
	assert_int_equal(strlen(heard.text), 384);
}

/* A process never waits to be heard: what does not fit is dropped, and counted. */
static void case_76_every_message_is_heard_or_counted_as_dropped(void **state)
{
	enum {
		COUNT = 5000
	};
	struct nproc *process;
	struct nproc_stats stats;
	(void)state;
	listen();

	must(nproc_spawn(HERE, "log_numbers", NULL, &process, COUNT));
	assert_int_equal(exit_code_of(process), 0);

	must(nproc_stats(suite.device, &stats));
	assert_int_equal(heard.count + stats.log_dropped, COUNT);
	assert_true(heard.count > 0);
}

static void without_a_callback_messages_vanish(void **state)
{
	struct nproc *process;
	(void)state;
	listen();
	must(nproc_set_log(suite.device, NULL, NULL));

	must(nproc_spawn(HERE, "log_numbers", NULL, &process, 10));
	assert_int_equal(exit_code_of(process), 0);

	assert_int_equal(heard.count, 0);
}

static void spawn_from_callback(void *context, const struct nproc *process, const char *text)
{
	struct nproc *other;
	(void)process;
	(void)text;

	must(nproc_spawn(HERE, "exit_with", NULL, &other, 3));
	*(int64_t *)context += exit_code_of(other);
}

static void a_callback_may_call_the_library(void **state)
{
	int64_t total = 0;
	struct nproc *process;
	(void)state;
	must(nproc_set_log(suite.device, spawn_from_callback, &total));

	must(nproc_spawn(HERE, "log_numbers", NULL, &process, 4));
	assert_int_equal(exit_code_of(process), 0);

	assert_int_equal(total, 12);
}

static void a_handle_closed_early_is_good_in_the_callback(void **state)
{
	struct ends pipe = make_pipe();
	struct nproc *process;
	char byte;
	(void)state;
	listen();

	must(nproc_spawn(HERE, "log_numbers", ENDS(pipe.write), &process, 3));
	nproc_close(process);

	assert_int_equal(must(npipe_read(pipe.read, &byte, 1)), 0);
	assert_int_equal(heard.count, 3);
}

int run_logs(void)
{
	const struct CMUnitTest tests[] = {
		CLAIM(messages_are_formatted_like_printf),
		CLAIM(messages_come_before_the_end_of_their_process),
		CLAIM(messages_keep_their_order),
		CLAIM(long_messages_are_cut_at_384_bytes),
		CLAIM(case_76_every_message_is_heard_or_counted_as_dropped),
		CLAIM(without_a_callback_messages_vanish),
		CLAIM(a_callback_may_call_the_library),
		CLAIM(a_handle_closed_early_is_good_in_the_callback),
	};

	return cmocka_run_group_tests_name("logs", tests, NULL, NULL);
}
