/* Relays: pipes of two devices joined, by the thread that runs the relay or by one of its own. */
#include "tests/conformance/suite.h"

enum {
	NBYTES = 100 * 1000
};

/* The other device. */
static struct {
	struct nproc_device *device;
	struct nproc_image *image;
	struct npipe *in[2], *out[2];
} other;

static void open_other(void)
{
	if (is_only_one())
		must(nproc_device_open("inproc:far=1M", &other.device));
	else
		open_another("far=1M", &other.device);
	must(nproc_image_open(other.device, TEST_KERNELS_PATH, &other.image));
	must(npipe_create(other.device, other.in));
	must(npipe_create(other.device, other.out));
}

static int open_both(void **state)
{
	suite_open(state);
	open_other();
	return 0;
}

static int close_both(void **state)
{
	nproc_device_close(other.device);
	other.device = NULL;
	return suite_close(state);
}

static struct nproc *spawn_source(struct npipe *end, uint64_t nbytes)
{
	struct nproc *process;

	must(nproc_spawn(HERE, "source", ENDS(end), &process, nbytes, 100));
	return process;
}

static struct nproc *spawn_sink(struct npipe *end)
{
	struct nproc *process;

	must(nproc_spawn(other.device, other.image, "sink", ENDS(end), &process, 333));
	return process;
}

static void a_stream_passes_from_device_to_device(void **state)
{
	struct ends pipe = make_pipe();
	struct nproc *source = spawn_source(pipe.write, NBYTES), *sink = spawn_sink(other.in[0]);
	struct npipe_relay *relay;
	uint64_t nbytes;
	(void)state;
	must(npipe_relay(pipe.read, other.in[1], 0, &relay));

	must(npipe_relay_run(relay, NPROC_FOREVER));

	assert_int_equal(exit_code_of(source), 0);
	assert_int_equal(exit_code_of(sink), NBYTES);
	assert_int_equal(npipe_relay_wait(relay, NPROC_FOREVER, &nbytes), 0);
	assert_int_equal(nbytes, NBYTES);
	npipe_relay_close(relay);
}

static void a_thread_of_the_relay_does_it_alone(void **state)
{
	struct ends pipe = make_pipe();
	struct npipe_relay *relay;
	struct nproc *source, *sink;
	uint64_t nbytes;
	(void)state;
	skip_unless(!is_simulation(), "both ends are one thread");
	must(npipe_relay(pipe.read, other.in[1], NPIPE_RELAY_THREAD, &relay));
	assert_int_equal(npipe_relay_run(relay, 0), -EBUSY);
	assert_int_equal(npipe_relay_wait(relay, 0, NULL), -EAGAIN);

	source = spawn_source(pipe.write, NBYTES);
	sink = spawn_sink(other.in[0]);

	assert_int_equal(exit_code_of(sink), NBYTES);
	assert_int_equal(exit_code_of(source), 0);
	assert_int_equal(npipe_relay_wait(relay, NPROC_FOREVER, &nbytes), 0);
	assert_int_equal(nbytes, NBYTES);
	npipe_relay_close(relay);
}

/* A question crosses to the other device, and its answer comes back. */
static void two_relays_make_a_round_trip(void **state)
{
	struct ends there = make_pipe(), back = make_pipe();
	struct npipe_relay *relays[2];
	struct nproc *process;
	uint64_t word = 0;
	(void)state;
	skip_unless(!is_simulation(), "both ends are one thread");
	must(nproc_spawn(
		other.device, other.image, "add_one", ENDS(other.in[0], other.out[1]), &process));
	must(npipe_relay(there.read, other.in[1], NPIPE_RELAY_THREAD, &relays[0]));
	must(npipe_relay(other.out[0], back.write, NPIPE_RELAY_THREAD, &relays[1]));

	for (uint64_t i = 1; i <= 200; i++) {
		must(npipe_write(there.write, &word, sizeof word));
		assert_int_equal(must(npipe_read_full(back.read, &word, sizeof word)), sizeof word);
		assert_int_equal(word, i);
	}
	npipe_close(there.write);
	assert_int_equal(npipe_read(back.read, &word, sizeof word), 0);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(npipe_relay_wait(relays[i], NPROC_FOREVER, NULL), 0);
		npipe_relay_close(relays[i]);
	}
	assert_int_equal(exit_code_of(process), 0);
}

static void a_full_pipe_holds_the_relay_up(void **state)
{
	struct ends pipe = make_pipe();
	struct nproc *source = spawn_source(pipe.write, NBYTES);
	static uint8_t bytes[NBYTES];
	struct npipe_relay *relay;
	uint64_t nbytes = 0, before, done = 0;
	(void)state;
	must(npipe_relay(pipe.read, other.in[1], 0, &relay));

	do {
		before = nbytes;
		assert_int_equal(npipe_relay_run(relay, 20 * 1000 * 1000), -ETIMEDOUT);
		assert_int_equal(npipe_relay_wait(relay, 0, &nbytes), -EAGAIN);
	} while (!nbytes || nbytes != before);
	assert_in_range(nbytes, 1, NBYTES / 2);
	must(npipe_set_timeout(other.in[0], 0));
	for (;;) {
		int64_t now = npipe_read(other.in[0], bytes + done, sizeof bytes - done);

		if (!now || done == NBYTES)
			break;
		if (now == -EAGAIN)
			npipe_relay_run(relay, 0);
		else
			done += (uint64_t)must(now);
	}

	assert_int_equal(done, NBYTES);
	for (size_t i = 0; i < NBYTES; i++)
		assert_int_equal(bytes[i], stream_byte(i));
	assert_int_equal(npipe_relay_run(relay, NPROC_FOREVER), 0);
	npipe_relay_close(relay);
	assert_int_equal(exit_code_of(source), 0);
}

static void who_writes_to_a_relay_without_reader_gets_epipe(void **state)
{
	struct ends pipe = make_pipe();
	struct npipe_relay *relay;
	struct nproc *process;
	(void)state;
	must(nproc_spawn(HERE, "write_until_error", ENDS(pipe.write), &process));
	must(npipe_relay(pipe.read, other.in[1], 0, &relay));
	assert_int_equal(npipe_relay_run(relay, 1000 * 1000), -ETIMEDOUT);

	npipe_close(other.in[0]);

	assert_int_equal(npipe_relay_run(relay, NPROC_FOREVER), -EPIPE);
	assert_int_equal(exit_code_of(process), -EPIPE);
	assert_int_equal(npipe_relay_wait(relay, 0, NULL), -EPIPE);
	npipe_relay_close(relay);
}

/* Nothing flows, and yet the relay notices. */
static void an_idle_relay_ends_with_its_reader(void **state)
{
	struct ends pipe = make_pipe();
	struct npipe_relay *relay;
	(void)state;
	must(npipe_relay(pipe.read, other.in[1], 0, &relay));
	assert_int_equal(npipe_relay_run(relay, 0), -EAGAIN);

	npipe_close(other.in[0]);

	assert_int_equal(npipe_relay_run(relay, NPROC_FOREVER), -EPIPE);
	assert_int_equal(npipe_write(pipe.write, "x", 1), -EPIPE);
	npipe_relay_close(relay);
}

static void closing_a_device_ends_its_relays(void **state)
{
	static const unsigned flags[] = {0, NPIPE_RELAY_THREAD};
	(void)state;

	for (unsigned i = 0; i < (is_simulation() ? 1 : 2); i++) {
		struct ends pipe = make_pipe();
		struct npipe_relay *relay;

		if (!other.device)
			open_other();
		must(npipe_relay(pipe.read, other.in[1], flags[i], &relay));
		nproc_device_close(other.device);
		other.device = NULL;

		assert_int_equal(npipe_relay_wait(relay, NPROC_FOREVER, NULL), -ENODEV);
		assert_int_equal(npipe_write(pipe.write, "x", 1), -EPIPE);
		npipe_relay_close(relay);
	}
}

static void closing_a_relay_closes_its_ends(void **state)
{
	struct ends pipe = make_pipe();
	struct npipe_relay *relay;
	char byte;
	(void)state;
	must(npipe_relay(pipe.read, other.in[1], 0, &relay));

	npipe_relay_close(relay);

	assert_int_equal(npipe_write(pipe.write, "x", 1), -EPIPE);
	assert_int_equal(npipe_read(other.in[0], &byte, 1), 0);
	npipe_relay_close(NULL);
}

static void a_relay_joins_pipes_of_one_device_too(void **state)
{
	struct ends one = make_pipe(), two = make_pipe();
	struct nproc *source = spawn_source(one.write, NBYTES), *sink;
	struct npipe_relay *relay;
	(void)state;
	must(nproc_spawn(HERE, "sink", ENDS(two.read), &sink, 77));
	must(npipe_relay(one.read, two.write, 0, &relay));

	must(npipe_relay_run(relay, NPROC_FOREVER));

	assert_int_equal(exit_code_of(source), 0);
	assert_int_equal(exit_code_of(sink), NBYTES);
	npipe_relay_close(relay);
}

static void what_is_no_pair_of_ends_is_refused(void **state)
{
	struct ends pipe = make_pipe();
	struct npipe_relay *relay;
	(void)state;

	assert_int_equal(npipe_relay(pipe.write, other.in[1], 0, &relay), -EBADF);
	assert_null(relay);
	assert_int_equal(npipe_relay(pipe.read, other.in[0], 0, &relay), -EBADF);
	assert_detail("a reading and a writing end");
	assert_int_equal(npipe_relay(NULL, other.in[1], 0, &relay), -EBADF);
	assert_int_equal(npipe_relay(pipe.read, other.in[1], 8, &relay), -EINVAL);
	assert_int_equal(npipe_relay_run(NULL, 0), -EBADF);
	assert_int_equal(npipe_relay_wait(NULL, 0, NULL), -EBADF);
}

#define RELAY(function) cmocka_unit_test_setup_teardown(function, open_both, close_both)

int run_relays(void)
{
	const struct CMUnitTest tests[] = {
		RELAY(a_stream_passes_from_device_to_device),
		RELAY(a_thread_of_the_relay_does_it_alone),
		RELAY(two_relays_make_a_round_trip),
		RELAY(a_full_pipe_holds_the_relay_up),
		RELAY(who_writes_to_a_relay_without_reader_gets_epipe),
		RELAY(an_idle_relay_ends_with_its_reader),
		RELAY(closing_a_device_ends_its_relays),
		RELAY(closing_a_relay_closes_its_ends),
		RELAY(a_relay_joins_pipes_of_one_device_too),
		RELAY(what_is_no_pair_of_ends_is_refused),
	};

	return cmocka_run_group_tests_name("relays", tests, NULL, NULL);
}
