/* npipe_writev() and npipe_readv(): bytes in several parts behave as if they lay in one piece. */
#include "tests/conformance/suite.h"

enum {
	PARTS = 7,
	STREAM_BYTES = 100000,
};

static uint8_t stream[STREAM_BYTES];

/* Cuts nbytes into PARTS parts, some of them empty, in a way that depends on `seed`. */
static void cut(struct iovec *parts, uint8_t *bytes, size_t nbytes, unsigned seed)
{
	size_t done = 0;

	for (unsigned i = 0; i < PARTS; i++) {
		size_t now = i + 1 == PARTS ? nbytes - done : (nbytes - done) * (seed % 5) / 5;

		parts[i] = (struct iovec){bytes + done, now};
		done += now;
		seed = seed * 7 + 3;
	}
}

static int setup(void **state)
{
	for (size_t i = 0; i < sizeof stream; i++)
		stream[i] = stream_byte(i);
	return suite_open(state);
}

static void parts_arrive_as_one_stream(void **state)
{
	struct ends in = make_pipe(), out = make_pipe();
	struct iovec parts[PARTS];
	struct nproc *process;
	uint8_t got[300];
	(void)state;
	must(nproc_spawn(HERE, "echo", ENDS(in.read, out.write), &process, 100));

	for (size_t nbytes = 0; nbytes <= sizeof got; nbytes++) {
		cut(parts, stream, nbytes, (unsigned)nbytes);
		assert_int_equal(must(npipe_writev(in.write, parts, PARTS)), nbytes);
		memset(got, 0, sizeof got);
		for (size_t done = 0; done < nbytes;) {
			cut(parts, got + done, nbytes - done, (unsigned)done);
			int64_t now = must(npipe_readv(out.read, parts, PARTS));
			assert_in_range(now, 1, nbytes - done);
			done += (size_t)now;
		}
		assert_memory_equal(got, stream, nbytes);
	}
	npipe_close(in.write);
	assert_int_equal(npipe_readv(out.read, parts, PARTS), 0);
}

/* More than the pipe holds. */
static void a_large_write_in_parts_waits_for_room(void **state)
{
	struct ends pipe = make_pipe();
	struct iovec parts[PARTS];
	struct nproc *process;
	(void)state;
	must(nproc_spawn(HERE, "sink", ENDS(pipe.read), &process, 333));

	cut(parts, stream, STREAM_BYTES, 4);
	assert_int_equal(must(npipe_writev(pipe.write, parts, PARTS)), STREAM_BYTES);
	npipe_close(pipe.write);

	assert_int_equal(exit_code_of(process), STREAM_BYTES);
}

/* At most NPIPE_BUF bytes are one line: they are all written, or none of them. */
static void a_short_write_in_parts_is_atomic(void **state)
{
	struct ends pipe = make_pipe();
	struct iovec parts[NPIPE_BUF];
	uint8_t got[NPIPE_BUF];
	int64_t result;
	(void)state;
	for (unsigned i = 0; i < NPIPE_BUF; i++)
		parts[i] = (struct iovec){&stream[i], 1};
	must(npipe_set_timeout(pipe.write, 0));

	while ((result = npipe_writev(pipe.write, parts, NPIPE_BUF)) == NPIPE_BUF)
		;

	assert_int_equal(result, -EAGAIN);
	npipe_close(pipe.write);
	while ((result = must(npipe_read(pipe.read, got, sizeof got)))) {
		assert_int_equal(result, NPIPE_BUF);
		assert_memory_equal(got, stream, NPIPE_BUF);
	}
}

static void a_read_into_parts_takes_what_is_there(void **state)
{
	struct ends pipe = make_pipe();
	uint8_t first[2], second[100], third[5];
	const struct iovec parts[] = {
		{first, sizeof first}, {NULL, 0}, {second, sizeof second}, {third, sizeof third}};
	(void)state;

	must(npipe_write(pipe.write, "abc", 3));
	must(npipe_write(pipe.write, "def", 3));

	assert_int_equal(must(npipe_readv(pipe.read, parts, 4)), 6);
	assert_memory_equal(first, "ab", 2);
	assert_memory_equal(second, "cdef", 4);
}

/* The answer comes while the call waits, so it goes straight into the parts. */
static void an_answer_fills_the_parts_of_a_waiting_read(void **state)
{
	struct ends in = make_pipe(), out = make_pipe();
	uint8_t bytes[NPIPE_BUF] = {0};
	struct iovec parts[PARTS];
	struct nproc *process;
	(void)state;
	must(nproc_spawn(HERE, "echo", ENDS(in.read, out.write), &process, NPIPE_BUF));

	for (unsigned i = 1; i < 200; i++) {
		cut(parts, bytes, sizeof bytes, i);
		must(npipe_write(in.write, stream + i, sizeof bytes));
		assert_int_equal(must(npipe_readv(out.read, parts, PARTS)), sizeof bytes);
		assert_memory_equal(bytes, stream + i, sizeof bytes);
	}
}

static void parts_are_refused_as_bytes_are(void **state)
{
	static struct iovec many[NPIPE_PARTS_MAX + 1];
	struct ends pipe = make_pipe();
	uint8_t byte = 0;
	const struct iovec one = {&byte, 1};
	const struct iovec huge[] = {{&byte, SIZE_MAX / 2}, {&byte, SIZE_MAX / 2}};
	(void)state;
	must(npipe_set_timeout(pipe.read, 0));

	assert_int_equal(npipe_writev(pipe.read, &one, 1), -EBADF);
	assert_int_equal(npipe_readv(pipe.write, &one, 1), -EBADF);
	assert_int_equal(npipe_writev(NULL, &one, 1), -EBADF);
	assert_int_equal(npipe_readv(NULL, &one, 1), -EBADF);
	assert_int_equal(npipe_writev(pipe.write, many, NPIPE_PARTS_MAX + 1), -EINVAL);
	assert_detail("parts");
	assert_int_equal(npipe_readv(pipe.read, huge, 2), -EINVAL);
	assert_int_equal(npipe_writev(pipe.write, many, NPIPE_PARTS_MAX), 0);
	assert_int_equal(npipe_writev(pipe.write, NULL, 0), 0);
	assert_int_equal(npipe_readv(pipe.read, NULL, 0), 0);
	assert_int_equal(npipe_readv(pipe.read, &one, 1), -EAGAIN);
	must(npipe_set_timeout(pipe.read, 1000 * 1000));
	assert_int_equal(npipe_readv(pipe.read, &one, 1), -ETIMEDOUT);
	npipe_close(pipe.read);
	assert_int_equal(npipe_writev(pipe.write, &one, 1), -EPIPE);
}

int run_parts(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(parts_arrive_as_one_stream, setup, suite_close),
		cmocka_unit_test_setup_teardown(
			a_large_write_in_parts_waits_for_room, setup, suite_close),
		cmocka_unit_test_setup_teardown(
			a_short_write_in_parts_is_atomic, setup, suite_close),
		CLAIM(a_read_into_parts_takes_what_is_there),
		cmocka_unit_test_setup_teardown(
			an_answer_fills_the_parts_of_a_waiting_read, setup, suite_close),
		CLAIM(parts_are_refused_as_bytes_are),
	};

	return cmocka_run_group_tests_name("parts", tests, NULL, NULL);
}
