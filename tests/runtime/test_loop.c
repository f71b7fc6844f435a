/*
 * Event loops: when the device's descriptor is readable, and what that costs who does not use it.
 */
#include <poll.h>

#include "tests/runtime/fake.h"

static struct npipe *end[2];
static struct nproc *process;
static uint64_t self;

static int open_with_process(void **state)
{
	const struct nproc_attr attr = {0, 0, NULL, 0, 0};

	fake_open(state);
	if (nproc_spawn(fake.device, fake.image, "nothing", &attr, &process) ||
		npipe_create(fake.device, end))
		return -1;
	self = fake_take_spawn(0);
	return 0;
}

#define CLAIM_WITH_PROCESS(function) \
	cmocka_unit_test_setup_teardown(function, open_with_process, fake_close)

static bool is_readable(void)
{
	struct pollfd one = {.fd = nproc_device_fd(fake.device), .events = POLLIN};

	return poll(&one, 1, 0) == 1;
}

static void dispatch_until_quiet(void)
{
	for (int i = 0; is_readable(); i++) {
		assert_int_equal(nproc_device_dispatch(fake.device), 0);
		assert_true(i < 10);
	}
}

static void a_loop_begins_with_a_dispatch(void **state)
{
	(void)state;
	assert_true(is_readable());
	dispatch_until_quiet();
	assert_false(is_readable());
}

static void who_uses_no_descriptor_never_listens(void **state)
{
	(void)state;
	fake_exit(0, self, 0);
	assert_int_equal(nproc_wait(process, NULL, 1000), 0);
	assert_int_equal(npipe_set_timeout(end[0], 1000), 0);
	assert_int_equal(npipe_read(end[0], &(char){0}, 1), -ETIMEDOUT);

	assert_int_equal(fake.listens, 0);
}

static void each_line_makes_it_readable_until_it_is_taken(void **state)
{
	(void)state;
	dispatch_until_quiet();

	for (int i = 0; i < 5; i++) {
		fake_send(0, NCHAN_NOP, 0, 0, NULL, 0);
		assert_true(is_readable());
		dispatch_until_quiet();
	}
}

/*
 * A thread that waited in a call has cleared the wake word: the loop must hear the next line all
 * the same.
 */
static void a_drainer_that_leaves_without_lines_listens_for_the_loop(void **state)
{
	unsigned listens;
	(void)state;
	dispatch_until_quiet();
	listens = fake.listens;
	assert_int_equal(npipe_set_timeout(end[0], 1000), 0);

	assert_int_equal(npipe_read(end[0], &(char){0}, 1), -ETIMEDOUT);

	assert_true(fake.listens > listens);
	assert_false(is_readable());
	fake_send(0, NCHAN_NOP, 0, 0, NULL, 0);
	assert_true(is_readable());
}

static bool send_nop(void)
{
	fake_send(0, NCHAN_NOP, 0, 0, NULL, 0);
	fake.on_wait = NULL;
	return true;
}

static void lines_that_others_take_make_it_readable(void **state)
{
	(void)state;
	dispatch_until_quiet();
	fake.on_wait = send_nop;
	assert_int_equal(npipe_set_timeout(end[0], 1000), 0);

	assert_int_equal(npipe_read(end[0], &(char){0}, 1), -ETIMEDOUT);

	assert_true(is_readable());
	dispatch_until_quiet();
}

static void what_happens_between_ends_of_the_host_makes_it_readable(void **state)
{
	(void)state;
	dispatch_until_quiet();

	assert_int_equal(npipe_write(end[1], "x", 1), 1);

	assert_true(is_readable());
	dispatch_until_quiet();
}

/* More lines than one dispatch takes: it comes back for the rest. */
static void a_dispatch_takes_a_bounded_number_of_lines(void **state)
{
	(void)state;
	dispatch_until_quiet();
	for (int i = 0; i < NCHAN_FIFO_LINES - 1; i++)
		fake_send(0, NCHAN_NOP, 0, 0, NULL, 0);

	dispatch_until_quiet();

	fake_exit(0, self, 3);
	assert_true(is_readable());
	dispatch_until_quiet();
	assert_int_equal(nproc_wait(process, NULL, 0), 0);
}

static void a_line_that_makes_no_sense_ends_the_loop(void **state)
{
	(void)state;
	dispatch_until_quiet();
	fake_send(0, NCHAN_DATA, 999, 0, &self, sizeof self);

	assert_true(is_readable());
	assert_int_equal(nproc_device_dispatch(fake.device), -EPROTO);
	assert_detail("make no sense");
}

static void a_poll_looks_where_something_happened(void **state)
{
	struct npoll entries[] = {{.end = end[0], .events = NPOLL_READ}, {.process = process}};
	(void)state;
	assert_int_equal(npipe_poll(entries, 2, 0), -EAGAIN);
	assert_int_equal(npipe_poll(entries, 2, 1000), -ETIMEDOUT);
	fake_exit(0, self, 3);

	assert_int_equal(npipe_poll(entries, 2, 1000), 1);

	assert_int_equal(entries[0].revents, 0);
	assert_int_equal(entries[1].revents, NPOLL_EXIT);
}

static bool give_the_reading_end_away(void)
{
	const struct nproc_attr attr = {0, 1, end, 0, 0};
	struct nproc *reader;

	fake.on_wait = NULL;
	assert_int_equal(nproc_spawn(fake.device, fake.image, "nothing", &attr, &reader), 0);
	return true;
}

static void an_end_that_is_given_away_while_it_is_polled_is_an_error(void **state)
{
	struct npoll entry = {.end = end[0], .events = NPOLL_READ};
	(void)state;
	fake.on_wait = give_the_reading_end_away;

	assert_int_equal(npipe_poll(&entry, 1, 1000), 1);

	assert_int_equal(entry.revents, NPOLL_ERROR);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CLAIM(a_loop_begins_with_a_dispatch),
		CLAIM_WITH_PROCESS(who_uses_no_descriptor_never_listens),
		CLAIM(each_line_makes_it_readable_until_it_is_taken),
		CLAIM_WITH_PROCESS(a_drainer_that_leaves_without_lines_listens_for_the_loop),
		CLAIM_WITH_PROCESS(lines_that_others_take_make_it_readable),
		CLAIM_WITH_PROCESS(what_happens_between_ends_of_the_host_makes_it_readable),
		CLAIM_WITH_PROCESS(a_dispatch_takes_a_bounded_number_of_lines),
		CLAIM(a_line_that_makes_no_sense_ends_the_loop),
		CLAIM_WITH_PROCESS(a_poll_looks_where_something_happened),
		CLAIM_WITH_PROCESS(an_end_that_is_given_away_while_it_is_polled_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
