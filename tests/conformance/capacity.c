/* Pipes with a capacity: how many lines may be unread. */
#include "tests/conformance/suite.h"

static const uint32_t capacities[] = {1, 2, 3, 16, 17, 40, NPIPE_CAPACITY_MAX};

enum {
	CAPACITIES = sizeof capacities / sizeof capacities[0],
	A_MOMENT = 2 * 1000 * 1000, /* ns */
};

static struct ends make_with(uint32_t capacity)
{
	struct npipe_attr attr = {.capacity = capacity};
	struct npipe *end[2];

	must(npipe_create_with(suite.device, end, &attr));
	return (struct ends){end[0], end[1]};
}

/* Room for `count` more writes comes, and for no other one. */
static void assert_takes(struct npipe *end, uint32_t count)
{
	must(npipe_set_timeout(end, NPROC_FOREVER));
	for (uint32_t i = 0; i < count; i++)
		assert_int_equal(must(npipe_write(end, "x", 1)), 1);
	must(npipe_set_timeout(end, 0));
	assert_int_equal(npipe_write(end, "x", 1), -EAGAIN);
	must(npipe_set_timeout(end, A_MOMENT));
	assert_int_equal(npipe_write(end, "x", 1), -ETIMEDOUT);
}

static void a_pipe_of_the_host_holds_its_capacity(void **state)
{
	char bytes[NPIPE_CAPACITY_MAX];
	(void)state;

	for (unsigned i = 0; i < CAPACITIES; i++) {
		struct ends pipe = make_with(capacities[i]);

		assert_takes(pipe.write, capacities[i]);
		assert_int_equal(must(npipe_read(pipe.read, bytes, 1)), 1);
		assert_takes(pipe.write, 1);
		assert_int_equal(must(npipe_read(pipe.read, bytes, sizeof bytes)), capacities[i]);
		assert_takes(pipe.write, capacities[i]);
		npipe_close(pipe.read);
		npipe_close(pipe.write);
	}
}

/* A large write is as many lines as there is room for. */
static void a_large_write_takes_the_capacity_in_lines(void **state)
{
	static const char bytes[2 * NPIPE_CAPACITY_MAX * NPIPE_BUF];
	(void)state;

	for (unsigned i = 0; i < CAPACITIES; i++) {
		struct ends pipe = make_with(capacities[i]);

		must(npipe_set_timeout(pipe.write, 0));
		assert_int_equal(must(npipe_write(pipe.write, bytes, sizeof bytes)),
			capacities[i] * NPIPE_BUF);
	}
}

static void a_process_that_does_not_read_leaves_room_for_the_capacity(void **state)
{
	(void)state;
	for (unsigned i = 0; i < CAPACITIES; i++) {
		struct ends pipe = make_with(capacities[i]), other = make_pipe();
		struct nproc *process;

		must(nproc_spawn(HERE, "wait_for_end", ENDS(other.read, pipe.read), &process));
		assert_takes(pipe.write, capacities[i]);
		npipe_close(other.write);
		assert_int_equal(exit_code_of(process), 0);
		npipe_close(pipe.write);
	}
}

/* Written before the reader moved counts, too. */
static void a_move_does_not_add_room(void **state)
{
	struct ends pipe = make_with(20), other = make_pipe();
	struct nproc *process;
	(void)state;
	assert_takes(pipe.write, 20);

	must(nproc_spawn(HERE, "wait_for_end", ENDS(other.read, pipe.read), &process));

	assert_takes(pipe.write, 0);
	npipe_close(other.write);
	assert_int_equal(exit_code_of(process), 0);
}

/* Also while the host writes as much: each place has its own room. */
static void a_process_waits_at_the_capacity(void **state)
{
	char bytes[2 * NPIPE_CAPACITY_MAX];
	(void)state;

	for (unsigned i = 0; i < CAPACITIES; i++) {
		struct ends pipe = make_with(capacities[i]), count = make_pipe();
		struct nproc *process;
		struct npipe *copy;
		uint32_t written = 0;

		must(npipe_dup(pipe.write, &copy));
		must(nproc_spawn(HERE, "write_and_count", ENDS(copy, count.write), &process,
			capacities[i] + 1));
		while (written < capacities[i])
			must(npipe_read_full(count.read, &written, sizeof written));
		must(npipe_set_timeout(count.read, A_MOMENT));
		assert_int_equal(npipe_read(count.read, &written, sizeof written), -ETIMEDOUT);
		assert_takes(pipe.write, capacities[i]);
		assert_int_equal(
			must(npipe_read(pipe.read, bytes, sizeof bytes)), 2 * capacities[i]);
		assert_int_equal(exit_code_of(process), 0);
	}
}

static void data_flows_whatever_the_capacity(void **state)
{
	(void)state;
	for (unsigned i = 0; i < CAPACITIES; i++) {
		struct ends pipe = make_with(capacities[i]);
		int last = (int)suite.info.core_count - 1;
		struct nproc *writer, *reader;

		must(nproc_spawn(HERE, "source", ENDS_ON(0, pipe.write), &writer, 20000, 300));
		must(nproc_spawn(HERE, "sink", ENDS_ON(last, pipe.read), &reader, 77));
		assert_int_equal(exit_code_of(writer), 0);
		assert_int_equal(exit_code_of(reader), 20000);
	}
}

static void attributes_that_make_no_sense_give_einval(void **state)
{
	struct npipe_attr large = {.capacity = NPIPE_CAPACITY_MAX + 1};
	struct npipe_attr unknown = {.flags = 1u << 31};
	struct npipe *end[2];
	(void)state;

	assert_int_equal(npipe_create_with(suite.device, end, &large), -EINVAL);
	assert_detail("at most 63");
	assert_null(end[0]);
	assert_int_equal(npipe_create_with(suite.device, end, &unknown), -EINVAL);
	assert_detail("NPIPE_PACKET");
	must(npipe_create_with(suite.device, end, NULL));
}

int run_capacity(void)
{
	const struct CMUnitTest tests[] = {
		CLAIM(a_pipe_of_the_host_holds_its_capacity),
		CLAIM(a_large_write_takes_the_capacity_in_lines),
		CLAIM(a_process_that_does_not_read_leaves_room_for_the_capacity),
		CLAIM(a_move_does_not_add_room),
		CLAIM(a_process_waits_at_the_capacity),
		CLAIM(data_flows_whatever_the_capacity),
		CLAIM(attributes_that_make_no_sense_give_einval),
	};

	return cmocka_run_group_tests_name("capacity", tests, NULL, NULL);
}
