/* npipe_poll(): one wait at many ends and for many processes. */
#include "tests/conformance/suite.h"

#define AT(the_end, the_events) ((struct npoll){.end = (the_end), .events = (the_events)})
#define EXIT_OF(the_process)    ((struct npoll){.process = (the_process)})

static void nothing_to_wait_for_gives_echild(void **state)
{
	struct npoll nothing[2] = {{.revents = 7}, {.revents = 7}};
	(void)state;

	assert_int_equal(npipe_poll(nothing, 2, NPROC_FOREVER), -ECHILD);
	assert_int_equal(npipe_poll(NULL, 0, NPROC_FOREVER), -ECHILD);
	assert_int_equal(nothing[0].revents, 0);
}

static void time_passes_where_nothing_happens(void **state)
{
	struct ends pipe = make_pipe();
	struct npoll entry = AT(pipe.read, NPOLL_READ | NPOLL_WRITE);
	(void)state;

	assert_int_equal(npipe_poll(&entry, 1, 0), -EAGAIN);
	assert_int_equal(npipe_poll(&entry, 1, 1000 * 1000), -ETIMEDOUT);
	assert_int_equal(entry.revents, 0);
}

static void ends_of_a_pipe_of_the_host_tell_what_a_call_would_find(void **state)
{
	struct ends pipe = make_pipe();
	struct npoll entries[] = {
		AT(pipe.read, NPOLL_READ), AT(pipe.write, NPOLL_WRITE), AT(NULL, NPOLL_READ)};
	char byte;
	(void)state;

	assert_int_equal(must(npipe_poll(entries, 3, NPROC_FOREVER)), 1);
	assert_int_equal(entries[0].revents, 0);
	assert_int_equal(entries[1].revents, NPOLL_WRITE);
	must(npipe_write(pipe.write, "x", 1));
	assert_int_equal(must(npipe_poll(entries, 3, NPROC_FOREVER)), 2);
	assert_int_equal(entries[0].revents, NPOLL_READ);
	npipe_close(pipe.write);
	assert_int_equal(must(npipe_poll(entries, 1, NPROC_FOREVER)), 1);
	assert_int_equal(entries[0].revents, NPOLL_READ | NPOLL_HANGUP);
	must(npipe_read(pipe.read, &byte, 1));
	assert_int_equal(must(npipe_poll(entries, 1, NPROC_FOREVER)), 1);
	assert_int_equal(entries[0].revents, NPOLL_READ | NPOLL_HANGUP);
	assert_int_equal(npipe_read(pipe.read, &byte, 1), 0);
}

static void a_full_pipe_is_not_writable_until_it_is_read(void **state)
{
	struct ends pipe = make_pipe();
	struct npoll entry = AT(pipe.write, NPOLL_WRITE);
	static uint8_t bytes[100000];
	(void)state;
	must(npipe_set_timeout(pipe.write, 0));

	while (npipe_poll(&entry, 1, 0) == 1)
		assert_true(npipe_write(pipe.write, bytes, sizeof bytes) > 0);
	assert_int_equal(npipe_write(pipe.write, bytes, 1), -EAGAIN);
	must(npipe_read(pipe.read, bytes, NPIPE_BUF));
	assert_int_equal(must(npipe_poll(&entry, 1, NPROC_FOREVER)), 1);
	assert_true(npipe_write(pipe.write, bytes, 1) > 0);
	npipe_close(pipe.read);
	entry.events = 0;
	assert_int_equal(must(npipe_poll(&entry, 1, NPROC_FOREVER)), 1);
	assert_int_equal(entry.revents, NPOLL_HANGUP);
}

/* The process cannot write on, so it does not read, until the host has read what it wrote. */
static void a_pipe_to_a_process_is_writable_when_it_reads(void **state)
{
	struct ends in = make_pipe(), out = make_pipe();
	struct npoll entry = AT(in.write, NPOLL_WRITE);
	struct nproc *process;
	int64_t written = 0, now;
	char bytes[8];
	(void)state;
	must(nproc_spawn(HERE, "echo", ENDS(in.read, out.write), &process, 8));
	must(npipe_set_timeout(in.write, 1000 * 1000));

	while ((now = npipe_write(in.write, "abcdefgh", 8)) > 0)
		written += now;
	assert_int_equal(now, -ETIMEDOUT);
	assert_int_equal(npipe_poll(&entry, 1, 0), -EAGAIN);
	while (npipe_poll(&entry, 1, 0) == -EAGAIN)
		written -= must(npipe_read_full(out.read, bytes, sizeof bytes));
	assert_int_equal(entry.revents, NPOLL_WRITE);
	assert_int_equal(npipe_write(in.write, "abcdefgh", 8), 8);
	npipe_close(in.write);
	while ((now = must(npipe_read(out.read, bytes, sizeof bytes))))
		written -= now;
	assert_int_equal(written, -8);
	exit_code_of(process);
}

static void the_end_of_a_process_is_an_event(void **state)
{
	struct ends pipe = make_pipe();
	struct npoll entry;
	struct nproc *process;
	(void)state;
	must(nproc_spawn(HERE, "wait_for_end", ENDS(pipe.read), &process));
	entry = EXIT_OF(process);

	assert_int_equal(npipe_poll(&entry, 1, 1000 * 1000), -ETIMEDOUT);
	npipe_close(pipe.write);
	assert_int_equal(must(npipe_poll(&entry, 1, NPROC_FOREVER)), 1);
	assert_int_equal(entry.revents, NPOLL_EXIT);
	assert_int_equal(exit_code_of(process), 0);
}

static void an_end_that_was_given_away_is_an_error(void **state)
{
	struct ends pipe = make_pipe();
	struct npoll entry = AT(pipe.read, NPOLL_READ);
	struct nproc *process;
	(void)state;
	must(nproc_spawn(HERE, "wait_for_end", ENDS(pipe.read), &process));

	assert_int_equal(must(npipe_poll(&entry, 1, NPROC_FOREVER)), 1);
	assert_int_equal(entry.revents, NPOLL_ERROR);
	npipe_close(pipe.write);
	assert_int_equal(exit_code_of(process), 0);
}

/* Each of many processes is asked once, and answers in an order of its own. */
static void many_ends_are_served_as_they_answer(void **state)
{
	enum {
		COUNT = 600
	};
	static struct ends in[COUNT], out[COUNT];
	static struct npoll entries[2 * COUNT];
	static struct nproc *process[COUNT];
	unsigned answers = 0, exits = 0;
	(void)state;
	for (uint32_t i = 0; i < COUNT; i++) {
		in[i] = make_pipe();
		out[i] = make_pipe();
		must(nproc_spawn(
			HERE, "answer_once", ENDS(in[i].read, out[i].write), &process[i], i));
		entries[i] = AT(out[i].read, NPOLL_READ);
		entries[COUNT + i] = EXIT_OF(process[i]);
	}
	for (uint32_t i = 0; i < COUNT; i++)
		must(npipe_write(in[(i * 7) % COUNT].write, &i, sizeof i));

	while (answers + exits < 2 * COUNT) {
		int64_t ready = must(npipe_poll(entries, 2 * COUNT, NPROC_FOREVER));

		for (uint32_t i = 0; i < 2 * COUNT; i++) {
			uint32_t answer;

			ready -= entries[i].revents != 0;
			if (!entries[i].revents)
				continue;
			if (i < COUNT) {
				must(npipe_read_full(out[i].read, &answer, sizeof answer));
				assert_int_equal(((answer - i) * 7) % COUNT, i);
				answers++;
			} else {
				assert_int_equal(entries[i].revents, NPOLL_EXIT);
				assert_int_equal(exit_code_of(process[i - COUNT]), 0);
				exits++;
			}
			entries[i] = (struct npoll){0};
		}
		assert_int_equal(ready, 0);
	}
	assert_int_equal(answers, COUNT);
}

/* ---- several devices ------------------------------------------------------------------------- */

struct other {
	struct nproc_device *device;
	struct nproc_image *image;
	struct npipe *in[2], *out[2];
	struct nproc *process;
};

static void open_other(struct other *other)
{
	open_another("far=1M", &other->device);
	must(nproc_image_open(other->device, TEST_KERNELS_PATH, &other->image));
	must(npipe_create(other->device, other->in));
	must(npipe_create(other->device, other->out));
	must(nproc_spawn(other->device, other->image, "add_one", ENDS(other->in[0], other->out[1]),
		&other->process));
}

static void devices_are_waited_for_together(void **state)
{
	struct ends in = make_pipe(), out = make_pipe();
	struct npoll entries[4];
	struct nproc *process;
	struct other other;
	uint64_t word = 1;
	(void)state;
	must(nproc_spawn(HERE, "add_one", ENDS(in.read, out.write), &process));
	open_other(&other);
	entries[0] = AT(out.read, NPOLL_READ);
	entries[1] = AT(other.out[0], NPOLL_READ);
	entries[2] = EXIT_OF(process);
	entries[3] = EXIT_OF(other.process);

	assert_int_equal(npipe_poll(entries, 4, 0), -EAGAIN);
	assert_int_equal(npipe_poll(entries, 4, 1000 * 1000), -ETIMEDOUT);
	for (int i = 0; i < 100; i++) {
		struct npipe *to = i % 2 ? in.write : other.in[1];
		struct npipe *from = i % 2 ? out.read : other.out[0];

		must(npipe_write(to, &word, sizeof word));
		assert_int_equal(must(npipe_poll(entries, 4, NPROC_FOREVER)), 1);
		assert_int_equal(entries[i % 2 ? 0 : 1].revents, NPOLL_READ);
		must(npipe_read_full(from, &word, sizeof word));
	}
	assert_int_equal(word, 101);
	npipe_close(other.in[1]);
	entries[1] = (struct npoll){0};
	assert_int_equal(must(npipe_poll(entries, 4, NPROC_FOREVER)), 1);
	assert_int_equal(entries[3].revents, NPOLL_EXIT);
	nproc_device_close(other.device);
}

static void simulations_that_can_only_wait_are_found_out(void **state)
{
	struct npoll entries[2];
	struct other other;
	(void)state;
	skip_unless(is_simulation(), "a deadlock cannot be told from a long wait");
	open_other(&other);
	entries[0] = AT(make_pipe().read, NPOLL_READ);
	entries[1] = EXIT_OF(other.process);

	assert_int_equal(npipe_poll(entries, 1, NPROC_FOREVER), -EDEADLK);
	assert_detail("every process waits");
	assert_int_equal(npipe_poll(entries, 2, NPROC_FOREVER), -EDEADLK);
	assert_detail("any of the 2 simulations");
	nproc_device_close(other.device);
}

static void an_entry_belongs_to_one_device(void **state)
{
	struct npoll entry = {.end = make_pipe().read};
	struct other other;
	(void)state;
	open_other(&other);
	entry.process = other.process;

	assert_int_equal(npipe_poll(&entry, 1, 0), -EINVAL);
	assert_detail("different devices");
	nproc_device_close(other.device);
}

int run_polls(void)
{
	const struct CMUnitTest tests[] = {
		CLAIM(nothing_to_wait_for_gives_echild),
		CLAIM(time_passes_where_nothing_happens),
		CLAIM(ends_of_a_pipe_of_the_host_tell_what_a_call_would_find),
		CLAIM(a_full_pipe_is_not_writable_until_it_is_read),
		CLAIM(a_pipe_to_a_process_is_writable_when_it_reads),
		CLAIM(the_end_of_a_process_is_an_event),
		CLAIM(an_end_that_was_given_away_is_an_error),
		CLAIM(many_ends_are_served_as_they_answer),
		CLAIM(devices_are_waited_for_together),
		CLAIM(simulations_that_can_only_wait_are_found_out),
		CLAIM(an_entry_belongs_to_one_device),
	};

	return cmocka_run_group_tests_name("polls", tests, NULL, NULL);
}
