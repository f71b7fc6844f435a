/* Lines of text files: any length, plain or compressed, whole or not. */
#include "tests/apps/graph/built.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "apps/graph/lines.h"
#include "apps/graph/load.h"

static struct problem problem;

/* An edge list of one comment of so many bytes, then "0 1". */
static char *long_first_line(const char *mark, size_t nbytes, size_t *total)
{
	char *text = malloc(nbytes + 5);

	assert_non_null(text);
	memset(text, 'x', nbytes);
	memcpy(text, mark, strlen(mark));
	memcpy(text + nbytes, "\n0 1\n", 5);
	*total = nbytes + 5;
	return text;
}

static int load_text(const char *text, size_t nbytes, struct edges *edges)
{
	*edges = (struct edges){0};
	return load_fd(file_of(text, nbytes), "in.el", LOAD_EL, false, edges, &problem);
}

static void case_127_comment_of_any_length_is_skipped(void **state)
{
	size_t lengths[] = {1, 200, 201, 4096, LINES_MAX, LINES_MAX + 1, 5 * LINES_MAX}, total;

	(void)state;
	for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
		char *text = long_first_line("#", lengths[i], &total);
		struct edges edges;

		assert_int_equal(load_text(text, total, &edges), 0);
		assert_int_equal(edges.count, 1);
		edges_close(&edges);
		free(text);
	}
}

static void line_too_long_to_be_an_edge_is_refused_with_its_number(void **state)
{
	size_t total;
	char *text = long_first_line("0", LINES_MAX + 1, &total);
	struct edges edges;

	(void)state;
	assert_int_equal(load_text(text, total, &edges), -EINVAL);
	assert_string_equal(problem.text, "in.el:1: the line is longer than 1048576 bytes");
	edges_close(&edges);
	free(text);
}

static void zero_byte_is_refused(void **state)
{
	struct edges edges;

	(void)state;
	assert_int_equal(load_text("0 1\n1\0 2\n", 9, &edges), -EINVAL);
	assert_string_equal(problem.text, "in.el:2: a 0 byte: this is not a text file");
	edges_close(&edges);
}

static void zero_bytes_without_end_are_not_read_to_their_end(void **state)
{
	size_t nbytes = 8 * (size_t)LINES_MAX;
	char *text = calloc(1, nbytes);
	struct edges edges = {0};
	int fd, same;

	(void)state;
	assert_non_null(text);
	fd = file_of(text, nbytes);
	same = dup(fd);
	assert_int_equal(load_fd(fd, "in.el", LOAD_EL, false, &edges, &problem), -EINVAL);
	assert_string_equal(problem.text, "in.el:1: a 0 byte: this is not a text file");
	assert_true(lseek(same, 0, SEEK_CUR) < (off_t)nbytes);
	close(same);
	edges_close(&edges);
	free(text);
}

/* "0 1\n" a thousand times, as gzip writes it. */
static size_t compressed(unsigned char *bytes, size_t room)
{
	char text[4001];
	z_stream stream = {0};

	for (int i = 0; i < 1000; i++)
		memcpy(text + 4 * i, "0 1\n", 5);
	assert_int_equal(
		deflateInit2(&stream, 9, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
	stream.next_in = (unsigned char *)text;
	stream.avail_in = 4000;
	stream.next_out = bytes;
	stream.avail_out = (uInt)room;
	assert_int_equal(deflate(&stream, Z_FINISH), Z_STREAM_END);
	deflateEnd(&stream);
	return stream.total_out;
}

static void gzip_file_is_read(void **state)
{
	unsigned char bytes[1000];
	size_t nbytes = compressed(bytes, sizeof bytes);
	struct edges edges;

	(void)state;
	assert_int_equal(load_text((char *)bytes, nbytes, &edges), 0);
	assert_int_equal(edges.count, 1000);
	edges_close(&edges);
}

static void case_127_gzip_file_truncated_anywhere_is_refused(void **state)
{
	unsigned char bytes[1000];
	size_t nbytes = compressed(bytes, sizeof bytes);
	struct edges edges;

	(void)state;
	for (size_t kept = 3; kept < nbytes; kept++) {
		assert_true(load_text((char *)bytes, kept, &edges) < 0);
		edges_close(&edges);
	}
}

static void corrupted_gzip_file_is_refused(void **state)
{
	unsigned char bytes[1000];
	size_t nbytes = compressed(bytes, sizeof bytes);
	struct edges edges;

	(void)state;
	bytes[nbytes - 6] ^= 1; /* of its checksum */
	assert_int_equal(load_text((char *)bytes, nbytes, &edges), -EIO);
	edges_close(&edges);
}

static void missing_file_and_folder_are_refused_by_name(void **state)
{
	struct edges edges = {0};

	(void)state;
	assert_int_equal(load_file("no/such.el", LOAD_EL, false, &edges, &problem), -ENOENT);
	assert_string_equal(problem.text, "no/such.el: cannot open: No such file or directory");
	assert_int_equal(load_file("/tmp", LOAD_EL, false, &edges, &problem), -EIO);
	assert_string_equal(problem.text, "/tmp: cannot read: Is a directory");
	edges_close(&edges);
}

static void format_comes_from_the_ending_in_any_case(void **state)
{
	enum load_format format;

	(void)state;
	assert_int_equal(load_format_of("a.b/C.MTX.gz", &format, &problem), 0);
	assert_int_equal(format, LOAD_MTX);
	assert_int_equal(load_format_of("a.txt", &format, &problem), 0);
	assert_int_equal(format, LOAD_EL);
	assert_int_equal(load_format_of("a.wel", &format, &problem), 0);
	assert_int_equal(format, LOAD_WEL);
	assert_int_equal(load_format_of("el", &format, &problem), -EINVAL);
	assert_int_equal(load_format_of("a.graph", &format, &problem), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(case_127_comment_of_any_length_is_skipped),
		cmocka_unit_test(line_too_long_to_be_an_edge_is_refused_with_its_number),
		cmocka_unit_test(zero_byte_is_refused),
		cmocka_unit_test(zero_bytes_without_end_are_not_read_to_their_end),
		cmocka_unit_test(gzip_file_is_read),
		cmocka_unit_test(case_127_gzip_file_truncated_anywhere_is_refused),
		cmocka_unit_test(corrupted_gzip_file_is_refused),
		cmocka_unit_test(missing_file_and_folder_are_refused_by_name),
		cmocka_unit_test(format_comes_from_the_ending_in_any_case),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
