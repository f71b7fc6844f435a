/* How calls wait, and what a device that does wrong brings about. */
#include "tests/runtime/fake.h"

static struct npipe *end[2];
static struct nproc *process;
static uint64_t self;

/* A process on core 0, and a pipe of the host. */
static int open_with_process(void **state)
{
	const struct nproc_attr attr = {0, 0, NULL, 0, 0};

	fake_open(state);
	if (nproc_spawn(fake.device, fake.image, "nothing", &attr, &process) ||
		npipe_create(fake.device, end))
		return -1;
	self = fake_take_spawn(0);
	fake.clock_reads = 0;
	fake.waits = 0;
	return 0;
}

static bool send_exit(void)
{
	fake_exit(0, self, 7);
	fake.on_wait = NULL;
	return true;
}

static void a_wait_ends_with_the_line_it_waits_for(void **state)
{
	struct nproc_status status;
	(void)state;
	fake.on_wait = send_exit;

	assert_int_equal(nproc_wait(process, &status, NPROC_FOREVER), 0);

	assert_int_equal(status.exit_code, 7);
}

/* On the way of every message, neither the clock nor the device's wait is needed. */
static void what_is_there_is_taken_without_clock_or_wait(void **state)
{
	char byte;
	(void)state;
	assert_int_equal(npipe_set_timeout(end[0], 1000), 0);

	for (int i = 0; i < 100; i++) {
		assert_int_equal(npipe_write(end[1], "x", 1), 1);
		assert_int_equal(npipe_read(end[0], &byte, 1), 1);
	}
	fake_exit(0, self, 0);
	assert_int_equal(nproc_wait(process, NULL, 1000), 0);

	assert_int_equal(fake.clock_reads, 0);
	assert_int_equal(fake.waits, 0);
}

static void a_call_without_time_never_waits(void **state)
{
	char byte;
	(void)state;
	assert_int_equal(npipe_set_timeout(end[0], 0), 0);

	assert_int_equal(npipe_read(end[0], &byte, 1), -EAGAIN);
	assert_int_equal(nproc_wait(process, NULL, 0), -EAGAIN);

	assert_int_equal(fake.waits, 0);
	assert_int_equal(fake.clock_reads, 0);
}

static void time_is_up_when_the_devices_clock_says_so(void **state)
{
	char byte;
	(void)state;
	fake.now = 1000;
	assert_int_equal(npipe_set_timeout(end[0], 500), 0);

	assert_int_equal(npipe_read(end[0], &byte, 1), -ETIMEDOUT);

	assert_int_equal(fake.now, 1500);
}

static void a_timeout_beyond_the_clocks_end_is_for_ever(void **state)
{
	struct nproc_status status;
	(void)state;
	fake.now = 1000;
	fake.on_wait = send_exit;

	assert_int_equal(nproc_wait(process, &status, INT64_MAX), 0);

	assert_int_equal(fake.now, 1000);
}

/* The core takes the host's reports, and reports that. */
static void take_cursors(void)
{
	struct nchan_line line;

	while (nchan_rx_take(&fake.down[0], &line))
		if (nchan_head_kind(line.head) == NCHAN_CURSOR)
			nchan_tx_reported(&fake.up[0], line.word[0]);
	fake_report(0);
}

/* Case 20: lines that concern somebody else keep coming, and the deadline still counts. */
static bool send_nop(void)
{
	fake.now += 10;
	if (nchan_tx_room(&fake.up[0]) < 2)
		take_cursors();
	fake_send(0, NCHAN_NOP, 0, 0, NULL, 0);
	return true;
}

static void case_20_a_deadline_counts_while_lines_come(void **state)
{
	char byte;
	(void)state;
	fake.on_wait = send_nop;
	assert_int_equal(npipe_set_timeout(end[0], 10000), 0);

	assert_int_equal(npipe_read(end[0], &byte, 1), -ETIMEDOUT);

	assert_in_range(fake.now, 10000, 10020);
}

static void a_deadlock_is_reported(void **state)
{
	(void)state;
	assert_int_equal(nproc_wait(process, NULL, NPROC_FOREVER), -EDEADLK);
	assert_detail("nothing can happen any more");
	fake.on_wait = send_exit;
	assert_int_equal(nproc_wait(process, NULL, NPROC_FOREVER), 0);
}

/* Cases 16 and 25: everybody hears of it, and nobody tries again and again. */
static void case_16_case_25_a_device_that_has_gone_ends_all_waits(void **state)
{
	struct nproc_status status;
	char byte;
	(void)state;
	fake.wait_result = -ENODEV;

	assert_int_equal(npipe_read(end[0], &byte, 1), -ENODEV);
	assert_detail("the device fake has gone");
	assert_int_equal(nproc_wait(process, &status, NPROC_FOREVER), 0);
	assert_int_equal(status.state, NPROC_LOST);
	assert_int_equal(status.error, -ENODEV);
	assert_int_equal(npipe_read(end[0], &byte, 1), -ENODEV);
	assert_int_equal(fake.waits, 1);
}

/* Case 4: what the device said is in the words, though the call's error is another. */
static void case_4_an_unknown_failure_keeps_its_number(void **state)
{
	char byte;
	(void)state;
	fake.wait_result = -EIO;

	assert_int_equal(npipe_read(end[0], &byte, 1), -ENODEV);

	assert_detail("the device fake cannot be waited for any more (Input/output error)");
}

/* Case 23: the call gives up at its deadline; its buffer is the program's again. */
static void case_23_an_answer_after_the_deadline_is_for_the_next_call(void **state)
{
	const struct nproc_attr attr = {0, 1, &end[1], 0, 0};
	struct nproc *writer;
	char early[3] = "--", late[3] = "--";
	(void)state;
	assert_int_equal(nproc_spawn(fake.device, fake.image, "nothing", &attr, &writer), 0);
	assert_int_equal(npipe_set_timeout(end[0], 1000), 0);
	assert_int_equal(npipe_read(end[0], early, 2), -ETIMEDOUT);

	fake_send(0, NCHAN_DATA, 1, 0, "ab", 2);
	assert_int_equal(nproc_wait(process, NULL, 0), -EAGAIN); /* takes the line */

	assert_string_equal(early, "--");
	assert_int_equal(npipe_read(end[0], late, 2), 2);
	assert_string_equal(late, "ab");
}

static void a_thread_that_may_not_wait_does_no_harm(void **state)
{
	(void)state;
	fake.wait_result = -EPERM;
	assert_int_equal(nproc_wait(process, NULL, NPROC_FOREVER), -EPERM);
	assert_detail("only the thread that opened it");

	fake.wait_result = 0;
	fake.on_wait = send_exit;
	assert_int_equal(nproc_wait(process, NULL, NPROC_FOREVER), 0);
}

/* As another thread would, while this one waits at the handle. */
static bool give_the_reading_end_away(void)
{
	const struct nproc_attr attr = {0, 1, end, 0, 0};
	struct nproc *reader;

	fake.on_wait = NULL;
	assert_int_equal(nproc_spawn(fake.device, fake.image, "nothing", &attr, &reader), 0);
	return true;
}

static void who_waits_at_an_end_that_is_given_away_gets_ebadf(void **state)
{
	char byte;
	(void)state;
	fake.on_wait = give_the_reading_end_away;

	assert_int_equal(npipe_read(end[0], &byte, 1), -EBADF);
}

/* ---- reports --------------------------------------------------------------------------------- */

static unsigned cursors_taken(void)
{
	struct nchan_line line;
	unsigned cursors = 0;

	while (nchan_rx_take(&fake.down[0], &line))
		cursors += nchan_head_kind(line.head) == NCHAN_CURSOR;
	return cursors;
}

/*
 * A cursor line for every message would double the traffic: it goes out when the host is about to
 * sleep.
 */
static void few_lines_are_reported_before_sleep_only(void **state)
{
	(void)state;
	cursors_taken();
	fake_send(0, NCHAN_NOP, 0, 0, NULL, 0);
	assert_int_equal(nproc_wait(process, NULL, 0), -EAGAIN);
	fake_send(0, NCHAN_NOP, 0, 0, NULL, 0);
	assert_int_equal(nproc_wait(process, NULL, 0), -EAGAIN);
	assert_int_equal(cursors_taken(), 0);

	assert_int_equal(nproc_wait(process, NULL, 1000), -ETIMEDOUT);
	assert_int_equal(cursors_taken(), 1);
}

static void a_quarter_of_a_fifo_is_reported_at_once(void **state)
{
	(void)state;
	cursors_taken();
	for (int i = 0; i < NCHAN_FIFO_QUARTER; i++)
		fake_send(0, NCHAN_NOP, 0, 0, NULL, 0);

	assert_int_equal(nproc_wait(process, NULL, 0), -EAGAIN);

	assert_int_equal(cursors_taken(), 1);
}

static void a_sleeping_core_is_woken_once(void **state)
{
	struct nreg_core *shared = nreg_core(fake.region, 0);
	const struct nproc_attr attr = {0, 0, NULL, 0, 0};
	struct nproc *more;
	(void)state;
	shared->wake.asleep = 1;

	assert_int_equal(nproc_spawn(fake.device, fake.image, "nothing", &attr, &more), 0);
	assert_int_equal(nproc_spawn(fake.device, fake.image, "nothing", &attr, &more), 0);

	assert_int_equal(fake.wakes, 1);
	assert_int_equal(shared->wake.asleep, 0);
}

/* ---- lines that make no sense ---------------------------------------------------------------- */

/* After such a line nobody waits for what may have been lost. */
static void assert_broken(void)
{
	char byte;

	assert_int_equal(npipe_read(end[0], &byte, 1), -EPROTO);
	assert_detail("the device sent 1 lines that make no sense");
	assert_int_equal(nproc_wait(process, NULL, NPROC_FOREVER), -EPROTO);
	/* What needs no device goes on. */
	assert_int_equal(npipe_write(end[1], "x", 1), 1);
	assert_int_equal(npipe_read(end[0], &byte, 1), 1);
}

static void send_exit_line(const struct nmsg_exit *how)
{
	fake_send(0, NCHAN_EXIT, 0, 0, how, sizeof *how);
}

static void an_exit_of_nobody_breaks_the_protocol(void **state)
{
	(void)state;
	send_exit_line(&(struct nmsg_exit){.self = nreg_self(500, 1)});
	assert_broken();
}

static void an_exit_of_a_former_use_breaks_the_protocol(void **state)
{
	(void)state;
	send_exit_line(&(struct nmsg_exit){.self = self + (1 << 24)});
	assert_broken();
}

static void an_exit_of_an_id_out_of_range_breaks_the_protocol(void **state)
{
	(void)state;
	send_exit_line(&(struct nmsg_exit){.self = UINT64_MAX});
	assert_broken();
}

static void an_impossible_ending_breaks_the_protocol(void **state)
{
	(void)state;
	send_exit_line(&(struct nmsg_exit){.self = self, .ending = 4});
	assert_broken();
}

static void a_refusal_without_an_error_breaks_the_protocol(void **state)
{
	(void)state;
	send_exit_line(&(struct nmsg_exit){.self = self, .ending = NMSG_REFUSED, .value = 5});
	assert_broken();
}

static void an_exit_from_another_core_breaks_the_protocol(void **state)
{
	const struct nmsg_exit how = {.self = self};
	(void)state;
	fake_send(1, NCHAN_EXIT, 0, 0, &how, sizeof how);
	assert_broken();
}

static void an_answer_to_no_load_breaks_the_protocol(void **state)
{
	const struct nmsg_loaded loaded = {.image = 0};
	(void)state;
	fake_send(0, NCHAN_LOADED, 0, 0, &loaded, sizeof loaded);
	assert_broken();
}

static void a_line_that_only_hosts_send_breaks_the_protocol(void **state)
{
	(void)state;
	fake_send(0, NCHAN_SPAWN, 0, 0, NULL, 0);
	assert_broken();
}

static void a_line_of_no_kind_breaks_the_protocol(void **state)
{
	(void)state;
	fake_send(0, (enum nchan_kind)31, 0, 0, NULL, 0);
	assert_broken();
}

static void data_for_no_pipe_breaks_the_protocol(void **state)
{
	(void)state;
	fake_send(0, NCHAN_DATA, 900, 0, "x", 1);
	assert_broken();
}

static void data_without_credit_breaks_the_protocol(void **state)
{
	(void)state;
	fake_send(0, NCHAN_DATA, 1, 0, "x", 1);
	assert_broken();
}

static void a_close_of_ends_that_nobody_has_breaks_the_protocol(void **state)
{
	(void)state;
	fake_send(0, NCHAN_CLOSE, 1, 1, &(uint64_t){0x80000000}, 8);
	assert_broken();
}

/* Case 53: a distance that cannot be is ignored, not believed. */
static void case_53_a_cursor_ahead_of_all_lines_breaks_the_protocol(void **state)
{
	(void)state;
	fake_send(0, NCHAN_CURSOR, 0, 0, &(uint64_t){1000}, 8);
	assert_broken();
}

static void a_log_longer_than_any_breaks_the_protocol(void **state)
{
	(void)state;
	fake_send(0, NCHAN_LOG, 0, 8, &self, 8);
	assert_broken();
}

/* Lines of a reset device's former life are not taken at all. */
static void lines_of_another_generation_are_ignored(void **state)
{
	(void)state;
	fake.up[0].stamp ^= 3 << 1; /* generation 2 for 1 */
	send_exit_line(&(struct nmsg_exit){.self = self});

	assert_int_equal(nproc_wait(process, NULL, 0), -EAGAIN);
}

#undef CLAIM
#define CLAIM(function) cmocka_unit_test_setup_teardown(function, open_with_process, fake_close)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CLAIM(a_wait_ends_with_the_line_it_waits_for),
		CLAIM(what_is_there_is_taken_without_clock_or_wait),
		CLAIM(a_call_without_time_never_waits),
		CLAIM(time_is_up_when_the_devices_clock_says_so),
		CLAIM(a_timeout_beyond_the_clocks_end_is_for_ever),
		CLAIM(case_20_a_deadline_counts_while_lines_come),
		CLAIM(a_deadlock_is_reported),
		CLAIM(case_16_case_25_a_device_that_has_gone_ends_all_waits),
		CLAIM(case_4_an_unknown_failure_keeps_its_number),
		CLAIM(case_23_an_answer_after_the_deadline_is_for_the_next_call),
		CLAIM(a_thread_that_may_not_wait_does_no_harm),
		CLAIM(who_waits_at_an_end_that_is_given_away_gets_ebadf),
		CLAIM(few_lines_are_reported_before_sleep_only),
		CLAIM(a_quarter_of_a_fifo_is_reported_at_once),
		CLAIM(a_sleeping_core_is_woken_once),
		CLAIM(an_exit_of_nobody_breaks_the_protocol),
		CLAIM(an_exit_of_a_former_use_breaks_the_protocol),
		CLAIM(an_exit_of_an_id_out_of_range_breaks_the_protocol),
		CLAIM(an_impossible_ending_breaks_the_protocol),
		CLAIM(a_refusal_without_an_error_breaks_the_protocol),
		CLAIM(an_exit_from_another_core_breaks_the_protocol),
		CLAIM(an_answer_to_no_load_breaks_the_protocol),
		CLAIM(a_line_that_only_hosts_send_breaks_the_protocol),
		CLAIM(a_line_of_no_kind_breaks_the_protocol),
		CLAIM(data_for_no_pipe_breaks_the_protocol),
		CLAIM(data_without_credit_breaks_the_protocol),
		CLAIM(a_close_of_ends_that_nobody_has_breaks_the_protocol),
		CLAIM(case_53_a_cursor_ahead_of_all_lines_breaks_the_protocol),
		CLAIM(a_log_longer_than_any_breaks_the_protocol),
		CLAIM(lines_of_another_generation_are_ignored),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
