/*
 * Event loops: descriptors of devices and ends. On inproc an epoll loop sleeps in the kernel; a
 * simulation's cores run in nproc_device_dispatch() alone.
 */
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "tests/conformance/suite.h"

enum {
	MANY = 50
};

static bool is_readable(int fd, int timeout_ms)
{
	struct pollfd one = {.fd = fd, .events = POLLIN};

	return poll(&one, 1, timeout_ms) == 1 && one.revents == POLLIN;
}

/* Waits in poll(2) alone until the end is ready. */
static void loop_until_readable(int fd)
{
	int device_fd = nproc_device_fd(suite.device);
	struct pollfd both[] = {
		{.fd = (int)must(device_fd), .events = POLLIN}, {.fd = fd, .events = POLLIN}};

	while (!is_readable(fd, 0)) {
		assert_true(poll(both, 2, 20000) > 0);
		if (both[0].revents)
			must(nproc_device_dispatch(suite.device));
	}
}

static void a_device_has_one_descriptor(void **state)
{
	int fd = nproc_device_fd(suite.device);
	(void)state;

	assert_true(fd >= 0);
	assert_int_equal(nproc_device_fd(suite.device), fd);
	assert_int_equal(nproc_device_fd(NULL), -EBADF);
	assert_int_equal(nproc_device_dispatch(NULL), -EBADF);
	assert_true(is_readable(fd, 0));
}

/* When nothing happens the descriptor is not readable, however often it is asked. */
static void a_quiet_device_has_a_quiet_descriptor(void **state)
{
	int fd = (int)must(nproc_device_fd(suite.device));
	int busy = 0;
	(void)state;
	must(nproc_spawn(HERE, "wait_for_end", ENDS(make_pipe().read), &(struct nproc *){NULL}));

	while (is_readable(fd, 50)) {
		must(nproc_device_dispatch(suite.device));
		skip_unless(++busy < 1000 || (!is_only_one() && suite.info.is_coherent),
			"what cannot wake the host is looked at again and again");
		assert_true(busy < 10000);
	}
	for (int i = 0; i < 20; i++) {
		must(nproc_device_dispatch(suite.device));
		assert_false(is_readable(fd, 1));
	}
}

static void answers_come_through_an_event_loop(void **state)
{
	struct ends in = make_pipe(), out = make_pipe();
	struct nproc *process;
	uint64_t word = 0;
	int fd = npipe_fd(out.read);
	(void)state;
	must(fd);
	must(nproc_spawn(HERE, "add_one", ENDS(in.read, out.write), &process));
	must(npipe_set_timeout(out.read, 0));

	for (uint64_t i = 0; i < 300; i++) {
		must(npipe_write(in.write, &word, sizeof word));
		loop_until_readable(fd);
		assert_int_equal(must(npipe_read_full(out.read, &word, sizeof word)), sizeof word);
		assert_int_equal(word, i + 1);
		assert_false(is_readable(fd, 0));
	}
	npipe_close(in.write);
	loop_until_readable(fd);
	assert_int_equal(must(npipe_read(out.read, &word, 1)), 0);
	assert_true(is_readable(fd, 0));
	assert_int_equal(exit_code_of(process), 0);
}

static void the_descriptor_of_an_end_follows_calls_at_the_host(void **state)
{
	struct ends pipe = make_pipe();
	int readable = (int)must(npipe_fd(pipe.read)), writable = (int)must(npipe_fd(pipe.write));
	static uint8_t bytes[100000];
	int64_t written;
	(void)state;
	assert_int_equal(npipe_fd(pipe.read), readable);
	must(npipe_set_timeout(pipe.write, 0));

	assert_false(is_readable(readable, 0));
	assert_true(is_readable(writable, 0));
	written = must(npipe_write(pipe.write, bytes, sizeof bytes));
	assert_true(is_readable(readable, 0));
	assert_false(is_readable(writable, 0));
	must(npipe_read(pipe.read, bytes, NPIPE_BUF));
	assert_true(is_readable(writable, 0));
	must(npipe_read_full(pipe.read, bytes, (size_t)written - NPIPE_BUF));
	assert_false(is_readable(readable, 0));
	npipe_close(pipe.write);
	assert_true(is_readable(readable, 0));
}

static void the_descriptor_of_an_end_that_is_given_away_is_set(void **state)
{
	struct ends pipe = make_pipe();
	int fd = (int)must(npipe_fd(pipe.read));
	struct nproc *process;
	char byte;
	(void)state;
	must(nproc_spawn(HERE, "wait_for_end", ENDS(pipe.read), &process));

	assert_true(is_readable(fd, 0));
	assert_int_equal(npipe_read(pipe.read, &byte, 1), -EBADF);
	assert_int_equal(npipe_fd(pipe.read), fd);
	npipe_close(pipe.read);
	npipe_close(pipe.write);
	assert_int_equal(exit_code_of(process), 0);
}

static void an_end_that_was_given_away_gets_no_descriptor(void **state)
{
	struct ends pipe = make_pipe();
	struct nproc *process;
	(void)state;
	must(nproc_spawn(HERE, "wait_for_end", ENDS(pipe.read), &process));

	assert_int_equal(npipe_fd(pipe.read), -EBADF);
	assert_int_equal(npipe_fd(NULL), -EBADF);
	npipe_close(pipe.write);
	assert_int_equal(exit_code_of(process), 0);
}

/*
 * Both directions of many servers in one epoll set; each end is written or read once when its
 * descriptor says so.
 */
static void many_ends_in_one_loop(void **state)
{
	struct ends in[MANY], out[MANY];
	struct nproc *process[MANY];
	uint64_t sum = 0, expected = 0;
	int loop = epoll_create1(EPOLL_CLOEXEC), answers = 0;
	struct epoll_event event = {.events = EPOLLIN, .data.u32 = MANY};
	(void)state;
	assert_int_equal(epoll_ctl(loop, EPOLL_CTL_ADD, nproc_device_fd(suite.device), &event), 0);
	for (uint32_t i = 0; i < MANY; i++) {
		in[i] = make_pipe();
		out[i] = make_pipe();
		must(nproc_spawn(HERE, "add_one", ENDS(in[i].read, out[i].write), &process[i]));
		event.data.u32 = i;
		assert_int_equal(
			epoll_ctl(loop, EPOLL_CTL_ADD, (int)must(npipe_fd(out[i].read)), &event),
			0);
		must(npipe_write(in[i].write, &(uint64_t){i}, 8));
		expected += i + 1;
	}

	while (answers < MANY) {
		assert_int_equal(epoll_wait(loop, &event, 1, 20000), 1);
		if (event.data.u32 == MANY) {
			must(nproc_device_dispatch(suite.device));
		} else {
			uint64_t word;

			must(npipe_read_full(out[event.data.u32].read, &word, sizeof word));
			sum += word;
			answers++;
		}
	}
	close(loop);
	assert_int_equal(sum, expected);
}

/* What another thread takes is not lost for the loop. */
static void *wait_in_a_call(void *process)
{
	return (void *)(intptr_t)nproc_wait(process, NULL, NPROC_FOREVER);
}

static void a_loop_hears_what_other_threads_take(void **state)
{
	struct ends in = make_pipe(), out = make_pipe(), last = make_pipe();
	struct nproc *process, *waited;
	pthread_t thread;
	uint64_t word = 0;
	void *result;
	int fd = (int)must(nproc_device_fd(suite.device));
	(void)state;
	skip_unless(!is_simulation(), "both ends are one thread");
	must(nproc_spawn(HERE, "add_one", ENDS(in.read, out.write), &process));
	must(nproc_spawn(HERE, "wait_for_end", ENDS(last.read), &waited));
	must(npipe_set_timeout(out.read, 0));
	assert_int_equal(pthread_create(&thread, NULL, wait_in_a_call, waited), 0);

	for (uint64_t i = 0; i < 300; i++) {
		int64_t nbytes;

		must(npipe_write(in.write, &word, sizeof word));
		while ((nbytes = npipe_read(out.read, &word, sizeof word)) == -EAGAIN) {
			assert_true(is_readable(fd, 20000));
			must(nproc_device_dispatch(suite.device));
		}
		assert_int_equal(nbytes, sizeof word);
		assert_int_equal(word, i + 1);
	}
	npipe_close(last.write);
	assert_int_equal(pthread_join(thread, &result), 0);
	assert_null(result);
}

static void kills_get_on_in_an_event_loop(void **state)
{
	struct nproc *process[4];
	struct npoll ended[4];
	int fd = (int)must(nproc_device_fd(suite.device));
	int64_t ready;
	(void)state;
	skip_unless(suite.info.can_preempt, "endless kernels cannot be killed");
	for (int i = 0; i < 4; i++) {
		must(nproc_spawn(HERE, "spin", ON_CORE(0), &process[i]));
		ended[i] = (struct npoll){.process = process[i]};
	}

	for (int i = 0; i < 4; i++)
		must(nproc_kill(process[3 - i]));
	while ((ready = npipe_poll(ended, 4, 0)) != 4) {
		assert_true(ready == -EAGAIN || ready > 0);
		assert_true(is_readable(fd, 20000));
		must(nproc_device_dispatch(suite.device));
	}
}

static void descriptors_are_closed_with_their_owners(void **state)
{
	struct nproc_device *device;
	struct npipe *end[2], *more[2];
	int fds[3];
	(void)state;
	open_another("far=1M", &device);
	must(npipe_create(device, end));
	must(npipe_create(device, more));
	fds[0] = (int)must(npipe_fd(end[0]));
	fds[1] = (int)must(npipe_fd(more[0]));
	fds[2] = (int)must(nproc_device_fd(device));

	npipe_close(end[0]);
	assert_int_equal(fcntl(fds[0], F_GETFD), -1);
	assert_int_equal(fcntl(fds[1], F_GETFD), FD_CLOEXEC);
	nproc_device_close(device);
	assert_int_equal(fcntl(fds[1], F_GETFD), -1);
	assert_int_equal(fcntl(fds[2], F_GETFD), -1);
}

int run_loops(void)
{
	const struct CMUnitTest tests[] = {
		CLAIM(a_device_has_one_descriptor),
		CLAIM(a_quiet_device_has_a_quiet_descriptor),
		CLAIM(answers_come_through_an_event_loop),
		CLAIM(the_descriptor_of_an_end_follows_calls_at_the_host),
		CLAIM(the_descriptor_of_an_end_that_is_given_away_is_set),
		CLAIM(an_end_that_was_given_away_gets_no_descriptor),
		CLAIM(many_ends_in_one_loop),
		CLAIM(a_loop_hears_what_other_threads_take),
		CLAIM(kills_get_on_in_an_event_loop),
		CLAIM(descriptors_are_closed_with_their_owners),
	};

	return cmocka_run_group_tests_name("loops", tests, NULL, NULL);
}
