/* Pipes of packets: a write is one message, a read gives one. */
#include "tests/conformance/thread_readers.h"

static uint8_t bytes[400];

static struct ends make_packets(void)
{
	static const struct npipe_attr packets = {.flags = NPIPE_PACKET};
	struct npipe *end[2];

	must(npipe_create_with(suite.device, end, &packets));
	return (struct ends){end[0], end[1]};
}

static void assert_packet(struct npipe *end, size_t nbytes)
{
	uint8_t got[sizeof bytes];

	assert_int_equal(must(npipe_read(end, got, sizeof got)), nbytes);
	for (size_t i = 0; i < nbytes; i++)
		assert_int_equal(got[i], bytes[i]);
}

static int setup(void **state)
{
	for (size_t i = 0; i < sizeof bytes; i++)
		bytes[i] = stream_byte(i);
	return suite_open(state);
}

static void each_read_gives_one_write(void **state)
{
	struct ends pipe = make_packets();
	(void)state;

	for (size_t first = 1; first <= NPIPE_BUF; first += 8) {
		for (size_t i = first; i < first + 8; i++)
			must(npipe_write(pipe.write, bytes, i));
		for (size_t i = first; i < first + 8; i++)
			assert_packet(pipe.read, i);
	}
	npipe_close(pipe.write);
	assert_int_equal(must(npipe_read(pipe.read, bytes, 1)), 0);
}

/* Its buffer has room for several; they come one by one all the same. */
static void processes_hand_packets_on_one_by_one(void **state)
{
	struct ends in = make_packets(), between = make_packets(), out = make_packets();
	int last = (int)suite.info.core_count - 1;
	struct nproc *process[2];
	int64_t total = 0;
	(void)state;
	for (size_t i = 1; i <= 8; i++) /* before the reader moves */
		must(npipe_write(in.write, bytes, i));
	must(nproc_spawn(HERE, "echo", ENDS_ON(0, in.read, between.write), &process[0], 400));
	must(nproc_spawn(HERE, "echo", ENDS_ON(last, between.read, out.write), &process[1], 400));

	for (size_t i = 1; i <= 8; i++)
		assert_packet(out.read, i);
	for (size_t i = 1; i <= NPIPE_BUF; i++) {
		must(npipe_write(in.write, bytes, i));
		if (i % 3)
			continue;
		assert_packet(out.read, i - 2);
		assert_packet(out.read, i - 1);
		assert_packet(out.read, i);
	}
	npipe_close(in.write);
	for (size_t i = NPIPE_BUF - 1; i <= NPIPE_BUF; i++)
		assert_packet(out.read, i);
	assert_int_equal(must(npipe_read(out.read, bytes, 1)), 0);
	total = 8 * 9 / 2 + NPIPE_BUF * (NPIPE_BUF + 1) / 2;
	assert_int_equal(exit_code_of(process[0]), total);
	assert_int_equal(exit_code_of(process[1]), total);
}

static void a_write_of_more_than_a_line_gives_emsgsize_and_sends_nothing(void **state)
{
	struct ends pipe = make_packets();
	struct iovec parts[2] = {{bytes, NPIPE_BUF}, {bytes, 1}};
	struct nproc *process;
	struct npipe *copy;
	(void)state;
	must(npipe_dup(pipe.write, &copy));

	assert_int_equal(npipe_write(pipe.write, bytes, NPIPE_BUF + 1), -EMSGSIZE);
	assert_detail("56 bytes");
	assert_int_equal(npipe_writev(pipe.write, parts, 2), -EMSGSIZE);
	assert_detail("56 bytes");
	must(nproc_spawn(HERE, "write_once", ENDS(copy), &process, NPIPE_BUF + 1));
	assert_int_equal(exit_code_of(process), -EMSGSIZE);
	npipe_close(pipe.write);

	assert_int_equal(must(npipe_read(pipe.read, bytes, 1)), 0);
}

static void a_write_without_bytes_gives_einval_and_sends_nothing(void **state)
{
	struct ends pipe = make_packets();
	struct nproc *process;
	struct npipe *copy;
	(void)state;
	must(npipe_dup(pipe.write, &copy));

	assert_int_equal(npipe_write(pipe.write, bytes, 0), -EINVAL);
	assert_detail("1 to 56 bytes");
	assert_int_equal(npipe_write(pipe.write, NULL, 0), -EINVAL);
	assert_int_equal(npipe_writev(pipe.write, NULL, 0), -EINVAL);
	must(nproc_spawn(HERE, "write_once", ENDS(copy), &process, 0));
	assert_int_equal(exit_code_of(process), -EINVAL);
	npipe_close(pipe.write);

	assert_int_equal(must(npipe_read(pipe.read, bytes, 1)), 0);
}

static void a_message_larger_than_the_buffer_gives_emsgsize_and_stays(void **state)
{
	struct ends pipe = make_packets();
	uint8_t got[NPIPE_BUF];
	struct iovec parts[2] = {{got, 2}, {got + 2, 2}};
	(void)state;
	must(npipe_write(pipe.write, bytes, 5));

	assert_int_equal(npipe_read(pipe.read, got, 4), -EMSGSIZE);
	assert_detail("larger than the buffer");
	assert_int_equal(npipe_readv(pipe.read, parts, 2), -EMSGSIZE);
	assert_int_equal(npipe_read_full(pipe.read, got, 4), -EMSGSIZE);
	assert_int_equal(npipe_read(pipe.read, got, 0), 0);
	assert_packet(pipe.read, 5);
}

/* The message comes to a reader that waits, or not yet: neither may lose it. */
static void a_reader_that_waits_with_too_small_a_buffer_loses_nothing(void **state)
{
	struct ends in = make_packets(), out = make_packets();
	struct nproc *process;
	uint8_t got[3];
	(void)state;

	must(nproc_spawn(HERE, "write_once", ENDS(out.write), &process, 5));
	assert_int_equal(npipe_read(out.read, got, 3), -EMSGSIZE);
	assert_packet(out.read, 5);
	assert_int_equal(exit_code_of(process), 5);

	must(nproc_spawn(HERE, "read_again_with_room", ENDS(in.read), &process, 3));
	must(npipe_write(in.write, bytes, 5));
	assert_int_equal(exit_code_of(process), 5);
}

static void read_full_is_filled_with_whole_messages(void **state)
{
	struct ends pipe = make_packets(), other = make_packets();
	struct nproc *process;
	uint8_t got[20];
	(void)state;
	for (int i = 0; i < 3; i++) {
		must(npipe_write(pipe.write, bytes, 8));
		must(npipe_write(other.write, bytes, 8));
	}

	assert_int_equal(must(npipe_read_full(pipe.read, got, 16)), 16);
	must(npipe_write(pipe.write, bytes, 13));
	assert_int_equal(must(npipe_read_full(pipe.read, got, sizeof got)), 8);
	assert_packet(pipe.read, 13);
	must(nproc_spawn(HERE, "read_full_once", ENDS(other.read), &process, 20));
	assert_int_equal(exit_code_of(process), 16);
}

static void readv_spreads_one_message(void **state)
{
	struct ends in = make_packets(), out = make_packets();
	struct nproc *process;
	uint8_t got[60] = {0};
	struct iovec parts[3] = {{got, 10}, {got + 10, 0}, {got + 10, 50}};
	(void)state;
	must(nproc_spawn(HERE, "echo", ENDS(in.read, out.write), &process, 56));

	must(npipe_write(in.write, bytes, 30));
	must(npipe_write(in.write, bytes, 9));
	assert_int_equal(must(npipe_readv(out.read, parts, 3)), 30);
	assert_memory_equal(got, bytes, 30);
	assert_int_equal(must(npipe_readv(out.read, parts, 3)), 9);
}

static void a_closed_pipe_gives_epipe(void **state)
{
	struct ends pipe = make_packets();
	(void)state;
	npipe_close(pipe.read);

	assert_int_equal(npipe_write(pipe.write, bytes, 1), -EPIPE);
}

static void a_relay_keeps_messages_apart(void **state)
{
	static const struct npipe_attr packets = {.flags = NPIPE_PACKET};
	struct ends pipe = make_packets();
	struct nproc_device *other;
	struct npipe *stream[2], *far_away[2];
	struct npipe_relay *relay;
	(void)state;
	open_another("cores=1", &other);
	must(npipe_create(other, stream));
	must(npipe_create_with(other, far_away, &packets));

	assert_int_equal(npipe_relay(pipe.read, stream[1], 0, &relay), -EINVAL);
	assert_detail("NPIPE_PACKET");
	must(npipe_relay(pipe.read, far_away[1], 0, &relay));
	for (size_t i = 1; i <= 3; i++)
		must(npipe_write(pipe.write, bytes, i));
	npipe_close(pipe.write);
	must(npipe_relay_run(relay, NPROC_FOREVER));

	for (size_t i = 1; i <= 3; i++)
		assert_packet(far_away[0], i);
	npipe_relay_close(relay);
	nproc_device_close(other);
}

/* ---- several readers and writers ------------------------------------------------------------- */

enum {
	WRITERS = 4,
	RECORDS = 150,
};

static void *read_records(void *argument)
{
	struct reader *reader = argument;
	uint8_t record[2 * RECORD_BYTES];
	int64_t nbytes;

	while ((nbytes = npipe_read(reader->end, record, sizeof record)) > 0) {
		reader->wrong += nbytes != RECORD_BYTES;
		for (unsigned i = 1; i < RECORD_BYTES; i++)
			reader->wrong += record[i] != record[0];
		reader->got++;
	}
	reader->wrong += nbytes != 0;
	return NULL;
}

static void spawn_writers(const struct ends *pipe, struct nproc **process)
{
	for (unsigned i = 0; i < WRITERS; i++) {
		struct npipe *copy;

		must(npipe_dup(pipe->write, &copy));
		must(nproc_spawn(HERE, "write_records",
			ENDS_ON((int)(i % suite.info.core_count), copy), &process[i], i, RECORDS));
	}
	npipe_close(pipe->write);
}

static void each_message_goes_whole_to_one_of_several_threads(void **state)
{
	struct ends pipe = make_packets();
	struct nproc *process[WRITERS];
	struct reader reader[READERS];
	(void)state;
	skip_unless(!is_simulation(), "several threads read");
	start_readers(reader, pipe.read, read_records);
	spawn_writers(&pipe, process);

	assert_int_equal(join_readers(reader), WRITERS * RECORDS);
	for (unsigned i = 0; i < WRITERS; i++)
		assert_int_equal(exit_code_of(process[i]), 0);
}

static void each_message_goes_whole_to_one_of_several_processes(void **state)
{
	struct ends pipe = make_packets();
	struct nproc *process[WRITERS], *reader;
	(void)state;
	must(nproc_spawn(HERE, "share_reading", ENDS(pipe.read), &reader, READERS, false));
	spawn_writers(&pipe, process);

	assert_int_equal(exit_code_of(reader), WRITERS * RECORDS);
	for (unsigned i = 0; i < WRITERS; i++)
		assert_int_equal(exit_code_of(process[i]), 0);
}

int run_packets(void)
{
#define PACKET_CLAIM(function) cmocka_unit_test_setup_teardown(function, setup, suite_close)
	const struct CMUnitTest tests[] = {
		PACKET_CLAIM(each_read_gives_one_write),
		PACKET_CLAIM(processes_hand_packets_on_one_by_one),
		PACKET_CLAIM(a_write_of_more_than_a_line_gives_emsgsize_and_sends_nothing),
		PACKET_CLAIM(a_write_without_bytes_gives_einval_and_sends_nothing),
		PACKET_CLAIM(a_message_larger_than_the_buffer_gives_emsgsize_and_stays),
		PACKET_CLAIM(a_reader_that_waits_with_too_small_a_buffer_loses_nothing),
		PACKET_CLAIM(read_full_is_filled_with_whole_messages),
		PACKET_CLAIM(readv_spreads_one_message),
		PACKET_CLAIM(a_closed_pipe_gives_epipe),
		PACKET_CLAIM(a_relay_keeps_messages_apart),
		PACKET_CLAIM(each_message_goes_whole_to_one_of_several_threads),
		PACKET_CLAIM(each_message_goes_whole_to_one_of_several_processes),
	};

	return cmocka_run_group_tests_name("packets", tests, NULL, NULL);
}
